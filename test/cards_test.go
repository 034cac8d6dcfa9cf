package test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/source"
)

// judgeList judges a document with cards as lint does under a profile.
func judgeList(t testing.TB, name string, raw []byte, profile string) []finding.Finding {
	t.Helper()
	doc, err := source.Parse(name, raw, source.JSON, limits.Default)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	f := card.Read(doc)
	if f == nil {
		t.Fatalf("%s holds no cards", name)
	}
	p, _ := policy.ProfileByName(profile)
	found, incomplete := engine.Judge(engine.Input{Cards: []*card.File{f}, Rules: p.Rules(), Facts: &pageFacts{platform: "linux"},
		Limits: limits.Default, EveryClient: p.EveryClient})
	for _, i := range incomplete {
		t.Fatalf("%s: %s", i.Path, i.Detail)
	}
	return found
}

// noise is what a profile says of honest servers.
type noise struct {
	servers, tools, findings, failing int
	byRule                            map[string]map[finding.Severity]int
}

func (n *noise) add(found []finding.Finding, tools int) {
	n.servers++
	n.tools += tools
	n.findings += len(found)
	fails := false
	for _, f := range found {
		if n.byRule == nil {
			n.byRule = map[string]map[finding.Severity]int{}
		}
		if n.byRule[f.Rule] == nil {
			n.byRule[f.Rule] = map[finding.Severity]int{}
		}
		n.byRule[f.Rule][f.Severity]++
		fails = fails || f.Severity >= finding.Error
	}
	if fails {
		n.failing++
	}
}

func (n *noise) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d servers, %d tools, %d findings (%.3f a tool), %d servers fail (%.1f %%)\n", n.servers, n.tools, n.findings,
		float64(n.findings)/float64(n.tools), n.failing, 100*float64(n.failing)/float64(n.servers))
	for _, id := range slices.Sorted(maps.Keys(n.byRule)) {
		fmt.Fprintf(&b, "  %-28s error %3d  warning %3d  info %3d\n", id, n.byRule[id][finding.Error], n.byRule[id][finding.Warning], n.byRule[id][finding.Info])
	}
	return b.String()
}

// labelled are the tools of a file of labelled cards, by server, in the file's order.
func labelled(t testing.TB, path string) (servers []string, tools map[string][]json.RawMessage) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tools = map[string][]json.RawMessage{}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, len(raw)+1)
	for lines.Scan() {
		var one struct {
			Server string
			Tool   json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		if tools[one.Server] == nil {
			servers = append(servers, one.Server)
		}
		tools[one.Server] = append(tools[one.Server], one.Tool)
	}
	return servers, tools
}

// A default run must be quiet on honest servers, or nobody reads it. The budgets are those of issue 3, over all rules.
func TestHonestServersAreLeftInPeace(t *testing.T) {
	names, tools := labelled(t, shared(t, "corpus/cards/benign_real.jsonl"))
	for _, profile := range []string{"production", "compatibility", "strict"} {
		var n noise
		for _, name := range names {
			raw, err := json.Marshal(map[string]any{"tools": tools[name]})
			if err != nil {
				t.Fatal(err)
			}
			n.add(judgeList(t, name, raw, profile), len(tools[name]))
		}
		t.Logf("%s: %s", profile, n.String())
		if profile == "production" && n.failing*10 > n.servers {
			t.Errorf("%d of %d servers fail: at most a tenth may", n.failing, n.servers)
		}
	}
}

func TestRecordedServersGiveAtMostOneFindingForThreeTools(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared(t, "corpus/servers"), "tools-*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var n noise
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatal(err)
		}
		n.add(judgeList(t, filepath.Base(file), raw, "production"), len(list.Tools))
	}
	t.Log(n.String())
	if n.failing > 0 || n.findings*3 > n.tools {
		t.Errorf("%d servers fail, %d findings on %d tools", n.failing, n.findings, n.tools)
	}
}

// Every example card of the specification, alone: the file holds those of several revisions, some under one name.
func TestTheSpecificationsExampleCardsAreClean(t *testing.T) {
	raw, err := os.ReadFile(shared(t, "corpus/servers/tools-spec-examples.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	for i, tool := range list.Tools {
		one := slices.Concat([]byte(`{"tools": [`), tool, []byte(`]}`))
		for _, f := range judgeList(t, fmt.Sprintf("example %d", i), one, "production") {
			t.Errorf("%s %s: %s", f.Rule, f.Severity, f.Message)
		}
	}
}

// What a server speaks decides what is a fault of it; where that is not known, only what every revision would say that
// has the field.
func TestAFaultIsOneOfTheServersRevision(t *testing.T) {
	const old, tasks, full = "2025-06-18", "2025-11-25", "2026-07-28"
	for _, c := range []struct {
		name, member, rule string
		want               map[string]finding.Severity // by revision, "" for none that is known
	}{
		{"a name with a slash", `"name": "a/b"`, "card/invalid-name", map[string]finding.Severity{"": finding.Warning, old: 0, tasks: finding.Warning, full: finding.Warning}},
		{"a name with a space", `"name": "a b"`, "card/invalid-name", map[string]finding.Severity{"": finding.Error, "2024-11-05": finding.Error, full: finding.Error}},
		{"a title", `"title": 1`, "card/wrong-type", map[string]finding.Severity{"": finding.Error, "2025-03-26": 0, old: finding.Error}},
		{"hints", `"annotations": {"readOnlyHint": 1}`, "card/wrong-type", map[string]finding.Severity{"": finding.Error, "2024-11-05": 0, "2025-03-26": finding.Error}},
		{"icons", `"icons": [{"src": "file:///a"}]`, "card/invalid-icon", map[string]finding.Severity{"": finding.Error, old: 0, tasks: finding.Error, full: finding.Error}},
		{"tasks", `"execution": {"taskSupport": "x"}`, "card/wrong-value", map[string]finding.Severity{"": finding.Error, old: 0, tasks: finding.Error, full: 0}},
		{"an output that is a list", `"outputSchema": {"type": "array"}`, "card/root-not-object", map[string]finding.Severity{"": 0, "2025-03-26": 0, old: finding.Error, tasks: finding.Error, full: 0}},
		{"a header", `"inputSchema": {"type": "object", "properties": {"a": {"type": "array", "x-mcp-header": "A"}}}`, "card/invalid-header",
			map[string]finding.Severity{"": finding.Error, tasks: 0, full: finding.Error}},
		{"a tuple", `"inputSchema": {"type": "object", "properties": {"a": {"type": "array", "items": [{"type": "string"}]}}}`, "card/invalid-schema",
			map[string]finding.Severity{"": finding.Warning, old: finding.Warning, tasks: finding.Error, full: finding.Error}},
		{"a tuple of draft-07", `"inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": "array", "items": [{"type": "string"}]}}}`,
			"card/invalid-schema", map[string]finding.Severity{"": 0, old: 0, tasks: 0, full: 0}},
	} {
		for revision, want := range c.want {
			card := `"description": "Does a thing or two", ` + c.member
			for _, required := range []string{`"name": "a"`, `"inputSchema": {"type": "object"}`} {
				if key, _, _ := strings.Cut(required, ":"); !strings.Contains(c.member, key) {
					card += ", " + required
				}
			}
			doc := `{"tools": [{` + card + `}]}`
			if revision != "" {
				doc = `{"initialize": {"protocolVersion": "` + revision + `", "serverInfo": {"name": "s", "version": "1"}}, "tools": [{` + card + `}]}`
			}
			got := finding.Severity(0)
			for _, f := range judgeList(t, "tools.json", []byte(doc), "production") {
				if f.Rule == c.rule {
					got = f.Severity
				}
			}
			if got != want {
				t.Errorf("%s, revision %q: %q, want %q", c.name, revision, got, want)
			}
		}
	}
}

// Without a client cards are held against what is sure, on a server that says who it is; a profile that asks for every
// client is as grave as the client that loses most.
func TestPortabilityIsAsGraveAsWhoAsks(t *testing.T) {
	list := `"tools": [{"name": "find", "description": "Find a thing", "inputSchema": {"type": "object", "anyOf": [{"required": ["a"]}], "properties": {"a": {"type": "string"}, "b": {"type": "array"}}}}]}`
	of := func(doc, profile, rule string) (got finding.Severity) {
		for _, f := range judgeList(t, "tools.json", []byte(doc), profile) {
			if f.Rule == rule {
				got = f.Severity
			}
		}
		return got
	}
	server := `{"initialize": {"protocolVersion": "2025-11-25", "serverInfo": {"name": "s", "version": "1"}}, ` + list
	for _, c := range []struct {
		doc, profile, rule string
		want               finding.Severity
	}{
		{`{` + list, "production", "card/root-combinator", 0},
		{server, "production", "card/root-combinator", finding.Info},
		{server, "production", "card/unportable-schema", 0},
		{server, "spec", "card/root-combinator", 0},
		{`{` + list, "compatibility", "card/root-combinator", finding.Error},
		{`{` + list, "compatibility", "card/unportable-schema", finding.Error},
		{`{` + list, "strict", "card/root-combinator", finding.Error},
	} {
		if got := of(c.doc, c.profile, c.rule); got != c.want {
			t.Errorf("%s under %s: %q, want %q\n%s", c.rule, c.profile, got, c.want, c.doc)
		}
	}
}
