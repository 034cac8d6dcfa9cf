package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/test/registry"
)

// packageTools are the tools of serve that do what package verbs do.
var packageTools = []string{"mcpassay_search", "mcpassay_info", "mcpassay_verify", "mcpassay_diff", "mcpassay_audit", "mcpassay_up", "mcpassay_install", "mcpassay_setup"}

type packageCase struct {
	tool      string
	arguments any
	verb      []string
	// fails is what the tool says where it fails, "" where it answers.
	fails string
}

// mcpm-contracts, "MCP tool-result shapes": "Both return schemaVersion: 1, advertise an MCP outputSchema, and return the same object in
// structuredContent and the existing JSON text block"; "On a handler failure, the MCP result has isError: true and no structured success
// evidence". What a tool answers is what its verb prints with --json.
func TestPackageToolsAnswerWhatTheirVerbsPrint(t *testing.T) {
	dir := bazaar(t)
	tools := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(`{"tools":[{"name":"add","description":"`+text+`","inputSchema":{"type":"object"}}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tools("a.tools.json", "Adds.")
	tools("b.tools.json", "Adds two numbers.")
	outside := filepath.Join(t.TempDir(), "c.json")
	if err := os.WriteFile(outside, []byte(`{"tools":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []packageCase{
		{"mcpassay_search", map[string]any{"query": "example"}, []string{"search", "example", "--json"}, ""},
		{"mcpassay_search", map[string]any{"query": "gone", "includeDeleted": true, "limit": 5}, []string{"search", "gone", "--include-deleted", "--limit", "5", "--json"}, ""},
		{"mcpassay_search", map[string]any{"query": "nothing-of-the-kind"}, []string{"search", "nothing-of-the-kind", "--json"}, ""},
		{"mcpassay_search", map[string]any{"query": "--help"}, []string{"search", "--json", "--", "--help"}, ""},
		{"mcpassay_search", map[string]any{"query": "ab"}, nil, "too short"},
		{"mcpassay_search", map[string]any{"query": ""}, nil, "search needs a part of a name"},
		{"mcpassay_search", map[string]any{"query": "files", "limit": 101}, nil, "101 is no number of servers"},
		{"mcpassay_search", map[string]any{"query": strings.Repeat("a", 201)}, nil, "more than 200 characters"},
		{"mcpassay_search", map[string]any{"query": "a\nb"}, nil, "control character"},
		{"mcpassay_search", map[string]any{"words": "x"}, nil, "this tool takes query"},
		{"mcpassay_info", map[string]any{"name": "io.github.example/files"}, []string{"info", "io.github.example/files", "--json"}, ""},
		{"mcpassay_info", map[string]any{"name": "io.github.example/files", "version": "^1.2.0"}, []string{"info", "io.github.example/files@^1.2.0", "--json"}, ""},
		{"mcpassay_info", map[string]any{"name": "com.example/gone"}, []string{"info", "com.example/gone", "--json"}, ""},
		{"mcpassay_info", map[string]any{"name": "com.example/nowhere"}, nil, "there is no com.example/nowhere"},
		{"mcpassay_info", map[string]any{}, nil, "name is missing"},
		{"mcpassay_info", map[string]any{"name": "io.github.example/files", "offline": true, "version": "9.9.9"}, nil, "9.9.9"},
		{"mcpassay_verify", map[string]any{}, []string{"verify", "--json", "--no-values"}, ""},
		{"mcpassay_verify", map[string]any{"offline": true}, []string{"verify", "--json", "--no-values", "--offline"}, ""},
		{"mcpassay_verify", map[string]any{"lock": "a.tools.json"}, []string{"verify", "--json", "--no-values", "--lock", "./a.tools.json"}, ""},
		{"mcpassay_verify", map[string]any{"lock": "../x.lock"}, nil, "no path below the working folder"},
		{"mcpassay_verify", map[string]any{"lock": outside}, nil, "no path below the working folder"},
		{"mcpassay_verify", map[string]any{"config": "nowhere.json"}, nil, "it is not there"},
		{"mcpassay_verify", map[string]any{"live": true}, nil, "this tool takes"},
		{"mcpassay_diff", map[string]any{"before": "a.tools.json", "after": "b.tools.json"}, []string{"diff", "a.tools.json", "b.tools.json", "--json"}, ""},
		{"mcpassay_diff", map[string]any{"before": "a.tools.json", "after": "a.tools.json"}, []string{"diff", "a.tools.json", "a.tools.json", "--json"}, ""},
		{"mcpassay_diff", map[string]any{"before": "a.tools.json"}, nil, "no path below the working folder"},
		{"mcpassay_diff", map[string]any{"before": "a.tools.json", "after": "--help"}, nil, "it is not there"},
	}
	cases = append(cases,
		packageCase{"mcpassay_audit", map[string]any{}, []string{"audit", "--report-json"}, ""},
		packageCase{"mcpassay_audit", map[string]any{"offline": true}, []string{"audit", "--report-json", "--offline"}, ""},
		packageCase{"mcpassay_audit", map[string]any{"fix": true}, nil, "this tool takes"},
		packageCase{"mcpassay_up", map[string]any{}, []string{"up", "--json", "--ci", "--dry-run"}, ""},
		packageCase{"mcpassay_up", map[string]any{"frozen": true}, []string{"up", "--json", "--ci", "--dry-run", "--frozen"}, ""},
		packageCase{"mcpassay_up", map[string]any{"stackFile": "../mcpassay.yaml"}, nil, "no path below the working folder"},
		packageCase{"mcpassay_up", map[string]any{"client": "cursor,zed"}, nil, "client is one name"},
		packageCase{"mcpassay_install", map[string]any{"name": "io.github.example/files"}, []string{"add", "--json", "--yes", "--min-trust=50", "--dry-run", "io.github.example/files"}, ""},
		packageCase{"mcpassay_install", map[string]any{"name": "io.github.example/files", "version": "~1.0", "minTrustScore": 30}, []string{"add", "--json", "--yes", "--min-trust=30", "--dry-run", "io.github.example/files@~1.0"}, ""},
		packageCase{"mcpassay_install", map[string]any{"name": "io.github.example/files", "minTrustScore": 10}, nil, "minTrustScore is 25 to 100"},
		// "mcpm_install on a server the registry marks deleted now refuses (the tool call errors; nothing is written)".
		packageCase{"mcpassay_install", map[string]any{"name": "com.example/gone"}, nil, "deleted"},
		packageCase{"mcpassay_install", map[string]any{"name": "com.example/nowhere"}, nil, "com.example/nowhere"},
		packageCase{"mcpassay_install", map[string]any{"name": "npm:left-pad"}, nil, "no name of the registry"},
		packageCase{"mcpassay_install", map[string]any{"name": "https://mcp.example.com/mcp"}, nil, "no name of the registry"},
		packageCase{"mcpassay_install", map[string]any{"name": "--yes/x"}, nil, "no name of the registry"},
		packageCase{"mcpassay_install", map[string]any{"name": ""}, nil, "no name of the registry"},
		packageCase{"mcpassay_setup", map[string]any{"description": "set up the server for me"}, nil, "names nothing to look for"},
		packageCase{"mcpassay_setup", map[string]any{"description": strings.Repeat("word ", 300)}, nil, "more than 1000 characters"},
	)
	if err := os.Symlink(outside, filepath.Join(dir, "link.json")); err == nil {
		cases = append(cases, packageCase{"mcpassay_diff", map[string]any{"before": "a.tools.json", "after": "link.json"}, nil, "a link leads out"})
	}
	messages := []string{`{"jsonrpc":"2.0","id":"tools","method":"tools/list"}`}
	for i, c := range cases {
		if c.fails == "" { // calls are answered side by side: what one keeps of the registry is there before another reads it offline
			shownBy(t, dir, "", c.verb...)
		}
		messages = append(messages, toolCall(i, c.tool, c.arguments))
	}
	answers := served(t, dir, messages...)
	outputs := outputSchemas(t, answers[`"tools"`])
	called := map[string]bool{}
	for i, c := range cases {
		called[c.tool] = true
		var r struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
			IsError           bool
		}
		if err := json.Unmarshal(answers[fmt.Sprint(i)], &r); err != nil || len(r.Content) != 1 {
			t.Errorf("%s %v: %v, %s", c.tool, c.arguments, err, answers[fmt.Sprint(i)])
			continue
		}
		if c.fails != "" {
			if !r.IsError || r.StructuredContent != nil || !strings.Contains(r.Content[0].Text, c.fails) {
				t.Errorf("%s %v: %s, want a failure with %q", c.tool, c.arguments, answers[fmt.Sprint(i)], c.fails)
			}
			continue
		}
		if r.IsError {
			t.Errorf("%s %v failed: %s", c.tool, c.arguments, r.Content[0].Text)
			continue
		}
		if r.Content[0].Text != string(r.StructuredContent) {
			t.Errorf("%s %v: the text is another object: %s", c.tool, c.arguments, r.Content[0].Text)
		}
		var v map[string]any
		if err := json.Unmarshal(r.StructuredContent, &v); err != nil {
			t.Fatal(err)
		}
		if err := outputs[c.tool].Validate(any(v)); err != nil {
			t.Errorf("%s %v does not keep to its own schema: %v", c.tool, c.arguments, err)
		}
		if v["schemaVersion"] != 1.0 {
			t.Errorf("%s: schemaVersion %v", c.tool, v["schemaVersion"])
		}
		if a, b := timeless(t, r.StructuredContent), timeless(t, shownBy(t, dir, "", c.verb...)); a != b {
			t.Errorf("%s %v says\n%s\nand the verb\n%s", c.tool, c.arguments, a, b)
		}
		if strings.Contains(string(r.StructuredContent), registry.Secret) {
			t.Errorf("%s %v holds a secret", c.tool, c.arguments)
		}
	}
	for _, name := range []string{"mcpassay.lock", "home"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was written without --allow-write", name)
		}
	}
	for _, name := range packageTools {
		if !called[name] || outputs[name] == nil {
			t.Errorf("no case calls %s, or it has no schema", name)
		}
	}
}

// bazaar is a folder with a project, and registries of our own making.
func bazaar(t *testing.T) string {
	t.Helper()
	s := registry.New()
	t.Cleanup(s.Close)
	t.Setenv("MCPASSAY_REGISTRY", s.URL+"/two-pages")
	t.Setenv("npm_config_registry", s.URL+"/npm")
	t.Setenv("UV_DEFAULT_INDEX", s.URL+"/pypi/simple")
	t.Setenv("MCPASSAY_OSV", s.URL+"/osv")
	t.Setenv("ROOT", "/srv/data")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mcpassay.yaml"), []byte("version: \"1\"\nservers: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// setupAnswer is what mcpassay_setup answers.
type setupAnswer struct {
	SchemaVersion           int
	DryRun                  bool
	Keywords                []string
	Installed, WouldInstall []struct{ Keyword, Name, Version string }
	Skipped                 []struct{ Keyword, Name, Reason string }
}

func setUp(t *testing.T, dir string, flags ...string) (r setupAnswer, raw string) {
	t.Helper()
	answers := servedWith(t, dir, flags, `{"jsonrpc":"2.0","id":"tools","method":"tools/list"}`,
		toolCall(1, "mcpassay_setup", map[string]any{"description": "Please set up the files server, files again, and gone; also nothing-there."}))
	var a struct {
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(answers["1"], &a); err != nil || a.IsError {
		t.Fatalf("%v %s", err, answers["1"])
	}
	var v any
	if err := errors.Join(json.Unmarshal(a.StructuredContent, &r), json.Unmarshal(a.StructuredContent, &v)); err != nil {
		t.Fatal(err)
	}
	if err := outputSchemas(t, answers[`"tools"`])["mcpassay_setup"].Validate(v); err != nil {
		t.Error(err)
	}
	return r, string(a.StructuredContent)
}

// mcpm-contracts: "mcpm_setup drops such a match before choosing a keyword's best candidate and reports it in skipped with the same
// message instead of installing it, so skipped can now hold a row for a deleted server alongside an install for the same keyword."
func TestSetupTakesTheBestCandidateAndListsTheDeletedOnes(t *testing.T) {
	dir := bazaar(t)
	r, raw := setUp(t, dir)
	if r.SchemaVersion != 1 || !r.DryRun || len(r.Installed) != 0 || fmt.Sprint(r.Keywords) != "[files again gone nothing-there]" {
		t.Errorf("%s", raw)
	}
	if len(r.WouldInstall) != 1 || r.WouldInstall[0].Name != "io.github.example/files" || r.WouldInstall[0].Keyword != "files" {
		t.Errorf("%s", raw)
	}
	deleted := false
	for _, s := range r.Skipped {
		deleted = deleted || s.Keyword == "gone" && s.Name == "com.example/gone" && strings.HasPrefix(s.Reason, "it was deleted from the registry: ")
	}
	if !deleted || strings.Contains(raw, registry.Secret) {
		t.Errorf("%s", raw)
	}
	if _, err := os.Stat(filepath.Join(dir, "mcpassay.lock")); err == nil {
		t.Error("a lock was written without --allow-write")
	}
	if r, raw = setUp(t, dir, "--allow-write"); r.DryRun || len(r.Installed) != 1 || len(r.WouldInstall) != 0 {
		t.Errorf("%s", raw)
	}
	for _, name := range []string{"mcpassay.lock", "mcpassay.yaml"} {
		if said, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(said), "io.github.example/files") {
			t.Errorf("%s: %v %s", name, err, said)
		}
	}
}

// Whatever writes is a dry run unless the server was started with --allow-write, which goes with standard input alone.
func TestOnlyAServerThatMayWriteWrites(t *testing.T) {
	dir := bazaar(t)
	call := toolCall(1, "mcpassay_install", map[string]any{"name": "io.github.example/files", "dryRun": false})
	for _, c := range []struct {
		flags []string
		call  string
		dry   bool
	}{{nil, call, true}, {[]string{"--allow-write"}, strings.Replace(call, "false", "true", 1), true}, {[]string{"--allow-write"}, call, false}} {
		var r struct {
			StructuredContent struct{ Installed, DryRun bool }
			IsError           bool
		}
		answers := servedWith(t, dir, c.flags, `{"jsonrpc":"2.0","id":"tools","method":"tools/list"}`, c.call)
		if err := json.Unmarshal(answers["1"], &r); err != nil || r.IsError || r.StructuredContent.DryRun != c.dry || r.StructuredContent.Installed == c.dry {
			t.Errorf("%v: %v %s", c.flags, err, answers["1"])
		}
		if _, err := os.Stat(filepath.Join(dir, "mcpassay.lock")); (err == nil) == c.dry {
			t.Errorf("%v: the lock: %v", c.flags, err)
		}
		var l struct {
			Tools []struct {
				Name        string
				Annotations struct{ ReadOnlyHint, DestructiveHint bool }
			}
		}
		if err := json.Unmarshal(answers[`"tools"`], &l); err != nil {
			t.Fatal(err)
		}
		for _, k := range l.Tools {
			writes := c.flags != nil && (k.Name == "mcpassay_up" || k.Name == "mcpassay_install" || k.Name == "mcpassay_setup")
			if k.Annotations.ReadOnlyHint == writes || k.Annotations.DestructiveHint != writes {
				t.Errorf("%v: %s says %+v", c.flags, k.Name, k.Annotations)
			}
		}
	}
	cmd := process(t, dir, "serve", "--http", "127.0.0.1:0", "--allow-write")
	if out, err := cmd.CombinedOutput(); err == nil || cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "--allow-write is for standard input") {
		t.Errorf("%v %s", err, out)
	}
}

// timeless is comparable without when a registry was asked.
func timeless(t *testing.T, doc []byte) string {
	t.Helper()
	var v map[string]json.RawMessage
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatalf("%v in %.300s", err, doc)
	}
	delete(v, "source")
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return comparable(t, raw)
}

// Over HTTP a caller is a stranger: what looks at this machine's project, and asks registries in its name, is not offered.
func TestPackageToolsAreNotOfferedOverHTTP(t *testing.T) {
	endpoint, interrupt := listening(t, nil, "--http", "127.0.0.1:0")
	defer interrupt()
	status, body := post(t, endpoint, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if status != 200 || !strings.Contains(body, "lint_config") {
		t.Fatalf("%d %s", status, body)
	}
	for _, name := range packageTools {
		if strings.Contains(body, name) {
			t.Errorf("%s is offered", name)
		}
	}
}

// A manifest that an agent sends is judged in no place: nothing of this machine lies beside it.
func TestAManifestIsJudgedForAnAgentInNoPlace(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"name":"@example/notes","version":"9.9.9"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	config := `{"name":"com.example/notes","description":"d","version":"1.0.0","packages":[{"registryType":"npm","identifier":"@example/notes","version":"1.0.0","transport":{"type":"http"}}]}`
	answers := served(t, dir, toolCall(1, "lint_config", map[string]string{"config": config, "name": "server.json"}))
	said := string(answers["1"])
	if !strings.Contains(said, "registry/wrong-value") || strings.Contains(said, "9.9.9") || strings.Contains(said, "unproven-ownership") {
		t.Error(said)
	}
}
