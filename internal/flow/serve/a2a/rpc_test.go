package a2a

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

func TestAMessageIsAnsweredInTheDialectThatItIsIn(t *testing.T) {
	t.Parallel()
	all := agents(t)
	r := post(t, all, "score", "", old(`{"skill":"score_card","arguments":{"url":"https://mcp.example.com/mcp"}}`))
	if string(r.ID) != `"a"` || !strings.Contains(data(t, r.Result, false), `"arguments":{"url":"https://mcp.example.com/mcp"}`) {
		t.Errorf("%s", r.Result)
	}
	for _, part := range []string{`{"kind":"task","id":"`, `{"kind":"text","text":`, `{"kind":"data","data":`} {
		if !strings.Contains(string(r.Result), part) {
			t.Errorf("0.3: no %s in %s", part, r.Result)
		}
	}
	for _, version := range []string{"", "1.0", "1.0.3"} {
		r := post(t, all, "score", version, modern(`{"skill":"score_card"}`))
		if string(r.ID) != `7` || !strings.Contains(data(t, r.Result, true), `"arguments":{}`) || strings.Contains(string(r.Result), `"kind"`) ||
			!strings.Contains(string(r.Result), `"mediaType":"application/json"`) {
			t.Errorf("1.0 by %q: %s", version, r.Result)
		}
	}
}

// The form that mcp-endpoint-lint publishes: a method of 0.3, a role of 1.0, and a part without a kind.
func TestTheHybridFormIsAnsweredByEveryAgent(t *testing.T) {
	t.Parallel()
	all := agents(t)
	for _, agent := range []string{"lint", "discovery", "score"} {
		r := post(t, all, agent, "", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"ROLE_USER","messageId":"1","parts":[{"text":"{\"skill\":\"example\"}"}]}}}`)
		if got := data(t, r.Result, false); !strings.Contains(got, `"skill":"example","arguments":{},"caller":"a2a 192.0.2.1 curl/8"`) {
			t.Errorf("%s: %s", agent, got)
		}
	}
}

func TestTheVersionHeaderSaysWhichMethodsThereAre(t *testing.T) {
	t.Parallel()
	all := agents(t)
	text := `{"skill":"example"}`
	for _, c := range []struct {
		version, query, body string
		code                 int
	}{
		{"0.3", "", old(text), 0}, {"0.3.0", "", old(text), 0}, {"", "A2A-Version=0.3", old(text), 0}, {" ", "", old(text), 0},
		{"1.0", "", modern(text), 0}, {"", "A2A-Version=1.0", modern(text), 0}, {"1.0", "A2A-Version=9", modern(text), 0},
		{"1.0", "", old(text), -32601}, {"0.3", "", modern(text), -32601},
		{"1.1", "", modern(text), -32009}, {"0.2", "", old(text), -32009}, {"2", "", old(text), -32009}, {"junk\x1b[31m", "", old(text), -32009},
		{"", "A2A-Version=3.0", old(text), -32009}, {"", "%zz;&&&=", old(text), 0},
	} {
		r := &wire.Asked{Verb: "POST", Path: "/a2a/lint", Query: c.query, Body: []byte(c.body), Header: wire.Header{"a2a-version": {c.version}}}
		answer := all.Handle(context.Background(), r)
		got := read(t, answer)
		code := 0
		if got.Error != nil {
			code = got.Error.Code
		}
		if code != c.code || answer.Status != 200 {
			t.Errorf("%q %q: %d %s", c.version, c.query, answer.Status, whole(answer))
		}
		if code == -32009 && !strings.Contains(string(got.Error.Data), `"reason":"VERSION_NOT_SUPPORTED"`) {
			t.Errorf("%q: %s", c.version, got.Error.Data)
		}
	}
}

func TestWhatTheAgentsDoNotDoHasTheErrorOfTheSpecification(t *testing.T) {
	t.Parallel()
	all := agents(t)
	for _, c := range []struct {
		method, params string
		code           int
	}{
		{"tasks/get", `{"id":"x"}`, -32001}, {"GetTask", `{"id":"x"}`, -32001},
		{"tasks/get", `{}`, -32602}, {"GetTask", `{"id":7}`, -32602},
		{"tasks/cancel", `{"id":"x"}`, -32001}, {"CancelTask", `{"id":"x"}`, -32001},
		{"tasks/pushNotificationConfig/set", `{}`, -32003}, {"tasks/pushNotificationConfig/get", `{}`, -32003},
		{"tasks/pushNotificationConfig/list", `{}`, -32003}, {"tasks/pushNotificationConfig/delete", `{}`, -32003},
		{"CreateTaskPushNotificationConfig", `{}`, -32003}, {"GetTaskPushNotificationConfig", `{}`, -32003},
		{"ListTaskPushNotificationConfigs", `{}`, -32003}, {"DeleteTaskPushNotificationConfig", `{}`, -32003},
		{"message/stream", `{}`, -32004}, {"SendStreamingMessage", `{}`, -32004}, {"tasks/resubscribe", `{}`, -32004}, {"SubscribeToTask", `{}`, -32004},
		{"agent/getAuthenticatedExtendedCard", `{}`, -32007}, {"GetExtendedAgentCard", `{}`, -32004},
		{"initialize", `{}`, -32601}, {"tools/call", `{}`, -32601}, {"sendmessage", `{}`, -32601}, {"", `{}`, -32601},
		{"ListTasks", `{"pageSize":0}`, -32602}, {"ListTasks", `{"pageSize":101}`, -32602}, {"ListTasks", `{"pageSize":"9"}`, -32602}, {"ListTasks", `{"pageSize":1e99}`, -32602},
	} {
		r := post(t, all, "lint", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, c.method, c.params))
		if r.Error == nil || r.Error.Code != c.code {
			t.Errorf("%s %s: %+v", c.method, c.params, r)
			continue
		}
		typed := strings.Contains(string(r.Error.Data), "google.rpc.ErrorInfo")
		if modern := methods[v10][c.method] != nil; typed != (modern && c.code > -32100) {
			t.Errorf("%s: data %s", c.method, r.Error.Data)
		}
	}
}

func TestNoTaskIsKeptAndTheListSaysSo(t *testing.T) {
	t.Parallel()
	all := agents(t)
	for params, size := range map[string]string{"": "50", `,"params":{}`: "50", `,"params":{"pageSize":100,"pageToken":"x"}`: "100"} {
		r := post(t, all, "lint", "1.0", `{"jsonrpc":"2.0","id":1,"method":"ListTasks"`+params+`}`)
		if want := `{"tasks":[],"nextPageToken":"","pageSize":` + size + `,"totalSize":0}`; string(r.Result) != want {
			t.Errorf("%s: %s", params, r.Result)
		}
	}
}

func TestWhatIsNoRequestGetsAnErrorOfJSONRPC(t *testing.T) {
	t.Parallel()
	all := agents(t)
	lim := limits.Default
	deep := strings.Repeat("[", lim.FrameDepth+10) + strings.Repeat("]", lim.FrameDepth+10)
	for _, c := range []struct {
		name, body, id string
		code           int
	}{
		{"nothing", "", "null", -32700},
		{"junk", "hello", "null", -32700},
		{"half", `{"jsonrpc":"2.0","id":1,`, "null", -32700},
		{"two", `{"jsonrpc":"2.0","id":1,"method":"GetTask"}{}`, "null", -32700},
		{"HTML", "<!doctype html><p>", "null", -32700},
		{"comments", `{"jsonrpc":"2.0","id":1,/* */"method":"GetTask","params":{"id":"x"}}`, "null", -32700},
		{"bad UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\xff\"}", "1", -32700},
		{"half a surrogate pair", `{"jsonrpc":"2.0","id":1,"method":"\ud800"}`, "1", -32700},
		{"UTF-16", "\xff\xfe{\x00}\x00", "null", -32700},
		{"a number", "7", "null", -32600},
		{"null", "null", "null", -32600},
		{"an empty object", "{}", "null", -32600},
		{"an empty batch", "[]", "null", -32600},
		{"a batch", "[" + old(`{"skill":"example"}`) + "," + old("example") + "]", "null", -32600},
		{"no version", `{"id":1,"method":"GetTask","params":{"id":"x"}}`, "1", -32600},
		{"version 1", `{"jsonrpc":"1.0","id":"é","method":"GetTask"}`, `"é"`, -32600},
		{"no id", `{"jsonrpc":"2.0","method":"message/send"}`, "null", -32600},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"GetTask"}`, "null", -32600},
		{"id an object", `{"jsonrpc":"2.0","id":{"a":1},"method":"GetTask"}`, "null", -32600},
		{"method a number", `{"jsonrpc":"2.0","id":1,"method":7}`, "1", -32600},
		{"a response", `{"jsonrpc":"2.0","id":1,"result":{}}`, "1", -32600},
		{"a member twice", `{"jsonrpc":"2.0","id":1,"method":"GetTask","method":"x","params":{"id":"x"}}`, "1", -32600},
		{"other case", `{"JSONRPC":"2.0","ID":1,"Method":"GetTask"}`, "null", -32600},
		{"deep", deep, "null", -32600},
		{"deep params", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + deep + `}`, "null", -32600},
		{"params an array", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":[]}`, "1", -32602},
		{"params a string", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":"x"}`, "1", -32602},
		{"no params", `{"jsonrpc":"2.0","id":1,"method":"message/send"}`, "1", -32602},
	} {
		answer := all.Handle(context.Background(), &wire.Asked{Verb: "POST", Path: "/a2a/lint", Body: []byte(c.body)})
		r := read(t, answer)
		if r.Error == nil || r.Error.Code != c.code || string(r.ID) != c.id || answer.Status != 200 {
			t.Errorf("%s: %d %s", c.name, answer.Status, whole(answer))
		}
	}
}

func TestABodyOverItsLimitIsNotRead(t *testing.T) {
	t.Parallel()
	all := agents(t)
	request := old(`{"skill":"example"}`)
	for extra, status := range map[int]int{0: 200, 1: 413} {
		body := request + strings.Repeat(" ", limits.Default.A2ABytes-len(request)+extra)
		answer := all.Handle(context.Background(), &wire.Asked{Verb: "POST", Path: "/a2a/lint", Body: []byte(body)})
		if r := read(t, answer); answer.Status != status || (r.Error != nil) != (status != 200) {
			t.Errorf("%d: %d %s", extra, answer.Status, whole(answer))
		}
	}
}

func TestTheIDComesBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	all := agents(t)
	for _, id := range []string{`1`, `-0`, `1.50`, `1e400`, `9007199254740993`, `""`, `"\u00e9\n"`, `"<b>&"`} {
		r := post(t, all, "lint", "", strings.Replace(old("example"), `"id":"a"`, `"id":`+id, 1))
		if string(r.ID) != id || r.Error != nil {
			t.Errorf("%s became %s (%+v)", id, r.ID, r.Error)
		}
	}
}

func TestAnErrorQuotesNoControlCharacters(t *testing.T) {
	t.Parallel()
	all := agents(t)
	nasty := "\x1b]0;x\a\u202e" + strings.Repeat("A", 5000)
	quoted, _ := json.Marshal(nasty)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":` + string(quoted) + `}`,
		`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":` + string(quoted) + `}}`,
		old(`{"skill":` + string(quoted) + `}`),
		old(`{"skill":"example",` + string(quoted) + `:1}`),
	} {
		answer := all.Handle(context.Background(), &wire.Asked{Verb: "POST", Path: "/a2a/lint", Body: []byte(body)})
		if s := string(whole(answer)); strings.Contains(s, `\u001b`) || strings.Contains(s, "\u202e") || strings.Contains(s, strings.Repeat("A", 1000)) {
			t.Errorf("%.300s", s)
		}
	}
}
