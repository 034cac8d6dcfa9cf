package edit

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/source"
)

func open(t *testing.T, id, path, text string) *File {
	t.Helper()
	c, ok := client.ByID(id)
	if !ok {
		t.Fatalf("no client %s", id)
	}
	f := client.Identify(client.Where{Path: path, Root: "/p", Client: c, Env: client.Env{OS: "linux", Home: "/home/u"}})
	if text == "absent" {
		return Open(f, nil, "linux", limits.Default)
	}
	return Open(f, []byte(text), "linux", limits.Default)
}

func spec(change ...func(*client.Spec)) client.Spec {
	s := client.Spec{Name: "new", Transport: client.Stdio, Command: client.Plain("npx"), Args: []client.Text{client.Plain("-y"), client.Plain("@x/y@1.0.0")}}
	for _, c := range change {
		c(&s)
	}
	return s
}

func put(t *testing.T, f *File, s client.Spec) *Result {
	t.Helper()
	res, err := f.Put(s)
	if err != nil {
		t.Fatalf("%s: %v", f.Path, err)
	}
	return res
}

func TestEveryClientsFileIsMadeChangedAndLeftAsItWas(t *testing.T) {
	for _, c := range client.Table() {
		if c.Kind != client.Program {
			continue
		}
		for i := range c.Locations {
			l := &c.Locations[i]
			f := &client.File{Path: l.Path, Client: c, Loc: l, Scope: l.Scope}
			if _, ok := f.Dialect("linux").Root(); !ok || l.Reads == client.ReadsNo {
				continue
			}
			before := []string{""}
			switch f.Dialect("linux").Format {
			case client.FormatTOML:
				before = append(before, "model = \"m\" # mine\n", "[other]\nx = 1")
			case client.FormatYAML:
				before = append(before, "name: x # mine\nversion: 1.0.0\nschema: v1\n")
			default:
				before = append(before, "{}", "{\n\t\"theme\": \"dark\"\n}\n", "\xEF\xBB\xBF{\"theme\": 1}\r\n")
			}
			for _, text := range before {
				e := Open(f, []byte(text), "linux", limits.Default)
				one := put(t, e, spec())
				two := put(t, one.After, spec(func(s *client.Spec) { s.Name = "second" }))
				changed := put(t, two.After, spec(func(s *client.Spec) { s.Args[1] = client.Plain("@x/y@2.0.0") }))
				if strings.Replace(string(changed.After.Raw), "@2.0.0", "@1.0.0", 1) != string(two.After.Raw) {
					t.Errorf("%s of %s: a new version changed\n%s\nto\n%s", l.Path, c.ID, two.After.Raw, changed.After.Raw)
				}
				again := put(t, changed.After, spec())
				rest, err := again.After.Take("second", two.Undo)
				if err != nil {
					t.Fatal(err)
				}
				back, err := rest.After.Take("new", one.Undo)
				if err != nil {
					t.Fatal(err)
				}
				if text != "" && string(back.After.Raw) != text {
					t.Errorf("%s of %s: %q became %q", l.Path, c.ID, text, back.After.Raw)
				}
				if text == "" && len(back.After.Servers) > 0 {
					t.Errorf("%s of %s still holds %q", l.Path, c.ID, back.After.Raw)
				}
			}
		}
	}
}

// microsoft/vscode#281583: adding a server through the editor deleted all comments. Chemaclass/agnostic-ai#757: inputs and
// sandbox were dropped while entries still named them.
func TestCommentsInputsAndSandboxStayInVSCode(t *testing.T) {
	const before = "{\n\t// our servers\n\t\"inputs\": [{\"id\": \"token\", \"type\": \"promptString\", \"password\": true},],\n\t\"servers\": {\n" +
		"\t\t\"github\": {\n\t\t\t\"type\": \"http\", \"url\": \"https://a.example/mcp\",\n\t\t\t\"headers\": {\"Authorization\": \"Bearer ${input:token}\"},\n\t\t},\n" +
		"\t\t// \"old\": {\"command\": \"x\"},\n\t},\n\t\"sandbox\": {\"network\": false},\n}\n"
	res := put(t, open(t, "vscode", ".vscode/mcp.json", before), spec())
	const added = "\n\t\t\"new\": {\n\t\t\t\"command\": \"npx\",\n\t\t\t\"args\": [\"-y\", \"@x/y@1.0.0\"]\n\t\t},"
	if got := string(res.After.Raw); strings.Replace(got, added, "", 1) != before || got == before {
		t.Errorf("got\n%s", got)
	}
}

// google-gemini/gemini-cli#7840: an add replaced all of settings.json. tylergraydev/claude-code-tool-manager#191: a file
// was emptied by a tool that knew of no servers.
func TestAFileThatDoesNotParseIsLeftAlone(t *testing.T) {
	for _, text := range []string{"{\"theme\": \"x\", \"mcpServers\": {\"a\": {\"command\": \"x\"} \"b\": {}}}", "{", "[1]", "{\"mcpServers\": []}", "{\"mcpServers\": 3}", "// only a comment\n"} {
		f := open(t, "gemini-cli", ".gemini/settings.json", text)
		if _, err := f.Put(spec()); !refused(err) {
			t.Errorf("%s: %v", text, err)
		}
	}
	f := open(t, "gemini-cli", ".gemini/settings.json", "{\n  // mine\n  \"theme\": \"x\",\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"},\n    \"b\": {\"command\": \"y\"}\n  }\n}\n")
	res := put(t, f, spec())
	for _, kept := range []string{"// mine", "\"theme\": \"x\",", "\"a\": {\"command\": \"x\"},", "\"b\": {\"command\": \"y\"},"} {
		if !strings.Contains(string(res.After.Raw), kept) {
			t.Errorf("%s is gone from\n%s", kept, res.After.Raw)
		}
	}
	if res, err := f.Take("zz", source.Undo{}); err != nil || res.Changed {
		t.Errorf("a server that is not there: %+v, %v", res, err)
	}
}

func refused(err error) bool {
	var r *Refusal
	return errors.As(err, &r)
}

func TestAChangeTouchesNothingBesideTheFieldsThatDiffer(t *testing.T) {
	for _, c := range []struct {
		id, path, before, want string
		change                 func(*client.Spec)
	}{
		{"kiro", ".kiro/settings/mcp.json",
			"{\"mcpServers\": {\n  \"new\": {\"autoApprove\": [\"read\"], \"args\": [\n    \"-y\", // yes\n    \"@x/y@0.9.0\"], \"command\": \"npx\", \"env\": {}, \"x\": 1}\n}}\n",
			"{\"mcpServers\": {\n  \"new\": {\"autoApprove\": [\"read\"], \"args\": [\n    \"-y\", // yes\n    \"@x/y@1.0.0\"], \"command\": \"npx\", \"env\": {}, \"x\": 1}\n}}\n", nil},
		{"cursor", ".cursor/mcp.json",
			"{\n  \"mcpServers\": {\n    \"new\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"@x/y@1.0.0\"]\n    }\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"new\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"@x/y@1.0.0\"],\n      \"env\": {\n        \"A\": \"1\"\n      }\n    }\n  }\n}\n",
			func(s *client.Spec) { s.Env = []client.Setting{{Name: "A", Value: client.Plain("1")}} }},
		{"codex", ".codex/config.toml",
			"[mcp_servers.new]\ncommand = \"npx\" # c\nargs = [\"-y\", \"@x/y@0.9.0\"]\nstartup_timeout_sec = 20\n\n[mcp_servers.new.env]\nA = \"0\" # a\nB = \"2\"\n\n[z]\n",
			"[mcp_servers.new]\ncommand = \"npx\" # c\nargs = [\"-y\", \"@x/y@1.0.0\"]\nstartup_timeout_sec = 20\ncwd = \"/srv\"\n\n[mcp_servers.new.env]\nA = \"1\" # a\n\n[z]\n",
			func(s *client.Spec) {
				s.Env, s.Cwd = []client.Setting{{Name: "A", Value: client.Plain("1")}}, client.Plain("/srv")
			}},
		{"windsurf", "~/.codeium/windsurf/mcp_config.json",
			"{\"mcpServers\": {\"new\": {\"url\": \"https://a.example/mcp\", \"type\": \"http\", \"disabledTools\": [\"x\"]}}}",
			"{\"mcpServers\": {\"new\": {\"url\": \"https://b.example/mcp\", \"type\": \"http\", \"disabledTools\": [\"x\"]}}}",
			func(s *client.Spec) {
				*s = client.Spec{Name: "new", Transport: client.HTTP, URL: client.Plain("https://b.example/mcp")}
			}},
		{"claude-code", ".mcp.json",
			"{\"mcpServers\": {\"new\": {\"type\": \"stdio\", \"command\": \"x\", \"args\": [], \"env\": {\"A\": \"1\"}}}}",
			"{\"mcpServers\": {\"new\": {\"type\": \"http\", \"args\": [], \"url\": \"https://b.example/mcp\"}}}",
			func(s *client.Spec) {
				*s = client.Spec{Name: "new", Transport: client.HTTP, URL: client.Plain("https://b.example/mcp")}
			}},
		{"goose", "~/.config/goose/config.yaml",
			"extensions:\n  new: # n\n    name: new\n    type: stdio\n    cmd: npx\n    args: [-y, '@x/y@0.9.0'] # a\n    enabled: true\n    bundled: null\n",
			"extensions:\n  new: # n\n    name: new\n    type: stdio\n    cmd: npx\n    args: [-y, \"@x/y@1.0.0\"] # a\n    enabled: true\n    bundled: null\n", nil},
		{"opencode", "opencode.json",
			"{\"mcp\": {\"new\": {\"type\": \"local\", \"command\": [\"npx\", \"-y\", \"@x/y@1.0.0\"], \"enabled\": false}}}",
			"{\"mcp\": {\"new\": {\"type\": \"local\", \"command\": [\"npx\", \"-y\", \"@x/y@1.0.0\"]}}}", nil},
	} {
		if c.change == nil {
			c.change = func(*client.Spec) {}
		}
		f := open(t, c.id, c.path, c.before)
		res := put(t, f, spec(c.change))
		if got := string(res.After.Raw); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.id, got, c.want)
		}
		if again := put(t, res.After, spec(c.change)); again.Changed {
			t.Errorf("%s: changed again:\n%s", c.id, again.After.Raw)
		}
	}
}

func TestWhatIsSharedOrAmbiguousIsRefused(t *testing.T) {
	for _, c := range []struct{ id, path, text string }{
		{"goose", "~/.config/goose/config.yaml", "x: &x {type: stdio, cmd: npx, enabled: true}\nextensions:\n  new: *x\n"},
		{"codex", ".codex/config.toml", "[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.a]\ncommand = \"y\"\n"},
		{"claude-code", ".claude/mcp.json", "{}"},
	} {
		if _, err := open(t, c.id, c.path, c.text).Put(spec()); !refused(err) {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

// Servers that Claude Code keeps for one project are nobody's to change who asked for the user's.
func TestAProjectsOwnServersStayInClaudeCodesFile(t *testing.T) {
	const before = "{\n  \"projects\": {\n    \"/p\": {\n      \"mcpServers\": {\n        \"new\": {\"command\": \"local\"}\n      }\n    }\n  },\n  \"mcpServers\": {}\n}\n"
	f := open(t, "claude-code", "~/.claude.json", before)
	if f.Server("new") != nil {
		t.Fatal("the project's server is taken for the user's")
	}
	res := put(t, f, spec())
	back, err := res.After.Take("new", res.Undo)
	if err != nil || string(back.After.Raw) != before {
		t.Errorf("%v\n%s", err, back.After.Raw)
	}
	if res.Map != "/mcpServers" {
		t.Errorf("it went to %s", res.Map)
	}
}

func TestAChangeHasAnEnd(t *testing.T) {
	f := open(t, "cursor", ".cursor/mcp.json", `{"mcpServers": {"new": {"command": "a", "args": ["b", "c"], "env": {"D": "e"}}}}`)
	f.Limits.EditSteps = 2
	if _, err := f.Put(spec()); !refused(err) || !strings.Contains(err.Error(), "more than 2 edits") {
		t.Errorf("%v", err)
	}
	f.Limits.EditSteps = 6
	put(t, f, spec())
}
