package policy

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

var today = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

func parse(t *testing.T, name, text string) *source.Doc {
	t.Helper()
	format := source.JSON
	switch path.Ext(name) {
	case ".toml":
		format = source.TOML
	case ".yaml":
		format = source.YAML
	}
	doc, err := source.Parse(name, []byte(text), format, limits.Default)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return doc
}

func mustRead(t *testing.T, name, text string) *Policy {
	t.Helper()
	p, err := Read(parse(t, name, text), today)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAProjectFileIsRead(t *testing.T) {
	p := mustRead(t, "mcpassay.yaml", `
version: "1"
servers:
  internal-search: {url: "https://mcp.example.com/mcp"}
policy:
  profile: spec
  failOn: medium
  select:
  ignore: [unused-suppression]
  rules:
    policy/unused-suppression: {severity: error}
    "policy/*": {severity: low}
  suppressions:
    - {rule: mcp-schema/*, server: internal-search, tool: "search_*", path: "sub/**/mcp.json", client: vscode, reason: "gateway adds a prefix", owner: platform, expires: 2027-03-31}
install: {minTrust: 60}
guard:
`)
	if p.Profile.Name != "spec" || p.FailOn != finding.Warning || p.Select != nil || strings.Join(p.Ignore, " ") != "unused-suppression" || p.Source != "mcpassay.yaml" {
		t.Errorf("%+v", p)
	}
	// The full name wins over the pattern, wherever they stand.
	if p.Severity["policy/unused-suppression"] != finding.Error || p.Severity["policy/expired-suppression"] != finding.Info {
		t.Errorf("severities %v", p.Severity)
	}
	if len(p.Suppressions) != 1 {
		t.Fatalf("suppressions %+v", p.Suppressions)
	}
	got := p.Suppressions[0]
	got.node = source.Node{}
	want := Suppression{Rule: "mcp-schema/*", Server: "internal-search", Tool: "search_*", Path: "sub/**/mcp.json", Client: "vscode",
		Reason: "gateway adds a prefix", Owner: "platform", Expires: "2027-03-31"}
	if got != want {
		t.Errorf("%+v", got)
	}
}

// The tool card linter's own keys, in each of the places where it looks for them, and in ours.
func TestTOMLIsReadPlainAndFromTables(t *testing.T) {
	const keys = `
profile = "strict"
select = ["MCP-SCHEMA/WRONG-ROOT-*"]
ignore = ["policy/unused-suppression"]
fail-on = "critical"
[%srules.WRONG-ROOT-KEY]
severity = "note"
[[%ssuppressions]]
server = "internal-search"
rule = "wrong-root-key"
reason = "Gateway namespaces the exported name"
owner = "platform-security"
expires = 2026-12-31
`
	for _, c := range []struct{ name, table string }{
		{"policy.toml", ""},
		{"policy.toml", "mcp-tool-card-linter"},
		{"pyproject.toml", "tool.mcp-tool-card-linter"},
		{"pyproject.toml", "tool.mcpassay"},
		{"conf/other.toml", "tool.mcpassay"},
	} {
		text := fmt.Sprintf(keys, "", "")
		if c.table != "" {
			text = "[project]\nname = \"x\"\n[" + c.table + "]" + fmt.Sprintf(keys, c.table+".", c.table+".")
		}
		p := mustRead(t, c.name, text)
		if p.Profile.Name != "strict" || p.FailOn != finding.Error || len(p.Select) != 1 || len(p.Ignore) != 1 ||
			p.Severity["mcp-schema/wrong-root-key"] != finding.Info || len(p.Suppressions) != 1 ||
			p.Suppressions[0].Expires != "2026-12-31" || p.Suppressions[0].Owner != "platform-security" {
			t.Errorf("%s [%s]: %+v", c.name, c.table, p)
		}
	}
}

func TestAnEmptyPolicyIsTheDefault(t *testing.T) {
	for name, text := range map[string]string{
		"policy.toml": "# nothing yet", "mcpassay.yaml": "version: \"1\"\npolicy:\n", "mcpassay.json": `{"version": "1"}`,
	} {
		if p := mustRead(t, name, text); p.Profile.Name != "production" || p.FailOn != 0 || p.Source != name {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestEveryFaultOfAFileIsNamedWithItsPlaceAndTheNextStep(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"mcpassay.yaml", "", `1:1: the project file is empty: start it with version: "1"`},
		{"mcpassay.yaml", "- a", `1:1: the project file is an array, not a mapping: start it with version: "1"`},
		{"mcpassay.yaml", "policy: {}", `1:1: the project file has no version: start it with version: "1"`},
		{"mcpassay.yaml", "version: 1", `1:10: the version of the project file is not "1": write version: "1", with its quotes`},
		{"mcpassay.yaml", "version: \"1\"\npolcy: {}\nprofile: strict\nnonsense: 1", `2:1: unknown key "polcy": did you mean "policy"?
3:1: unknown key "profile": put it under policy
4:1: unknown key "nonsense": use version, servers, policy, install, guard`},
		{"mcpassay.yaml", "version: \"1\"\nservers: []\npolicy: all\ninstall: 1\nguard: x", `2:10: "servers" is an array, not a mapping: write its keys below it
3:9: "policy" is a string, not a mapping: write its keys below it
4:10: "install" is a number, not a mapping: write its keys below it
5:8: "guard" is a string, not a mapping: write its keys below it`},
		{"mcpassay.json", `{"version": "1", "policy": {"profil": "x", "profile": "strickt", "failOn": "eror", "fail-on": "error", "select": "x",
"ignore": ["wrong-rot-key", "", 3, "mcp-scema/*"], "ignore": [],
"rules": {"wrong-root-key": "error", "nope/zzz": {}, "policy/*": {"severity": "never", "sev": 1}, "policy/*": {"severity": "x"}}}}`,
			`1:29: unknown key "profil": did you mean "profile"?
1:55: unknown profile "strickt": did you mean "strict"?
1:76: unknown severity "eror": did you mean "error"?
1:84: the key "fail-on" stands twice: keep one of the two
1:114: "select" is a string, not a list: write it as a list, ["mcp-urls/missing-path"]
2:12: "wrong-rot-key" matches no rule: did you mean "wrong-root-key"?
2:29: "ignore" is empty: write something, or leave the key out
2:33: "ignore" is a number: write it as a string
2:36: "mcp-scema/*" matches no rule: did you mean "mcp-schema/*"?
2:52: the key "ignore" stands twice: keep one of the two
3:29: "wrong-root-key" is a string, not a mapping: write its keys below it
3:38: "nope/zzz" matches no rule: mcpassay rules lists them
3:54: the key "policy/*" stands twice: keep one of the two
3:124: unknown severity "x": use error, warning, info, never`},
		{"mcpassay.json", `{"version": "1", "policy": {"rules": {"policy/*": {"severity": "never", "sev": 1}}}}`,
			`1:64: a rule's severity is error, warning or info: add the rule to ignore
1:73: unknown key "sev": did you mean "severity"?`},
		{"mcpassay.yaml", "version: \"1\"\npolicy: {ignore: ['*']}", `1:1: select and ignore leave no rule to run: ignore wins over select, name fewer rules`},
		{"policy.toml", "fail-om = \"x\"\nfailOn = 'x'", `1:1: unknown key "fail-om": did you mean "fail-on"?
2:10: unknown severity "x": use error, warning, info, never`},
		{"policy.toml", "profile = 'spec'\nprofile = 'strict'", `2:1: TOML defines this name twice: keep one of the two definitions`},
		{"pyproject.toml", "[project]\nname = 'x'", `1:1: there is no [tool.mcpassay] table: add the table, or name another file with --policy`},
		{"pyproject.toml", "[tool.ruff]\n", `1:2: there is no [tool.mcpassay] table: add the table, or name another file with --policy`},
		{"pyproject.toml", "[tool.mcpassay]\n[tool.mcp-tool-card-linter]\n", `2:7: both [tool.mcpassay] and [tool.mcp-tool-card-linter] hold a policy: policies are never merged, keep one`},
	} {
		_, err := Read(parse(t, c.name, c.text), today)
		checkProblems(t, c.name, c.text, c.want, err)
	}
}

func checkProblems(t *testing.T, name, text, want string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%.60q: no error", text)
		return
	}
	want = name + ":" + strings.ReplaceAll(want, "\n", "\n"+name+":")
	if err.Error() != want {
		t.Errorf("%.60q:\n%v\nwant\n%s", text, err, want)
	}
	var p *Problem
	if !errors.As(err, &p) || p.Path != name || p.Line == 0 || p.Hint == "" {
		t.Errorf("%.60q: problem %+v", text, p)
	}
}

func TestASuppressionNeedsARuleReasonOwnerAndANearEnd(t *testing.T) {
	const whole = `rule: wrong-root-key, reason: r, owner: o, expires: 2026-12-31`
	for _, c := range []struct{ entry, want string }{
		{"{}", `a suppression has no rule: name the rule that it silences
a suppression has no reason: say why the finding is no concern
a suppression has no owner: say who answers for it
a suppression has no expires: say until when, YYYY-MM-DD`},
		{"wrong-root-key", "a suppression is a string, not a mapping: write rule, reason, owner and expires"},
		{"{rule: wrong-rot-key, reason: ' ', owner: [a], expires: soon}", `"wrong-rot-key" matches no rule: did you mean "wrong-root-key"?
"reason" is empty: write something, or leave the key out
"owner" is an array: write it as a string
expires: "soon" is no date: write it as YYYY-MM-DD`},
		{"{" + whole + ", sever: x}", `unknown key "sever": did you mean "server"?`},
		{"{" + whole + ", client: vs-kode}", `unknown client "vs-kode": did you mean`},
		{"{" + whole + ", path: 'a['}", `"a[" is no pattern: escape a bracket that stands for itself: \[`},
		{"{rule: wrong-root-key, reason: r, owner: o, expires: 2026-02-30}", `expires: "2026-02-30" is no date: write it as YYYY-MM-DD`},
		{"{rule: wrong-root-key, reason: r, owner: o, expires: 2027-12-02}", `expires: 2027-12-02 is too far away: a suppression lasts 366 days at most, until 2027-12-01 today`},
		// Of the tool card linter: one entry for everything, until 2099, hid all findings of a hostile server.
		{"{rule: '*', server: '*', tool: '?*', path: '[a-z]*', reason: r, owner: o, expires: 2026-12-31}", `a suppression of every rule, everywhere: name the rule, or a server, tool or path`},
		{"{rule: '*/*', client: vscode, reason: r, owner: o, expires: 2026-12-31}", `a suppression of every rule, everywhere: name the rule, or a server, tool or path`},
		{"{rule: '[^$]*', reason: r, owner: o, expires: 2026-12-31}", `a suppression of every rule, everywhere: name the rule, or a server, tool or path`},
	} {
		_, err := Read(parse(t, "mcpassay.yaml", "version: \"1\"\npolicy:\n  suppressions:\n    - "+c.entry+"\n"), today)
		if err == nil {
			t.Errorf("%s: no error", c.entry)
			continue
		}
		got := strings.Split(err.Error(), "\n")
		want := strings.Split(c.want, "\n")
		if len(got) != len(want) {
			t.Errorf("%s:\n%v\nwant\n%s", c.entry, err, c.want)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], "mcpassay.yaml:4:") || !strings.Contains(got[i], ": "+want[i]) {
				t.Errorf("%s: %q, want %q", c.entry, got[i], want[i])
			}
		}
	}
	for _, entry := range []string{
		"{" + whole + "}",
		"{rule: '*', server: search, reason: r, owner: o, expires: 2027-12-01}",
		"{rule: '*', path: 'vendor/*', reason: r, owner: o, expires: 2020-01-01}", // over, which is a finding, not an error
	} {
		if _, err := Read(parse(t, "mcpassay.yaml", "version: \"1\"\npolicy:\n  suppressions:\n    - "+entry+"\n"), today); err != nil {
			t.Errorf("%s: %v", entry, err)
		}
	}
}

func TestMoreSuppressionsThanTheLimitAreRefused(t *testing.T) {
	file := func(n int) string {
		return `{"version": "1", "policy": {"suppressions": [` + strings.TrimSuffix(strings.Repeat(`{"rule": "wrong-root-key", "reason": "r", "owner": "o", "expires": "2026-12-31"},`, n), ",") + `]}}`
	}
	if p := mustRead(t, "p.json", file(limits.Default.Suppressions)); len(p.Suppressions) != limits.Default.Suppressions {
		t.Errorf("%d are read", len(p.Suppressions))
	}
	if _, err := Read(parse(t, "p.json", file(limits.Default.Suppressions+1)), today); err == nil || !strings.Contains(err.Error(), "513 suppressions, more than 512") {
		t.Errorf("one more: %v", err)
	}
}

func TestAStrangersWordsInAnErrorAreNeutralised(t *testing.T) {
	_, err := Read(parse(t, "mcpassay.json", "{\"version\": \"1\", \"policy\": {\"\\u001b[31m\\u202e\\ufe0f\": 1}}"), today)
	if err == nil || strings.ContainsAny(err.Error(), "\x1b\u202e\ufe0f") {
		t.Errorf("%q", err)
	}
}

// Whatever the bytes, Read answers a policy that may be applied, or problems with their places.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"version": "1", "policy": {"ignore": ["policy/*"], "suppressions": [{"rule": "wrong-root-key", "reason": "r", "owner": "o", "expires": "2026-12-31"}]}}`), byte(source.JSON))
	f.Add([]byte("fail-on = 'high'\n[[suppressions]]\nrule = '*'\nserver = 'a[b-'\nexpires = 2026-12-31T00:00:00Z"), byte(source.TOML))
	f.Add([]byte("[tool.mcpassay]\nselect = ['*']\n[tool.mcpassay.rules.'*']\nseverity = 'low'"), byte(source.TOML))
	f.Add([]byte("version: \"1\"\npolicy: &p\n  rules: {policy/*: {severity: info}}\n  suppressions: [*p, {rule: '*/*', path: x, reason: r, owner: o, expires: 2026-11-30}]"), byte(source.YAML))
	f.Fuzz(func(t *testing.T, raw []byte, format byte) {
		doc, err := source.Parse("f", raw, source.Format(format%3), limits.Default)
		if err != nil {
			return
		}
		p, err := Read(doc, today)
		if (p == nil) == (err == nil) {
			t.Fatalf("policy %v, error %v", p, err)
		}
		if err != nil {
			for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
				if e := e.(*Problem); e.Line < 1 || e.Column < 1 || e.Msg == "" || e.Hint == "" {
					t.Fatalf("problem %+v", e)
				}
			}
			return
		}
		for _, s := range p.Suppressions {
			if s.Rule == "" || s.Reason == "" || s.Owner == "" || s.Expires > "2027-12-01" {
				t.Fatalf("suppression %+v", s)
			}
		}
		found := p.Apply([]finding.Finding{{Rule: "mcp-schema/wrong-root-key", Status: finding.Active, Server: "a"}}, []*source.Doc{doc}, today)
		for _, f := range found {
			if (f.Status == finding.Suppressed) != (f.Suppression != nil) {
				t.Fatalf("finding %+v", f)
			}
		}
	})
}

func TestDeclaredServersAreReadByNameAndURL(t *testing.T) {
	read := func(text string) (*Policy, error) {
		doc, err := source.Parse("mcpassay.yaml", []byte("version: \"1\"\n"+text), source.YAML, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		return Read(doc, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	}
	p, err := read("servers:\n  io.github.example/files: {version: \"^1.2.0\"}\n  search: {url: \"https://mcp.example.com/mcp\"}\n  bare:\n")
	if err != nil || len(p.Servers) != 3 || p.Servers[0].Name != "io.github.example/files" || p.Servers[1].URL != "https://mcp.example.com/mcp" || !p.Servers[2].Node.Valid() {
		t.Errorf("%+v %v", p, err)
	}
	// An empty mapping says that there is nothing; no mapping says nothing.
	if p, err := read("servers: {}\n"); err != nil || p.Servers == nil {
		t.Errorf("%+v %v", p, err)
	}
	if p, err := read("policy: {}\n"); err != nil || p.Servers != nil {
		t.Errorf("%+v %v", p, err)
	}
	for _, bad := range []string{"servers: [a]\n", "servers:\n  a: 7\n", "servers:\n  a: {url: 7}\n", "servers:\n  a: {}\n  a: {}\n"} {
		if _, err := read(bad); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}
