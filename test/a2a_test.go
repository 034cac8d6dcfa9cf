package test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/effect/listen"
	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/flow/serve/a2a"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// same are jobs that answer alike each time, with what they were asked.
type same struct{}

func (same) Rules(names []string) (serve.Result, error) { return said("rules", names...) }
func (same) Explain(name string) (serve.Result, error)  { return said("explain", name) }
func (same) Lint(config, name, client string) (serve.Result, error) {
	return said("lint", name, client)
}
func (same) Scan(surface, client string) (serve.Result, error)          { return said("scan", client) }
func (same) Doctor() (serve.Result, error)                              { return said("doctor") }
func (same) Probe(_ context.Context, s, u string) (serve.Result, error) { return said("probe", s, u) }

func said(job string, about ...string) (serve.Result, error) {
	doc, err := json.Marshal(map[string]any{"job": job, "about": about})
	return serve.Result{JSON: doc, Text: strings.Join(append([]string{job}, about...), " ")}, err
}

// lanes is a server with the skills of the program in both lanes, at the origin that it answers.
func lanes(t *testing.T) string {
	t.Helper()
	lim := limits.Default
	callers := serve.NewCallers(time.Now, lim)
	skills := serve.Skills(same{}, &serve.Guard{Limits: lim}, callers, lim)
	agents, err := a2a.New(a2a.Options{Skills: skills, Version: "1", Saw: callers.Saw, Limits: lim})
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.New(serve.Options{Version: "1", Skills: skills, Front: serve.Front{Loopback: true}, Callers: callers, Limits: lim,
		Mounts: map[string]wire.Handler{a2a.Prefix: agents.Handle}}, false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	door, err := listen.Open(ctx, "127.0.0.1:0", listen.Options{Admit: server.Admit, Handle: server.Handle, Limits: lim})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- door.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + door.Address().String()
}

// exchange sends a body, or gets a document where there is none, and reads the answer.
func exchange(t *testing.T, url, body string, into any) string {
	t.Helper()
	verb := http.MethodGet
	if body != "" {
		verb = http.MethodPost
	}
	r, err := http.NewRequest(verb, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %v %s", url, answer.StatusCode, err, raw)
	}
	for line := range bytes.Lines(raw) { // an event stream of one answer
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			raw = data
		}
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v %s", url, err, raw)
	}
	return string(raw)
}

// sent is a task as far as the tests look at it.
type sent struct {
	Result struct {
		Status    struct{ State string }
		Artifacts []struct {
			Parts []struct {
				Text string
				Data json.RawMessage
			}
		}
	}
}

// completed sends a body to an agent, and gives the parts of the completed task.
func completed(t *testing.T, url, body string) (text, data string) {
	t.Helper()
	var got sent
	raw := exchange(t, url, body, &got)
	if got.Result.Status.State != "completed" || len(got.Result.Artifacts) != 1 || len(got.Result.Artifacts[0].Parts) != 2 {
		t.Fatalf("%s to %s gives no completed task: %s", body, url, raw)
	}
	parts := got.Result.Artifacts[0].Parts
	return parts[0].Text, string(parts[1].Data)
}

// ready is /a2a/example.json, and offered a skill in it.
type ready struct {
	Agents []struct {
		URL, Card string
		Skills    []offered
	}
}

type offered struct {
	Skill, Title, Description string
	InputSchema, OutputSchema any
	Body                      json.RawMessage
}

// One table makes both lanes: an agent's skill has the name, title, description and schemas of the MCP tool, and the same
// answer to the same question.
func TestTheLanesDoNotDrift(t *testing.T) {
	base := lanes(t)
	type tool struct {
		Name, Title, Description  string
		InputSchema, OutputSchema any
	}
	var tools struct{ Result struct{ Tools []tool } }
	exchange(t, base+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, &tools)
	var doc ready
	exchange(t, base+"/a2a/example.json", "", &doc)
	asJSON := func(v any) string { b, _ := json.Marshal(v); return string(b) }
	compared := map[string]bool{}
	for _, agent := range doc.Agents {
		var card struct {
			URL    string
			Skills []struct{ ID, Name, Description string }
		}
		exchange(t, agent.Card, "", &card)
		if card.URL != agent.URL || len(card.Skills) != len(agent.Skills) {
			t.Errorf("the card of %s says %s and has %d skills, not %d", agent.URL, card.URL, len(card.Skills), len(agent.Skills))
			continue
		}
		for i, s := range agent.Skills {
			compared[s.Skill] = true
			at := slices.IndexFunc(tools.Result.Tools, func(x tool) bool { return x.Name == s.Skill })
			if at < 0 {
				t.Errorf("%s is no tool", s.Skill)
				continue
			}
			if is, want := asJSON(tool{s.Skill, s.Title, s.Description, s.InputSchema, s.OutputSchema}), asJSON(tools.Result.Tools[at]); is != want {
				t.Errorf("the tool is %s, the skill %s", want, is)
			}
			if c := card.Skills[i]; c.ID != s.Skill || c.Name != s.Title || c.Description != s.Description {
				t.Errorf("the card says %+v of %s", c, s.Skill)
			}
			text, data := completed(t, agent.URL, string(s.Body))
			var called struct {
				Result struct {
					Content           []struct{ Text string }
					StructuredContent json.RawMessage
				}
			}
			exchange(t, base+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+s.Skill+`","arguments":{}}}`, &called)
			if s.Skill == "whoami" { // which says the lane, and what was called before
				continue
			}
			if len(called.Result.Content) != 1 || text != called.Result.Content[0].Text || data != string(called.Result.StructuredContent) {
				t.Errorf("%s: the agent says %q %s, the tool %+v", s.Skill, text, data, called.Result)
			}
		}
	}
	want := []string{"discovery_report", "error_conformance", "example", "handshake_report", "score_card", "tools_list_report", "whoami"}
	for _, name := range want {
		if !compared[name] {
			t.Errorf("no agent offers %s", name)
		}
	}
	if len(compared) != len(want) {
		t.Errorf("compared %v", compared)
	}
}

func TestWhoamiCountsTheCallsOfBothLanes(t *testing.T) {
	base := lanes(t)
	for range 2 {
		completed(t, base+"/a2a/score", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user","messageId":"1","parts":[{"kind":"text","text":"score_card"}]}}}`)
	}
	_, data := completed(t, base+"/a2a/lint", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user","messageId":"1","parts":[{"kind":"text","text":"whoami"}]}}}`)
	var me struct {
		Lane   string
		Before struct {
			Tools []struct {
				Tool  string
				Count int
			}
		}
	}
	if err := json.Unmarshal([]byte(data), &me); err != nil || me.Lane != "a2a" || len(me.Before.Tools) != 1 || me.Before.Tools[0].Tool != "score_card" || me.Before.Tools[0].Count != 2 {
		t.Errorf("%v %s", err, data)
	}
}

// A URL alone goes to the agent's main skill: its argument is one that the skill takes.
func TestAURLAloneReachesTheMainSkillOfEachAgent(t *testing.T) {
	base := lanes(t)
	for agent, section := range map[string]string{"lint": "handshake", "discovery": "discovery", "score": ""} {
		_, data := completed(t, base+"/a2a/"+agent, `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user","messageId":"1","parts":[{"kind":"text","text":"https://mcp.example.com/mcp"}]}}}`)
		if want, _ := said("probe", section, "https://mcp.example.com/mcp"); data != string(want.JSON) {
			t.Errorf("%s: %s", agent, data)
		}
	}
}

// The instructions of mcp-endpoint-lint hold a body for its agents. It works on ours as it is written.
func TestTheBodyThatEndpointLintPublishesWorksAsWritten(t *testing.T) {
	raw, err := os.ReadFile(shared(t, "seeds/endpoint-lint.json"))
	if err != nil {
		t.Fatal(err)
	}
	var seed struct{ Instructions string }
	if err := json.Unmarshal(raw, &seed); err != nil {
		t.Fatal(err)
	}
	body := regexp.MustCompile(`(?m)^ *(\{"jsonrpc".*"message/send".*\})$`).FindStringSubmatch(seed.Instructions)
	agents := regexp.MustCompile(`(?m)^ *https://[^/]+(/a2a/[a-z]+) — ([a-z_, ]+)`).FindAllStringSubmatch(seed.Instructions, -1)
	if body == nil || len(agents) != 3 {
		t.Fatalf("%v, %v", body, agents)
	}
	base := lanes(t)
	var doc ready
	exchange(t, base+"/a2a/example.json", "", &doc)
	for _, a := range agents {
		if _, data := completed(t, base+a[1], body[1]); !strings.Contains(data, serve.Fixture) {
			t.Errorf("%s: %s", a[1], data)
		}
		for _, agent := range doc.Agents {
			if strings.TrimPrefix(agent.URL, base) != a[1] {
				continue
			}
			for name := range strings.SplitSeq(strings.TrimSpace(a[2]), ", ") {
				if !slices.ContainsFunc(agent.Skills, func(s offered) bool { return s.Skill == name }) {
					t.Errorf("%s does not offer %s", a[1], name)
				}
			}
		}
	}
}

func TestThePageOnAgentsHoldsARequestThatWorksAndWhatTheyOffer(t *testing.T) {
	page := readRepository(t, "docs/a2a.md")
	base := lanes(t)
	m := regexp.MustCompile("sent by POST to `(/[^`]+)`[^`]*```json\n(.*)\n```").FindStringSubmatch(page)
	if m == nil {
		t.Fatal("the page has no request")
	}
	if _, data := completed(t, base+m[1], m[2]); !strings.Contains(data, serve.Fixture) {
		t.Errorf("%s", data)
	}
	var doc ready
	exchange(t, base+"/a2a/example.json", "", &doc)
	for _, agent := range doc.Agents {
		row := regexp.MustCompile("(?m)^\\| `" + strings.TrimPrefix(agent.URL, base) + "` .*$").FindString(page)
		for _, s := range agent.Skills {
			if !strings.Contains(row, "`"+s.Skill+"`") && s.Skill != "whoami" && s.Skill != "example" {
				t.Errorf("the row %q does not name %s", row, s.Skill)
			}
		}
	}
}
