package a2a

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/a2a"
)

// The types of the official Go SDK for 0.3 are the outside client: they write the question and read the answer.
func TestTheOfficialTypesReadWhatWeSay(t *testing.T) {
	t.Parallel()
	all := agents(t)
	all.o.Bearer = true
	var c a2a.AgentCard
	if err := json.Unmarshal(whole(get(all, "/a2a/lint/.well-known/agent-card.json")), &c); err != nil {
		t.Fatal(err)
	}
	if c.URL != "http://127.0.0.1:8080/a2a/lint" || c.PreferredTransport != a2a.TransportProtocolJSONRPC || !strings.HasPrefix(c.ProtocolVersion, "0.3") ||
		len(c.Skills) != 5 || len(c.SecuritySchemes) != 1 || c.Version != "1.2.3" {
		t.Errorf("%+v", c)
	}
	ask := func(parts ...a2a.Part) *a2a.Task {
		t.Helper()
		params, err := json.Marshal(a2a.MessageSendParams{Message: a2a.NewMessage(a2a.MessageRoleUser, parts...)})
		if err != nil {
			t.Fatal(err)
		}
		r := post(t, all, "lint", "", `{"jsonrpc":"2.0","id":"1","method":"message/send","params":`+string(params)+`}`)
		event, err := a2a.UnmarshalEventJSON(r.Result)
		if err != nil {
			t.Fatalf("%v: %s %+v", err, r.Result, r.Error)
		}
		task, ok := event.(*a2a.Task)
		if !ok {
			t.Fatalf("%T", event)
		}
		return task
	}
	for _, part := range []a2a.Part{
		a2a.TextPart{Text: `{"skill":"example","arguments":{}}`},
		a2a.DataPart{Data: map[string]any{"skill": "example"}},
	} {
		task := ask(part)
		if task.Status.State != a2a.TaskStateCompleted || len(task.Artifacts) != 1 || task.ContextID == "" {
			t.Fatalf("%+v", task)
		}
		data, ok := task.Artifacts[0].Parts[1].(a2a.DataPart)
		if !ok || data.Data["skill"] != "example" {
			t.Errorf("%+v", task.Artifacts[0].Parts)
		}
	}
	if task := ask(a2a.TextPart{Text: "hello"}); task.Status.State != a2a.TaskStateFailed || task.Status.Message.Role != a2a.MessageRoleAgent {
		t.Errorf("%+v", task)
	}
}
