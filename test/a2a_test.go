package test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/flow/serve/a2a"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// agents are those of A2A over skills that answer with their own name.
func agents(t *testing.T) *a2a.Agents {
	t.Helper()
	var skills []serve.Skill
	for _, name := range []string{"handshake_report", "tools_list_report", "error_conformance", "discovery_report", "score_card", "whoami", "example"} {
		skills = append(skills, serve.Skill{Name: name, Title: name, Description: name, Input: []byte(`{}`), Output: []byte(`{}`),
			Call: func(context.Context, serve.Caller, json.RawMessage) (serve.Result, error) {
				return serve.Result{JSON: []byte(`{"name":"` + name + `"}`)}, nil
			}})
	}
	all, err := a2a.New(a2a.Options{Skills: skills, Version: "1", NewID: func() string { return "id" }, Limits: limits.Default})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// completed sends a body to an agent, and says whether a completed task with the answer of that skill comes back.
func completed(t *testing.T, path, body, skill string) {
	t.Helper()
	answer := agents(t).Handle(context.Background(), &wire.Asked{Verb: "POST", Path: path, Body: []byte(body)})
	got := string(bytes.Join(answer.Body, nil))
	if answer.Status != 200 || !strings.Contains(got, `"state":"completed"`) || !strings.Contains(got, `"data":{"name":"`+skill+`"}`) {
		t.Errorf("%s to %s: %d %s", body, path, answer.Status, got)
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
	paths := regexp.MustCompile(`(?m)^ *https://[^/]+(/a2a/[a-z]+) `).FindAllStringSubmatch(seed.Instructions, -1)
	if body == nil || len(paths) != 3 {
		t.Fatalf("%v, %v", body, paths)
	}
	for _, path := range paths {
		completed(t, path[1], body[1], "example")
	}
}

func TestTheRequestOfThePageOnAgentsWorks(t *testing.T) {
	page := readRepository(t, "docs/a2a.md")
	m := regexp.MustCompile(`curl -s http://[^/]+(/\S+) .*-d '(.*)'`).FindStringSubmatch(page)
	if m == nil {
		t.Fatal("the page has no request")
	}
	completed(t, m[1], m[2], "score_card")
}

func TestThePageOnAgentsNamesWhatTheyOffer(t *testing.T) {
	page := readRepository(t, "docs/a2a.md")
	var doc struct {
		Agents []struct {
			URL    string
			Skills []struct{ Skill string }
		}
	}
	answer := agents(t).Handle(context.Background(), &wire.Asked{Verb: "GET", Path: "/a2a/example.json", Base: "http://h"})
	if err := json.Unmarshal(bytes.Join(answer.Body, nil), &doc); err != nil || len(doc.Agents) != 3 {
		t.Fatalf("%v %d", err, len(doc.Agents))
	}
	for _, a := range doc.Agents {
		row := regexp.MustCompile("(?m)^\\| `" + strings.TrimPrefix(a.URL, "http://h") + "` .*$").FindString(page)
		for _, s := range a.Skills {
			if !strings.Contains(row, "`"+s.Skill+"`") && s.Skill != "whoami" && s.Skill != "example" {
				t.Errorf("the row %q does not name %s", row, s.Skill)
			}
		}
	}
}
