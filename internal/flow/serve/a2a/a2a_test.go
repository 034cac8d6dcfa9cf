package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// table is a table of skills that say what they were asked. Their answers hold what encoders like to change.
func table() []serve.Skill {
	var all []serve.Skill
	for _, name := range []string{"handshake_report", "tools_list_report", "error_conformance", "discovery_report", "score_card", "whoami", "example", "list_rules"} {
		all = append(all, serve.Skill{
			Name: name, Title: "Title of " + name, Description: "What " + name + " does & <why>.",
			Input:  json.RawMessage(`{"type":"object","properties":{"url":{"type":"string"}}}`),
			Output: json.RawMessage(`{"type":"object"}`),
			Call: func(_ context.Context, caller serve.Caller, arguments json.RawMessage) (serve.Result, error) {
				if strings.Contains(string(arguments), "refused.example") {
					return serve.Result{}, errors.New("refused.example is not asked twice a minute")
				}
				if strings.Contains(string(arguments), "broken.example") {
					return serve.Result{JSON: json.RawMessage(`{"half":`)}, nil
				}
				answer := fmt.Sprintf(`{"skill":%q,"arguments":%s,"caller":%q,"odd":"<&>\u003c é \u2028","n":1.0e2}`,
					name, arguments, string(caller.Lane)+" "+caller.Address+" "+caller.Agent)
				if name == "whoami" { // has no words of its own
					return serve.Result{JSON: json.RawMessage(answer)}, nil
				}
				return serve.Result{JSON: json.RawMessage(answer), Text: "In words: " + answer}, nil
			},
		})
	}
	return all
}

func agents(t testing.TB) *Agents {
	t.Helper()
	all, err := New(Options{Skills: table(), Version: "1.2.3", Saw: func(serve.Caller, string) {}, Limits: limits.Default})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// get asks for a document.
func get(all *Agents, path string) *wire.Answer {
	return all.Handle(context.Background(), &wire.Asked{Verb: "GET", Path: path, Base: "http://127.0.0.1:8080"})
}

// post sends a body to an agent and reads the response.
func post(t testing.TB, all *Agents, agent, version, body string) response {
	t.Helper()
	r := &wire.Asked{Verb: "POST", Path: Prefix + agent, Header: wire.Header{"user-agent": {"curl/8"}}, Body: []byte(body), From: "192.0.2.1"}
	if version != "" {
		r.Header["a2a-version"] = []string{version}
	}
	return read(t, all.Handle(context.Background(), r))
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// whole is the body of an answer.
func whole(a *wire.Answer) []byte { return bytes.Join(a.Body, nil) }

func read(t testing.TB, answer *wire.Answer) response {
	t.Helper()
	var out response
	if err := json.Unmarshal(whole(answer), &out); err != nil {
		t.Fatalf("%v: %s", err, whole(answer))
	}
	if out.Version != "2.0" || out.ID == nil || (out.Result == nil) == (out.Error == nil) {
		t.Fatalf("no response of JSON-RPC: %s", whole(answer))
	}
	return out
}

// old and modern are a request with one text, as clients of 0.3 and 1.0 send it.
func old(text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"a","method":"message/send","params":{"message":{"kind":"message","role":"user","messageId":"m","parts":[{"kind":"text","text":%s}]}}}`, encode(text))
}

func modern(text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":%s,"mediaType":"text/plain"}]}}}`, encode(text))
}

func TestATableWithoutASkillOfAnAgentIsRefused(t *testing.T) {
	t.Parallel()
	skills := slices.DeleteFunc(table(), func(s serve.Skill) bool { return s.Name == "discovery_report" })
	if _, err := New(Options{Skills: skills}); err == nil || !strings.Contains(err.Error(), "discovery_report") {
		t.Errorf("%v", err)
	}
}

func TestEachAgentHasACardThatBothVersionsRead(t *testing.T) {
	t.Parallel()
	all := agents(t)
	for name, skills := range map[string][]string{
		"lint":      {"handshake_report", "tools_list_report", "error_conformance", "whoami", "example"},
		"discovery": {"discovery_report", "whoami", "example"},
		"score":     {"score_card", "whoami", "example"},
	} {
		answer := get(all, "/a2a/"+name+"/.well-known/agent-card.json")
		if answer.Status != 200 {
			t.Fatalf("%s: %d", name, answer.Status)
		}
		var members map[string]json.RawMessage
		var c card
		if err := errors.Join(json.Unmarshal(whole(answer), &members), json.Unmarshal(whole(answer), &c)); err != nil {
			t.Fatal(err)
		}
		for _, required := range []string{"name", "description", "supportedInterfaces", "version", "capabilities", "defaultInputModes", "defaultOutputModes", "skills", "url", "protocolVersion", "preferredTransport"} {
			if members[required] == nil {
				t.Errorf("%s: no %s", name, required)
			}
		}
		at := "http://127.0.0.1:8080/a2a/" + name
		if want := []iface{{at, "JSONRPC", "1.0"}, {at, "JSONRPC", "0.3"}}; !slices.Equal(c.SupportedInterfaces, want) || c.URL != at {
			t.Errorf("%s: %+v, %s", name, c.SupportedInterfaces, c.URL)
		}
		var listed []string
		for _, s := range c.Skills {
			listed = append(listed, s.ID)
			if len(s.Tags) == 0 || s.Description == "" || s.Name == "" {
				t.Errorf("%s: skill %+v lacks what is required", name, s)
			}
			for _, example := range s.Examples {
				if r := post(t, all, name, "", old(example)); !strings.Contains(string(r.Result), `"state":"completed"`) {
					t.Errorf("%s: the example %s gives %s", name, example, r.Result)
				}
			}
		}
		if !slices.Equal(listed, skills) {
			t.Errorf("%s offers %v", name, listed)
		}
		if c.SecuritySchemes != nil {
			t.Errorf("%s names a token that nobody asks for", name)
		}
	}
}

func TestACardSaysThatATokenIsNeeded(t *testing.T) {
	t.Parallel()
	all := agents(t)
	all.o.Bearer = true
	body := string(whole(get(all, "/a2a/score/.well-known/agent-card.json")))
	for _, part := range []string{`"type":"http"`, `"httpAuthSecurityScheme":{"scheme":"Bearer"}`, `"security":[{"bearer":[]}]`, `"securityRequirements":[{"schemes":`} {
		if !strings.Contains(body, part) {
			t.Errorf("no %s in %s", part, body)
		}
	}
}

func TestLinksAreMadeOfAHostAndNothingElse(t *testing.T) {
	t.Parallel()
	all := agents(t)
	for base, status := range map[string]int{
		"http://127.0.0.1:8080": 200, "https://mcp.example.com": 200, "http://[::1]:80": 200, "http://LOCALHOST:1": 200,
		"": 400, "http://": 400, "http://a b": 400, "http://user@host": 400, "http://host/path": 400, "http://host?q": 400, "http://host#f": 400,
		"javascript:alert(1)": 400, "ftp://host": 400, "http://host\"onload=": 400, "http://host\r\nset-cookie: a": 400, "http://hóst": 400, "http://%3Cb%3E": 400,
	} {
		for _, path := range []string{"/a2a/lint/.well-known/agent-card.json", "/a2a/example.json"} {
			answer := all.Handle(context.Background(), &wire.Asked{Verb: "GET", Path: path, Base: base})
			if answer.Status != status || !json.Valid(whole(answer)) {
				t.Errorf("%q: %d %s", base, answer.Status, whole(answer))
			}
			if status == 200 && !strings.Contains(string(whole(answer)), `"`+base+`/a2a/lint`) {
				t.Errorf("%q is not in %s", base, whole(answer))
			}
		}
	}
}

func TestWhatLiesNowhereOrIsAskedOtherwiseSaysWhatThereIs(t *testing.T) {
	t.Parallel()
	all := agents(t)
	for _, c := range []struct {
		verb, path string
		status     int
		allow      string
	}{
		{"GET", "/a2a/", 404, ""}, {"GET", "/a2a/nobody", 404, ""}, {"POST", "/a2a/nobody", 404, ""}, {"GET", "/a2a/lint/card", 404, ""}, {"GET", "/a2a/../etc/passwd", 404, ""},
		{"GET", "/a2a/lint", 405, "POST"}, {"DELETE", "/a2a/score", 405, "POST"}, {"PUT", "/a2a/score/", 405, "POST"},
		{"POST", "/a2a/lint/.well-known/agent-card.json", 405, "GET, HEAD"}, {"POST", "/a2a/example.json", 405, "GET, HEAD"},
	} {
		answer := all.Handle(context.Background(), &wire.Asked{Verb: c.verb, Path: c.path, Base: "http://h"})
		allow := ""
		for _, h := range answer.Header {
			if h[0] == "allow" {
				allow = h[1]
			}
		}
		if answer.Status != c.status || allow != c.allow || !strings.Contains(string(whole(answer)), `{"error":`) {
			t.Errorf("%s %s: %d, allow %q, %s", c.verb, c.path, answer.Status, allow, whole(answer))
		}
	}
}

// The two lanes are made of one table: what the example document says is what the table says, and each body of it gives
// the answer of the table's function, to the byte.
func TestEveryBodyOfTheExampleDocumentGivesWhatTheTableGives(t *testing.T) {
	t.Parallel()
	all := agents(t)
	var doc struct {
		Agents []struct {
			Name, URL, Card string
			Skills          []struct {
				Skill, Title, Description string
				InputSchema, OutputSchema json.RawMessage
				Body                      json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(whole(get(all, "/a2a/example.json")), &doc); err != nil {
		t.Fatal(err)
	}
	sent := 0
	for _, a := range doc.Agents {
		path := strings.TrimPrefix(a.URL, "http://127.0.0.1:8080")
		if get(all, strings.TrimPrefix(a.Card, "http://127.0.0.1:8080")).Status != 200 {
			t.Errorf("%s: no card at %s", a.Name, a.Card)
		}
		for _, s := range a.Skills {
			i := slices.IndexFunc(all.o.Skills, func(x serve.Skill) bool { return x.Name == s.Skill })
			want := all.o.Skills[i]
			if s.Title != want.Title || s.Description != want.Description || string(s.InputSchema) != string(want.Input) || string(s.OutputSchema) != string(want.Output) {
				t.Errorf("%s of %s differs from the table: %+v", s.Skill, a.Name, s)
			}
			answer := all.Handle(context.Background(), &wire.Asked{Verb: "POST", Path: path, Body: s.Body, Header: wire.Header{"user-agent": {"x"}}, From: "::1"})
			direct, _ := want.Call(context.Background(), serve.Caller{Lane: serve.A2A, Address: "::1", Agent: "x"}, []byte("{}"))
			if got := data(t, read(t, answer).Result, false); got != string(direct.JSON) {
				t.Errorf("%s of %s: the agent says %s, the function %s", s.Skill, a.Name, got, direct.JSON)
			}
			sent++
		}
	}
	if sent != 11 {
		t.Errorf("%d bodies", sent)
	}
}

// data is the data part of a completed task, and its text says the same.
func data(t testing.TB, result json.RawMessage, modern bool) string {
	t.Helper()
	var got struct {
		Task *task `json:"task"`
		task
	}
	if err := json.Unmarshal(result, &got); err != nil {
		t.Fatal(err)
	}
	state, task := "completed", &got.task
	if modern {
		state, task = "TASK_STATE_COMPLETED", got.Task
	}
	if task == nil || task.Status.State != state || len(task.Artifacts) != 1 || len(task.Artifacts[0].Parts) != 2 || task.ID == "" || task.ContextID == "" {
		t.Fatalf("no completed task: %s", result)
	}
	parts := task.Artifacts[0].Parts
	if strings.TrimPrefix(parts[0].Text, "In words: ") != string(parts[1].Data) {
		t.Errorf("the text %s differs from the data %s", parts[0].Text, parts[1].Data)
	}
	return string(parts[1].Data)
}
