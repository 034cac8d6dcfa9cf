package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/source"
)

// anyRule stands for whatever found something: policies look at a finding's rule and place alone.
const anyRule = "mcp-schema/wrong-root-key"

// at is a finding at the value that a pointer leads to.
func at(d *source.Doc, pointer string) finding.Finding {
	n := d.Lookup(pointer)
	return finding.Finding{Rule: anyRule, Severity: finding.Error, Status: finding.Active, Location: d.Locate(n.Span(), pointer)}
}

// policyWith is a policy file with these suppressions, each a flow mapping without its reason, owner and end.
func policyWith(t *testing.T, entries ...string) *Policy {
	t.Helper()
	text := "version: \"1\"\npolicy:\n  suppressions:\n"
	for _, e := range entries {
		text += "    - {" + e + ", reason: checked, owner: platform, expires: 2026-12-31}\n"
	}
	return mustRead(t, "mcpassay.yaml", text)
}

// told is what a report says of the findings, one line each.
func told(found []finding.Finding) string {
	var lines []string
	for _, f := range found {
		l := fmt.Sprintf("%s:%d %s %s", f.Location.Path, f.Location.Line, f.Severity, f.Status)
		if strings.HasPrefix(f.Rule, "policy/") {
			l += " " + f.Message
		}
		lines = append(lines, l)
	}
	return strings.Join(lines, "\n")
}

func TestASuppressionHidesWhatItNamesAndNothingElse(t *testing.T) {
	d := parse(t, "a/mcp.json", `{"servers": {"io.github.x/files": {"url": "u"}}}`)
	f := at(d, "/servers/io.github.x~1files/url")
	f.Server, f.Tool = "io.github.x/files", "search_all"
	files := []*client.File{{Path: "a/mcp.json", Abs: "/p/sub/a/mcp.json", Client: &client.Client{ID: "cursor"}, Readers: []*client.Client{{ID: "vscode"}}}}
	for entry, hides := range map[string]bool{
		"rule: wrong-root-key":                                       true,
		"rule: MCP-SCHEMA/*":                                         true,
		"rule: policy/*":                                             false,
		"rule: '*', server: io.github.x/files":                       true,
		"rule: '*', server: '*files'":                                true,
		"rule: '*', server: files":                                   false,
		"rule: wrong-root-key, tool: 'search_*'":                     true,
		"rule: wrong-root-key, tool: 'write_*'":                      false,
		"rule: wrong-root-key, path: sub/a/mcp.json":                 true,
		"rule: wrong-root-key, path: 'sub/*.json'":                   true,
		"rule: wrong-root-key, path: a/mcp.json":                     false,
		"rule: wrong-root-key, path: '/servers/*/url'":               true,
		"rule: wrong-root-key, path: '/servers/*/command'":           false,
		"rule: wrong-root-key, client: vscode":                       true,
		"rule: wrong-root-key, client: cursor":                       true,
		"rule: wrong-root-key, client: zed":                          false,
		"rule: wrong-root-key, server: '*files', client: zed":        false,
		"rule: wrong-root-key, server: other, path: 'sub/*'":         false,
		"rule: wrong-root-key, server: '*', tool: '*', path: 'sub*'": true,
	} {
		found := policyWith(t, entry).Apply([]finding.Finding{f}, []*source.Doc{d}, today, Files(files, "/p"))
		if got := found[0].Status == finding.Suppressed; got != hides {
			t.Errorf("%s hides: %v", entry, got)
		}
	}
}

func TestASuppressedFindingSaysWhoWhyAndUntilWhen(t *testing.T) {
	d := parse(t, "mcp.json", `{"servers": {}}`)
	p := policyWith(t, "rule: wrong-root-key", "rule: mcp-schema/*")
	p.Suppressions[0].Reason = "checked\x1b[2J\u202e \n twice"
	found := p.Apply([]finding.Finding{at(d, "/servers")}, []*source.Doc{d}, today)
	want := finding.Suppression{Kind: "policy", Reason: "checked\uFFFD[2J\uFFFD twice", Owner: "platform", Expires: "2026-12-31"}
	if len(found) != 1 || found[0].Status != finding.Suppressed || *found[0].Suppression != want {
		t.Errorf("%+v", found) // both are in use, so neither is a finding
	}
}

func TestSeveritiesAreOverridden(t *testing.T) {
	d := parse(t, "mcp.json", `{"servers": {}}`)
	p := policyWith(t, "rule: wrong-root-key, server: gone")
	p.Severity[anyRule] = finding.Info
	p.Severity["policy/unused-suppression"] = finding.Error
	got := told(p.Apply([]finding.Finding{at(d, "/servers")}, nil, today))
	if want := "mcp.json:1 info active\nmcpassay.yaml:4 error active Suppression of wrong-root-key hides no finding"; got != want {
		t.Errorf("%s", got)
	}
}

func TestASuppressionCountsUntilItsLastDayIsOverInUTC(t *testing.T) {
	d := parse(t, "mcp.json", `{"servers": {}}`)
	for at, want := range map[string]string{
		"2026-12-31T23:59:59Z":      "mcp.json:1 error suppressed",
		"2026-12-31T23:00:00-05:00": "mcp.json:1 error active\nmcpassay.yaml:4 warning active Suppression of wrong-root-key by platform ended on 2026-12-31, its findings count again",
	} {
		now := today
		if err := now.UnmarshalText([]byte(at)); err != nil {
			t.Fatal(err)
		}
		if got := told(policyWith(t, "rule: wrong-root-key").Apply([]finding.Finding{atServers(d)}, nil, now)); got != want {
			t.Errorf("%s: %s", at, got)
		}
	}
}

func atServers(d *source.Doc) finding.Finding { return at(d, "/servers") }

func TestSuppressionsAreJudgedOnlyWhereTheirRulesRun(t *testing.T) {
	entries := []string{"rule: wrong-root-key", "rule: mcp-schema/*"}
	p := policyWith(t, entries...)
	p.Suppressions[0].Expires = "2026-01-01"
	for name, flags := range map[string]Flags{
		"the profile leaves it out":          {Profile: "security"},
		"select leaves it out":               {Select: []string{"policy/*"}},
		"the policy's own rules are ignored": {Ignore: []string{"policy/*"}},
	} {
		q := *p
		_ = q.Merge(flags) // which may refuse a run without other rules
		if got := told(q.Apply(nil, nil, today)); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
	q := *p
	if err := q.Merge(Flags{Select: []string{"wrong-root-key"}}); err != nil {
		t.Fatal(err)
	}
	if got := told(q.Apply(nil, nil, today)); strings.Count(got, "\n") != 1 {
		t.Errorf("with the rule selected: %s", got)
	}
	// A verb may run fewer rules than the policy asks for: lint leaves doctor/ out.
	if got := told(p.Apply(nil, nil, today, Ran(nil))); got != "" {
		t.Errorf("with none of the rules run: %s", got)
	}
}

// A pre-commit hook names the changed files: what a suppression hides elsewhere is not known then.
func TestAPartOfTheProjectDoesNotShowThatASuppressionIsUnused(t *testing.T) {
	d := parse(t, "mcp.json", "{\n// mcpassay: ignore[wrong-root-key] owner=o until=2026-12-31 r\n\"servers\": {}}")
	got := told(policyWith(t, "rule: wrong-root-key").Apply(nil, []*source.Doc{d}, today, OnlyPart()))
	if got != "mcp.json:2 info active Suppression of wrong-root-key hides no finding" {
		t.Errorf("%s", got)
	}
}

func TestFindingsOnThePolicyHaveFingerprintsThatOutliveAMove(t *testing.T) {
	prints := func(text string) string {
		p := mustRead(t, "mcpassay.json", text)
		var all []string
		for _, f := range p.Apply(nil, nil, today) {
			all = append(all, f.Fingerprint)
			if f.Location.Pointer == "" || f.Location.Length == 0 || f.Aliases == nil && f.Related == nil {
				t.Errorf("%+v", f)
			}
		}
		return strings.Join(all, " ")
	}
	one := `{"rule": "wrong-root-key", "server": "a", "reason": "r", "owner": "o", "expires": "2026-12-31"}`
	two := strings.Replace(one, `"a"`, `"b"`, 1)
	a := strings.Fields(prints(`{"version": "1", "policy": {"suppressions": [` + one + "," + two + `]}}`))
	b := strings.Fields(prints("{\"version\": \"1\",\n \"policy\": {\"suppressions\": [\n" + two + ",\n" + one + `]}}`))
	if len(a) != 2 || len(b) != 2 || a[0] == a[1] || a[0] != b[1] || a[1] != b[0] {
		t.Errorf("%v %v", a, b)
	}
}

// What a cloned repository says of itself is no answer for doctor and guard.
func TestCommentsMayBeLeftAlone(t *testing.T) {
	d := parse(t, "mcp.json", "{\n\"servers\": {} // mcpassay: ignore[wrong-root-key] owner=o until=2026-12-31 r\n// mcpassay: ignore\n}")
	found := Default().Apply([]finding.Finding{atServers(d)}, []*source.Doc{d}, today, WithoutComments())
	if got := told(found); got != "mcp.json:2 error active" {
		t.Errorf("%s", got)
	}
}

func TestFindingsStayInTheOrderOfTheirPlaces(t *testing.T) {
	d := parse(t, "mcp.json", "{\"a\": 1,\n// mcpassay: ignore\n\"servers\": {}}")
	found := Default().Apply([]finding.Finding{at(d, "/a"), atServers(d)}, []*source.Doc{d}, today)
	if got := told(found); got != `mcp.json:1 error active
mcp.json:2 warning active This comment suppresses nothing: write mcpassay: ignore[rule] owner=NAME until=YYYY-MM-DD why
mcp.json:3 error active` {
		t.Errorf("%s", got)
	}
}

func TestASuppressionMadeInCodeHasItsSourceAsPlace(t *testing.T) {
	p := Default()
	p.Suppressions = []Suppression{{Rule: "wrong-root-key", Reason: "r", Owner: "o", Expires: "2026-12-31"}}
	found := p.Apply(nil, nil, today)
	if len(found) != 1 || found[0].Location.Path != "built-in" || found[0].Rule != "policy/unused-suppression" {
		t.Errorf("%+v", found)
	}
}

func TestAFileHoldsAtMostAsManySuppressionCommentsAsTheLimit(t *testing.T) {
	one := "// mcpassay: ignore[wrong-root-key] owner=o until=2026-12-31 r\n"
	text := "{" + strings.Repeat("\n"+one, limits.Default.Suppressions)
	d := parse(t, "mcp.json", text+"\n\"a\": 1}")
	if got := told(Default().Apply(nil, []*source.Doc{d}, today)); strings.Contains(got, "too many") {
		t.Error("as many as the limit are too many")
	}
	d = parse(t, "mcp.json", text+"\n"+one+"\"a\": 1}")
	got := told(Default().Apply([]finding.Finding{at(d, "/a")}, []*source.Doc{d}, today))
	if !strings.Contains(got, "too many") || !strings.Contains(got, "error active") {
		t.Errorf("one more: %s", got[max(0, len(got)-300):])
	}
}

// What lint does with thousands of findings, thousands of comments and a few suppressions.
func BenchmarkApply(b *testing.B) {
	var text strings.Builder
	text.WriteString("{\"servers\": {\n// mcpassay: ignore[wrong-root-key] owner=o until=2026-12-31 r\n\"a\": {}")
	const servers = 10_000
	for i := range servers {
		fmt.Fprintf(&text, ",\n\"s%d\": {\"url\": \"http://x.example\"} /* %d */", i, i)
	}
	text.WriteString("}}")
	d, err := source.Parse("mcp.json", []byte(text.String()), source.JSON, limits.Default)
	if err != nil {
		b.Fatal(err)
	}
	var found []finding.Finding
	for i := range servers {
		found = append(found, at(d, fmt.Sprintf("/servers/s%d/url", i)))
	}
	p := Default()
	p.Suppressions = []Suppression{{Rule: "*", Server: "none*", Reason: "r", Owner: "o", Expires: "2026-12-31"}}
	for b.Loop() {
		p.Apply(append([]finding.Finding(nil), found...), []*source.Doc{d}, today)
	}
}
