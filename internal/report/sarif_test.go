package report

import (
	"bytes"
	stdjson "encoding/json"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
)

// officialSARIF is the OASIS schema, which go-sarif carries as a constant that it does not export.
func officialSARIF(t *testing.T) *jsonschema.Schema {
	t.Helper()
	pkg, err := build.Import("github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif", ".", build.FindOnly)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(pkg.Dir, "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	value := file.Scope.Lookup("schema").Decl.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value
	value, err = strconv.Unquote(value)
	if err != nil {
		t.Fatal(err)
	}
	return compileSchema(t, []byte(value))
}

func compileSchema(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:///schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validates(s *jsonschema.Schema, doc []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func TestSARIFValidatesAgainstTheOASISSchema(t *testing.T) {
	official := officialSARIF(t)
	if err := validates(official, []byte(`{"version":"2.1.0","runs":[{}]}`)); err == nil {
		t.Fatal("the schema accepts a run without a tool: it is not the schema")
	}
	everyReport(t, func(t *testing.T, name, format string, res *engine.Result, env Env) {
		for _, deterministic := range []bool{true, false} {
			env.Deterministic = deterministic
			if err := validates(official, render(t, "sarif", res, env)); err != nil {
				t.Errorf("deterministic %v: %v", deterministic, err)
			}
		}
	})
	bare := &engine.Result{Findings: []finding.Finding{{Rule: "a/b", Severity: finding.Info}}, Incomplete: []finding.Incomplete{{}}}
	if err := validates(official, render(t, "sarif", bare, Env{})); err != nil {
		t.Errorf("a finding without a place: %v", err)
	}
}

func TestAnotherReaderSeesTheSameSARIF(t *testing.T) {
	log, err := sarif.FromBytes(render(t, "sarif", sample(), sampleEnv()))
	if err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if got, want := len(run.Results), len(sample().Findings); got != want {
		t.Errorf("%d results, want %d", got, want)
	}
	for i, r := range run.Results {
		if id := *run.Tool.Driver.Rules[r.RuleIndex].ID; id != *r.RuleID {
			t.Errorf("result %d: ruleIndex is %q, ruleId %q", i, id, *r.RuleID)
		}
		if len(r.Suppressions) == 0 == (i == 10) {
			t.Errorf("result %d has %d suppressions", i, len(r.Suppressions))
		}
	}
}

// sarifOf reads our own SARIF back.
func sarifOf(t *testing.T, res *engine.Result, env Env) sarifRun {
	t.Helper()
	var log sarifLog
	if err := stdjson.Unmarshal(render(t, "sarif", res, env), &log); err != nil {
		t.Fatal(err)
	}
	return log.Runs[0]
}

func TestSARIFRulesAreThoseThatOccurWithTheirTaxa(t *testing.T) {
	run := sarifOf(t, sample(), sampleEnv())
	var ids []string
	for _, r := range run.Tool.Driver.Rules {
		ids = append(ids, r.ID)
		for _, rel := range r.Relationships {
			c := run.Taxonomies[rel.Target.Component.Index]
			if c.Name != rel.Target.Component.Name || c.Taxa[rel.Target.Index].ID != rel.Target.ID {
				t.Errorf("%s points to %+v, there is %s %s", r.ID, rel.Target, c.Name, c.Taxa[rel.Target.Index].ID)
			}
		}
	}
	if want := []string{"auth/literal-token", "config/no-such-thing", "launch/unpinned-package", "mcp-urls/missing-path"}; !slices.Equal(ids, want) {
		t.Errorf("rules are %q, want %q", ids, want)
	}
	token := run.Tool.Driver.Rules[0]
	if len(token.Relationships) != 3 || token.Properties.SecuritySeverity != "8.0" || !slices.Contains(token.Properties.Tags, "external/cwe/cwe-798") ||
		!slices.Contains(token.Properties.Aliases, "WRD-AUTH-TOKEN-IN-CONFIG") || token.Configuration.Level != "error" {
		t.Errorf("rule is %+v", token)
	}
}

// GitHub code scanning takes a relative URI from the root of the repository whatever its base is
// (github/codeql-action#2215), so only files of the repository may have one.
func TestSARIFPlacesFilesWhereGitHubFindsThem(t *testing.T) {
	env := sampleEnv()
	env.Deterministic = false
	in := func(folder, root string) Env {
		e := env
		e.Abs = func(path string) string {
			if home, ok := strings.CutPrefix(path, "~/"); ok {
				return "/home/ann/" + home
			}
			if filepath.IsAbs(path) {
				return path
			}
			return filepath.Join(folder, path)
		}
		e.GitRoot = func(abs string) (string, bool) { return root, strings.HasPrefix(abs, root+"/") }
		return e
	}
	windows := env
	windows.Abs = func(path string) string { return `C:\Users\Ann Lee\app\` + strings.ReplaceAll(path, "/", `\`) }
	windows.GitRoot = func(string) (string, bool) { return `C:\Users\Ann Lee\app`, true }
	unknown := env
	unknown.Abs, unknown.GitRoot = nil, nil
	deterministic := in("/work/app/sub", "/work/app")
	deterministic.Deterministic = true
	for _, c := range []struct {
		name, path string
		env        Env
		uri, base  string
		root       string
	}{
		{"in a folder of the repository", ".mcp.json", in("/work/app/sub", "/work/app"), "sub/.mcp.json", srcRoot, "file:///work/app/"},
		{"in the home folder", "~/.cursor/mcp.json", in("/work/app", "/work/app"), "file:///home/ann/.cursor/mcp.json", "", "file:///work/app/"},
		{"in another folder that starts the same", "/work/app2/x.json", in("/work/app", "/work/app"), "file:///work/app2/x.json", "", "file:///work/app/"},
		{"no repository", ".vscode/mcp.json", in("/work/app", "/nowhere"), ".vscode/mcp.json", srcRoot, "file:///work/app/"},
		{"nothing known", "a/b.json", unknown, "a/b.json", srcRoot, ""},
		{"nothing known, home", "~/.cursor/mcp.json", unknown, "file:///~/.cursor/mcp.json", "", ""},
		{"nothing known, above", "../x.json", unknown, "file:///x.json", "", ""},
		{"deterministic, home", "~/.cursor/mcp.json", deterministic, "file:///~/.cursor/mcp.json", "", ""},
		{"deterministic, inside", "a.json", deterministic, "sub/a.json", srcRoot, ""},
		{"windows", "sub/.mcp.json", windows, "sub/.mcp.json", srcRoot, "file:///C:/Users/Ann%20Lee/app/"},
		{"hostile", hostilePath, unknown, "a%20b/%1B%5B31m%250A%2C%3A%23%5Bx%5D%28y%29%E2%80%AE/mcp.json", srcRoot, ""},
		{"a colon is no scheme", "javascript:alert(1)", unknown, "javascript%3Aalert%281%29", srcRoot, ""},
		{"not UTF-8", "a\xff.json", unknown, "a%FF.json", srcRoot, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			known := finding.Finding{Rule: "a/b", Location: finding.Location{Path: "z.json"}}
			run := sarifOf(t, &engine.Result{Findings: []finding.Finding{{Rule: "a/b", Location: at(c.path, 1, 1, 0, 1, "")}, known}}, c.env)
			i := slices.IndexFunc(run.Results, func(r sarifResult) bool { return r.Locations[0].Physical.Region.ByteOffset != nil })
			got := run.Results[i].Locations[0].Physical.Artifact
			if got.URI != c.uri || got.BaseID != c.base {
				t.Errorf("uri is %q on %q, want %q on %q", got.URI, got.BaseID, c.uri, c.base)
			}
			if root := run.BaseIDs[srcRoot].URI; root != c.root {
				t.Errorf("root is %q, want %q", root, c.root)
			}
		})
	}
}

func TestSARIFFingerprintsDoNotHoldTheLine(t *testing.T) {
	f := sample().Findings[0]
	before := sarifOf(t, &engine.Result{Findings: []finding.Finding{f}}, sampleEnv()).Results[0]
	f.Location.Line, f.Location.EndLine, f.Location.Offset = 60, 60, 2000
	after := sarifOf(t, &engine.Result{Findings: []finding.Finding{f}}, sampleEnv()).Results[0]
	if before.Fingerprints["primaryLocationLineHash"] != after.Fingerprints["primaryLocationLineHash"] || before.Fingerprints["mcpassay/v1"] != f.Fingerprint {
		t.Errorf("fingerprints: %v and %v", before.Fingerprints, after.Fingerprints)
	}
}

func TestSARIFMessagesHoldNoLinkOfAStranger(t *testing.T) {
	for in, want := range map[string]string{
		"[click](https://evil.example)": `\[click\](https://evil.example)`,
		`a [x] b`:                       `a [x] b`,
		`\[a](1)`:                       `\\\[a\](1)`,
	} {
		if got := sarifText(in).Text; got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestSARIFSaysThatAnIncompleteRunDidNotSucceed(t *testing.T) {
	run := sarifOf(t, sample(), sampleEnv())
	inv := run.Invocations[0]
	if inv.Successful || inv.ExitCode != 2 || len(inv.Notifications) != 3 || inv.Notifications[0].Level != "error" {
		t.Errorf("invocation: %+v", inv)
	}
	env := sampleEnv()
	env.Exit = 1
	if inv := sarifOf(t, &engine.Result{Files: 1}, env).Invocations[0]; !inv.Successful {
		t.Errorf("a run that only found something did succeed: %+v", inv)
	}
}

// What a live server answered is in no file: every place of such a finding is the config entry that named the server, never a
// line of the config that has nothing to do with it.
func TestSARIFPlacesALiveServersFindingAtItsConfigEntry(t *testing.T) {
	entry := finding.Location{Path: ".mcp.json", Line: 7, Column: 5, EndLine: 7, EndColumn: 9, Pointer: "/mcpServers/a"}
	other := finding.Location{Path: ".mcp.json", Pointer: "/tools/0/tools/1"}
	run := sarifOf(t, &engine.Result{
		Subjects: []finding.Subject{{ID: "s1", Kind: "surface", Path: ".mcp.json"}, {ID: "s2", Kind: "server", Parent: "s1", Name: "a", Origin: &entry}},
		Findings: []finding.Finding{{Rule: "card/duplicate-name", Severity: finding.Warning, Message: "m", Subject: "s2", Server: "a",
			Location: finding.Location{Path: ".mcp.json", Pointer: "/tools/0/tools/0"}, Related: []finding.Related{{Message: "b", Location: &other}}}},
	}, sampleEnv())
	r := run.Results[0]
	for _, l := range append(r.Locations, r.Related...) {
		if l.Physical.Region == nil || l.Physical.Region.StartLine != 7 {
			t.Errorf("%+v", l.Physical)
		}
	}
	if r.Related[0].Logical[0].Path != other.Pointer {
		t.Errorf("%+v", r.Related[0].Logical)
	}
}

func TestALongNameLeavesRoomForWhatIsSaid(t *testing.T) {
	env := sampleEnv()
	env.Width = 80
	long := strings.Repeat("n", 30)
	rep := Build(&engine.Result{Findings: []finding.Finding{
		{Rule: "card/x", Severity: finding.Warning, Message: strings.Repeat("word ", 12) + "end", Server: "a", Tool: long, Location: finding.Location{Path: ".mcp.json", Pointer: "/t"}},
	}}, env)
	var b bytes.Buffer
	if err := Write(&b, "text", rep, env); err != nil {
		t.Fatal(err)
	}
	if out := b.String(); !strings.Contains(out, "a/"+long+"\n") || !strings.Contains(out, "warning  "+strings.Repeat("word ", 12)) {
		t.Errorf("%s", out)
	}
}

func TestWhatIsSaidOfAServerDoesNotStandUnderItsTool(t *testing.T) {
	env := sampleEnv()
	env.Width = 80
	at := finding.Location{Path: "http://127.0.0.1:1/mcp", Pointer: "/t"}
	rep := Build(&engine.Result{Findings: []finding.Finding{
		{Rule: "card/x", Severity: finding.Info, Message: "of a tool", Server: at.Path, Tool: strings.Repeat("n", 30), Location: at},
		{Rule: "endpoint/x", Severity: finding.Warning, Message: "of the server", Server: at.Path, Location: at},
		{Rule: "endpoint/y", Severity: finding.Warning, Message: "of the server too", Server: at.Path, Location: at},
	}}, env)
	var b bytes.Buffer
	if err := Write(&b, "text", rep, env); err != nil {
		t.Fatal(err)
	}
	if out := b.String(); strings.Count(out, "  (server)\n    warning  of the server") != 1 || strings.Count(out, "(server)") != 1 {
		t.Errorf("%s", out)
	}
}

func TestInfosOfServersAreNotCountedInFiles(t *testing.T) {
	at := finding.Location{Path: "https://a.example/mcp", Pointer: "/t"}
	f := finding.Finding{Rule: "endpoint/x", Severity: finding.Info, Message: "m", Server: at.Path, Location: at}
	g := f
	g.Message = "n"
	var b bytes.Buffer
	if err := Write(&b, "text", Build(&engine.Result{Findings: []finding.Finding{f, g}}, sampleEnv()), sampleEnv()); err != nil {
		t.Fatal(err)
	}
	if out := b.String(); !strings.Contains(out, "endpoint/x: 2 findings (-v lists them)") {
		t.Errorf("%s", out)
	}
}
