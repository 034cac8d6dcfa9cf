package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

func file(t *testing.T, text string) *client.File {
	t.Helper()
	f := client.Identify(client.Where{Path: ".mcp.json", Root: "/p", Env: client.Env{OS: "linux", Getenv: func(string) string { return "" }}})
	f.Load([]byte(text), limits.Default)
	if f.Err != nil {
		t.Fatal(f.Err)
	}
	return f
}

const three = `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}, "c": {"command": "z"}}}`

func TestARuleThatPanicsCostsItselfAndIsNeverClean(t *testing.T) {
	bad := &rule.Rule{ID: "x/bad", Severity: finding.Error, Message: "bad {name}", Server: func(p *rule.Pass, s *client.Server) {
		if s.Name == "b" {
			panic("boom")
		}
		p.Report(rule.Key(s.Node), rule.Args{"name": s.Name})
	}}
	good := &rule.Rule{ID: "x/good", Severity: finding.Error, Message: "good {name}", Server: func(p *rule.Pass, s *client.Server) {
		p.Report(rule.Key(s.Node), rule.Args{"name": s.Name})
	}}
	found, incomplete := Judge(Input{Files: []*client.File{file(t, three)}, Rules: []*rule.Rule{bad, good}, Limits: limits.Default})
	var got []string
	for _, f := range found {
		got = append(got, f.Message)
	}
	if want := "bad a, good a, good b, bad c, good c"; strings.Join(got, ", ") != want {
		t.Errorf("found %s, want %s", strings.Join(got, ", "), want)
	}
	if len(incomplete) != 1 || !strings.Contains(incomplete[0].Detail, "x/bad") {
		t.Errorf("incomplete %+v", incomplete)
	}
}

func TestOneFaultIsOneFinding(t *testing.T) {
	at := func(id, fault string, sev finding.Severity) *rule.Rule {
		return &rule.Rule{ID: id, Severity: sev, Message: id, Fault: fault, Server: func(p *rule.Pass, s *client.Server) {
			p.Report(rule.Key(s.Node), nil)
		}}
	}
	rules := []*rule.Rule{at("auth/one", "secret", finding.Error), at("mcp-security/two", "secret", finding.Warning), at("other/three", "", finding.Info)}
	found, _ := Judge(Input{Files: []*client.File{file(t, `{"mcpServers": {"a": {"command": "x"}}}`)}, Rules: rules, Limits: limits.Default})
	if len(found) != 2 || found[0].Rule != "mcp-security/two" || len(found[0].Related) != 1 || found[0].Related[0].Rule != "auth/one" {
		t.Errorf("found %+v", found)
	}
}

func TestWhatEveryServerSharesIsOneFindingThatListsThem(t *testing.T) {
	each := &rule.Rule{ID: "x/each", Severity: finding.Warning, Message: "{count} share it: {names}", Each: func(p *rule.Pass, s *client.Server, g *rule.Gather) {
		g.Add(s, s.Name, rule.Key(s.Node))
	}}
	found, _ := Judge(Input{Files: []*client.File{file(t, three)}, Rules: []*rule.Rule{each}, Limits: limits.Default})
	if len(found) != 1 || found[0].Message != "3 share it: a, b, c" || len(found[0].Related) != 2 {
		t.Errorf("found %+v", found)
	}
}

func TestFingerprintsStayWhenLinesMove(t *testing.T) {
	r := &rule.Rule{ID: "x/args", Severity: finding.Error, Message: "m", Server: func(p *rule.Pass, s *client.Server) {
		for i, a := range s.Args {
			p.Report(rule.At(a.Node), nil, rule.WithKind(fmt.Sprint("k", i%2)))
		}
	}}
	prints := func(text string) (all []string) {
		found, _ := Judge(Input{Files: []*client.File{file(t, text)}, Rules: []*rule.Rule{r}, Limits: limits.Default})
		for _, f := range found {
			all = append(all, f.Fingerprint)
		}
		return all
	}
	one := prints(`{"mcpServers": {"a": {"command": "x", "args": ["1", "2", "3"]}}}`)
	two := prints("{\n\n \"mcpServers\": {\n \"z\": {}, \"a\": {\"command\": \"x\", \"args\": [\"1\",\n\"2\", \"3\"]}}}")
	if len(one) != 3 || strings.Join(one, " ") != strings.Join(two, " ") || one[0] == one[1] || one[0] == one[2] {
		t.Errorf("fingerprints %v and %v", one, two)
	}
}

func TestARuleStopsListingWhereNobodyReadsOn(t *testing.T) {
	lim := limits.Default
	lim.RuleFindings = 1
	r := &rule.Rule{ID: "x/each", Severity: finding.Info, Message: "bad {name}", Server: func(p *rule.Pass, s *client.Server) {
		sev := finding.Info
		if s.Name == "c" {
			sev = finding.Error
		}
		p.Report(rule.Key(s.Node), rule.Args{"name": s.Name}, rule.WithSeverity(sev))
	}}
	f := file(t, three)
	found, _ := Judge(Input{Files: []*client.File{f}, Rules: []*rule.Rule{r}, Limits: lim})
	if len(found) != 2 || found[1].Severity != finding.Error || found[1].Message != "bad c (and 1 more like it in this file)" {
		t.Errorf("found %+v", found)
	}
	if found[0].Server == "" || found[1].Server != "" || found[1].Subject != f.Subject() {
		t.Errorf("what counts the others is about %q, not about the file", found[1].Server)
	}
	if found, _ := Judge(Input{Files: []*client.File{f}, Rules: []*rule.Rule{r}, Limits: lim, All: true}); len(found) != 3 {
		t.Errorf("all: %d findings", len(found))
	}
}
