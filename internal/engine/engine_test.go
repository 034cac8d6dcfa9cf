package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
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

func cards(t *testing.T, text string) *card.File {
	t.Helper()
	doc, err := source.Parse("tools.json", []byte(text), source.JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	f := card.Read(doc)
	for i, s := range f.Servers {
		s.Subject = fmt.Sprint("s", i)
		for k, c := range s.Cards {
			c.Subject = fmt.Sprint("s", i, ".", k)
		}
	}
	return f
}

// said makes a rule that finds a fault on the cards of which it is asked, in a set.
func said(id, set, kind string, severity finding.Severity, on func(name string) bool) *rule.Rule {
	return &rule.Rule{ID: id, Severity: severity, Message: id + " {name}", Once: set, Card: func(p *rule.Pass, c *card.Card) {
		if on(c.Name) {
			p.Report(rule.At(c.NameNode), rule.Args{"name": c.Name}, rule.WithKind(kind))
		}
	}}
}

func always(string) bool { return true }

func TestOfRulesThatSayOneThingOfACardTheGravestIsListed(t *testing.T) {
	rules := []*rule.Rule{
		said("x/info", "set", "", finding.Info, always), said("x/first", "set", "", finding.Warning, always), said("x/grave", "set", "", finding.Error, func(n string) bool { return n == "b" }),
		said("x/second", "set", "", finding.Warning, always), said("x/other", "another", "", finding.Info, always), said("x/alone", "", "", finding.Info, always),
	}
	found, incomplete := Judge(Input{Cards: []*card.File{cards(t, `{"tools": [{"name": "a"}, {"name": "b"}]}`)}, Rules: rules, Limits: limits.Default})
	var got []string
	for _, f := range found {
		line := f.Message
		for _, r := range f.Related {
			line += " + " + r.Rule
		}
		got = append(got, line)
	}
	want := "x/first a + x/info + x/second; x/other a; x/alone a; x/grave b + x/info + x/first + x/second; x/other b; x/alone b"
	if strings.Join(got, "; ") != want || len(incomplete) > 0 {
		t.Errorf("found %s\nwant  %s\n%v", strings.Join(got, "; "), want, incomplete)
	}
}

func TestOneKindOfFaultInSeveralCardsIsTheServersFinding(t *testing.T) {
	rules := []*rule.Rule{said("x/kind", "set", "k", finding.Warning, func(n string) bool { return n != "b" }), said("x/plain", "set", "", finding.Info, always)}
	text := `{"servers": {"p": {"tools": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}]}, "q": {"tools": [{"name": "e"}]}}}`
	found, _ := Judge(Input{Cards: []*card.File{cards(t, text)}, Rules: rules, Limits: limits.Default})
	var got []string
	for _, f := range found {
		got = append(got, fmt.Sprintf("%s %s/%s %d", f.Message, f.Subject, f.Tool, len(f.Related)))
	}
	want := "x/kind a (and 2 more of this server do so) s0/ 3; x/plain b s0.1/b 0; x/kind e s1.0/e 1"
	if strings.Join(got, "; ") != want {
		t.Errorf("found %s\nwant  %s", strings.Join(got, "; "), want)
	}
}

func TestFindingsOfASetAreCountedLikeOthers(t *testing.T) {
	var names []string
	for i := range 10 {
		names = append(names, fmt.Sprintf(`{"name": "t%d"}`, i))
	}
	lim := limits.Default
	lim.RuleFindings = 3
	rules := []*rule.Rule{said("x/set", "set", "", finding.Warning, always), said("x/rare", "set", "", finding.Error, func(n string) bool { return n == "t9" })}
	f := cards(t, `{"tools": [`+strings.Join(names, ", ")+`]}`)
	found, _ := Judge(Input{Cards: []*card.File{f}, Rules: rules, Limits: lim})
	if len(found) != 5 || !strings.HasSuffix(found[3].Message, "(and 5 more like it in this file)") || found[4].Rule != "x/rare" {
		t.Errorf("%d findings: %+v", len(found), found)
	}
	if all, _ := Judge(Input{Cards: []*card.File{f}, Rules: rules, Limits: lim, All: true}); len(all) != 10 {
		t.Errorf("%d findings of all", len(all))
	}
}

func TestARuleOfASetThatPanicsLeavesTheOthers(t *testing.T) {
	bad := &rule.Rule{ID: "x/bad", Severity: finding.Error, Once: "set", Card: func(p *rule.Pass, c *card.Card) { panic("boom") }}
	found, incomplete := Judge(Input{Cards: []*card.File{cards(t, `{"tools": [{"name": "a"}, {"name": "b"}]}`)}, Rules: []*rule.Rule{bad, said("x/good", "set", "", finding.Info, always)}, Limits: limits.Default})
	if len(found) != 2 || len(incomplete) != 2 {
		t.Errorf("%d findings, %d incomplete", len(found), len(incomplete))
	}
}
