package a2a

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// sent is a request of 0.3 with the members of its message given.
func sent(message string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{` + message + `}}}`
}

func TestAMessageIsUnderstood(t *testing.T) {
	t.Parallel()
	all := agents(t)
	for _, c := range []struct{ name, agent, parts, skill, arguments string }{
		{"JSON as text", "lint", `{"text":"{\"skill\":\"tools_list_report\",\"arguments\":{\"url\":\"https://h\"}}"}`, "tools_list_report", `{"url":"https://h"}`},
		{"no arguments", "lint", `{"text":"{\"skill\":\"whoami\"}"}`, "whoami", `{}`},
		{"arguments null", "lint", `{"text":"{\"skill\":\"whoami\",\"arguments\":null}"}`, "whoami", `{}`},
		{"blanks around", "lint", `{"text":"\n {\"skill\" : \"whoami\"}\t"}`, "whoami", `{}`},
		{"data", "score", `{"kind":"data","data":{"skill":"score_card","arguments":{"url":"https://h"}}}`, "score_card", `{"url":"https://h"}`},
		{"a name", "score", `{"text":" score_card\n"}`, "score_card", `{}`},
		{"a URL to lint", "lint", `{"text":"https://mcp.example.com/mcp?a=1"}`, "handshake_report", `{"url":"https://mcp.example.com/mcp?a=1"}`},
		{"a URL to discovery", "discovery", `{"text":"http://localhost:3000/mcp"}`, "discovery_report", `{"host":"http://localhost:3000/mcp"}`},
		{"a URL to score", "score", `{"text":"fixture://demo"}`, "score_card", `{"url":"fixture://demo"}`},
		{"talk before it", "score", `{"text":"For context: the user wants a grade."},{"text":"{\"skill\":\"score_card\"}"}`, "score_card", `{}`},
		{"the first of two", "score", `{"text":"whoami"},{"text":"score_card"}`, "whoami", `{}`},
	} {
		r := post(t, all, c.agent, "", sent(`"role":"user","messageId":"m","parts":[`+c.parts+`]`))
		if r.Error != nil {
			t.Errorf("%s: %+v", c.name, r.Error)
			continue
		}
		if got, want := data(t, r.Result, false), fmt.Sprintf(`{"skill":%q,"arguments":%s,`, c.skill, c.arguments); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

func TestAMessageThatIsNotUnderstoodFailsWithWhatWouldBe(t *testing.T) {
	t.Parallel()
	all := agents(t)
	for text, why := range map[string]string{
		"":                                    "no skill of this agent and no URL",
		"hello":                               "no skill of this agent and no URL",
		"score_card":                          "no skill of this agent and no URL",
		"javascript:alert()":                  "no skill of this agent and no URL",
		"file:///etc/passwd":                  "no skill of this agent and no URL",
		"/mcp":                                "no skill of this agent and no URL",
		"grade https://h":                     "no skill of this agent and no URL",
		`{"skill":`:                           "begins like JSON and is none",
		`{"skill":"a",}`:                      "begins like JSON and is none",
		`{}`:                                  `"skill" must be the name of a skill`,
		`{"skill":7}`:                         `"skill" must be the name of a skill`,
		`{"skill":"nobody"}`:                  `"nobody" is no skill of this agent`,
		`{"skill":"score_card"}`:              `"score_card" is a skill of the agent at /a2a/score`,
		`{"skill":"list_rules"}`:              `"list_rules" is no skill of this agent`,
		`{"skill":"whoami","arguments":[]}`:   `"arguments" is an array, not an object`,
		`{"skill":"whoami","arguments":"{}"}`: `"arguments" is a string, not an object`,
		`{"skill":"handshake_report","url":"https://h"}`:                        `"url" is not known here: it may belong in "arguments"`,
		`{"skill":"whoami","skill":"example"}`:                                  "a member is named twice",
		`{"skill":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`: "begins like JSON and is none",
	} {
		r := post(t, all, "lint", "", old(text))
		var got task
		if r.Error != nil || json.Unmarshal(r.Result, &got) != nil || got.Status.State != "failed" || got.Status.Message == nil || len(got.Artifacts) != 0 {
			t.Errorf("%q: %s %+v", text, r.Result, r.Error)
			continue
		}
		m := got.Status.Message
		if m.Role != "agent" || m.TaskID != got.ID || m.ContextID != got.ContextID || len(m.Parts) != 2 || !strings.Contains(m.Parts[0].Text, why) {
			t.Errorf("%q: %+v", text, m)
			continue
		}
		var help struct {
			Error  string
			Skills []struct{ Body json.RawMessage }
		}
		if err := json.Unmarshal(m.Parts[1].Data, &help); err != nil || len(help.Skills) != 5 || help.Error == "" {
			t.Fatalf("%q: %v %s", text, err, m.Parts[1].Data)
		}
		for _, s := range help.Skills {
			data(t, post(t, all, "lint", "", string(s.Body)).Result, false)
		}
	}
}

func TestAFailureIsInTheDialectOfTheQuestionToo(t *testing.T) {
	t.Parallel()
	r := post(t, agents(t), "score", "1.0", modern("hello"))
	for _, part := range []string{`{"task":{"id":"`, `"state":"TASK_STATE_FAILED"`, `"role":"ROLE_AGENT"`, `"mediaType":"text/plain"`} {
		if !strings.Contains(string(r.Result), part) {
			t.Errorf("no %s in %s", part, r.Result)
		}
	}
}

func TestASkillThatFailsFailsTheTask(t *testing.T) {
	t.Parallel()
	all := agents(t)
	for url, why := range map[string]string{
		"https://refused.example/mcp": "refused.example is not asked twice a minute",
		"https://broken.example/mcp":  "the skill score_card gave no JSON",
	} {
		r := post(t, all, "score", "", old(url))
		if s := string(r.Result); !strings.Contains(s, `"state":"failed"`) || !strings.Contains(s, why) {
			t.Errorf("%s: %s %+v", url, s, r.Error)
		}
	}
}

func TestWhoCalledWhatIsNotedOnce(t *testing.T) {
	t.Parallel()
	all := agents(t)
	var seen []string
	all.o.Saw = func(c serve.Caller, skill string) { seen = append(seen, c.Address+" "+skill) }
	for _, text := range []string{"whoami", "hello", "https://refused.example", `{"skill":"tools_list_report"}`} {
		post(t, all, "lint", "", old(text))
	}
	if want := []string{"192.0.2.1 whoami", "192.0.2.1 handshake_report", "192.0.2.1 tools_list_report"}; !slices.Equal(seen, want) {
		t.Errorf("%q", seen)
	}
}

func TestASkillThatPanicsFailsTheTask(t *testing.T) {
	t.Parallel()
	skills := table()
	for i := range skills {
		skills[i].Call = func(context.Context, serve.Caller, json.RawMessage) (serve.Result, error) { panic("a fault of ours") }
	}
	all, err := New(Options{Skills: skills, Saw: func(serve.Caller, string) {}, Limits: limits.Default})
	if err != nil {
		t.Fatal(err)
	}
	if r := post(t, all, "lint", "", old("whoami")); !strings.Contains(string(r.Result), `"state":"failed"`) || strings.Contains(string(r.Result), "fault of ours") {
		t.Errorf("%s", r.Result)
	}
}

func TestAMessageThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	all := agents(t)
	const good = `"role":"user","messageId":"m","parts":[{"text":"whoami"}]`
	for _, c := range []struct {
		body string
		code int
	}{
		{sent(good), 0},
		{sent(``), -32602},
		{sent(`"role":"user","parts":[{"text":"whoami"}]`), -32602},
		{sent(`"role":"user","messageId":"","parts":[{"text":"whoami"}]`), -32602},
		{sent(`"role":"user","messageId":1,"parts":[{"text":"whoami"}]`), -32602},
		{sent(`"messageId":"m","parts":[{"text":"whoami"}]`), -32602},
		{sent(`"role":"agent","messageId":"m","parts":[{"text":"whoami"}]`), -32602},
		{sent(`"role":["user"],"messageId":"m","parts":[{"text":"whoami"}]`), -32602},
		{sent(`"role":"user","messageId":"m"`), -32602},
		{sent(`"role":"user","messageId":"m","parts":[]`), -32602},
		{sent(`"role":"user","messageId":"m","parts":{"text":"whoami"}`), -32602},
		{sent(`"role":"user","messageId":"m","parts":[` + strings.Repeat(`{"text":"{"},`, limits.Default.A2AParts-1) + `{"text":"whoami"}]`), 0},
		{sent(`"role":"user","messageId":"m","parts":[` + strings.Repeat(`{"text":"{"},`, limits.Default.A2AParts) + `{"text":"whoami"}]`), -32602},
		{sent(`"role":"user","messageId":"m","parts":["whoami"]`), -32602},
		{sent(`"role":"user","messageId":"m","parts":[{}]`), -32602},
		{sent(`"role":"user","messageId":"m","parts":[{"text":7}]`), -32602},
		{sent(`"role":"user","messageId":"m","parts":[{"text":null}]`), -32602},
		{sent(good + `,"contextId":7`), -32602},
		{sent(good + `,"taskId":{}`), -32602},
		{sent(good + `,"taskId":null,"contextId":""`), 0},
		{sent(good + `,"taskId":"gone"`), -32001},
		{sent(`"role":"user","messageId":"m","parts":[{"kind":"file","file":{"uri":"https://h"}}]`), -32005},
		{sent(`"role":"user","messageId":"m","parts":[{"text":"whoami"},{"raw":"AAAA","mediaType":"image/png"}]`), -32005},
		{sent(`"role":"user","messageId":"m","parts":[{"url":"https://h/a.png"}]`), -32005},
		{`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":[]}}`, -32602},
		{`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"configuration":{"pushNotificationConfig":{"url":"https://h"}},"message":{` + good + `}}}`, -32003},
		{`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"configuration":{"pushNotificationConfig":null,"blocking":true,"acceptedOutputModes":["text/plain"]},"message":{` + good + `}}}`, 0},
	} {
		code := 0
		r := post(t, all, "lint", "", c.body)
		if r.Error != nil {
			code = r.Error.Code
		}
		if code != c.code {
			t.Errorf("%s: %d", c.body, code)
		}
	}
}

func TestAContextIsKeptAndANewOneIsMade(t *testing.T) {
	t.Parallel()
	all := agents(t)
	seen := map[string]bool{}
	for _, context := range []string{"", "", "mine <\u00e9>"} {
		quoted, _ := json.Marshal(context)
		var got task
		r := post(t, all, "lint", "", sent(`"role":"user","messageId":"m","parts":[{"text":"whoami"}],"contextId":`+string(quoted)))
		if err := json.Unmarshal(r.Result, &got); err != nil {
			t.Fatal(err)
		}
		if context != "" && got.ContextID != context || got.ContextID == "" || got.ID == got.ContextID || seen[got.ContextID] || seen[got.ID] {
			t.Errorf("%q: %+v", context, got)
		}
		seen[got.ContextID], seen[got.ID] = true, true
	}
}
