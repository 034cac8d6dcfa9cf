package a2a

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// FuzzHandle holds that whatever is sent gets one JSON document, never a 5xx, no larger than what was sent and what a skill
// or the help says, and that what is answered as a task has ended.
func FuzzHandle(f *testing.F) {
	for _, body := range []string{
		old(`{"skill":"example"}`), modern("score_card"), old("hello"), old("https://h"), "[]", "{", `{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`,
		sent(`"role":"ROLE_USER","messageId":"1","parts":[{"data":{"skill":"whoami","arguments":{}}}],"contextId":"c"`),
	} {
		f.Add("POST", "/a2a/lint", "", "1.0", []byte(body))
	}
	f.Add("GET", "/a2a/example.json", "A2A-Version=1.0", "", []byte(nil))
	all := agents(f)
	most := limits.Default.A2ABytes * 20
	f.Fuzz(func(t *testing.T, verb, path, query, version string, body []byte) {
		r := &wire.Asked{Verb: verb, Path: path, Query: query, Header: wire.Header{"a2a-version": {version}, "user-agent": {version}}, Body: body, Base: "http://" + version, From: path}
		answer := all.Handle(context.Background(), r)
		if answer.Status < 200 || answer.Status >= 500 || !json.Valid(whole(answer)) || len(whole(answer)) > most {
			t.Fatalf("%d, %d bytes: %.300s", answer.Status, len(whole(answer)), whole(answer))
		}
		var out struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Result  struct {
				Status status `json:"status"`
				Task   *task  `json:"task"`
				Tasks  []any  `json:"tasks"`
			} `json:"result"`
			Error *struct{ Code int } `json:"error"`
		}
		if path != "/a2a/lint" || verb != "POST" {
			return
		}
		if err := json.Unmarshal(whole(answer), &out); err != nil || out.Version != "2.0" || len(out.ID) == 0 {
			t.Fatalf("%v: %.300s", err, whole(answer))
		}
		state := out.Result.Status.State
		if out.Result.Task != nil {
			state = out.Result.Task.Status.State
		}
		switch state {
		case "completed", "failed", "TASK_STATE_COMPLETED", "TASK_STATE_FAILED":
		default:
			if out.Error == nil && out.Result.Tasks == nil {
				t.Fatalf("neither a task that has ended nor an error: %.300s", whole(answer))
			}
		}
	})
}
