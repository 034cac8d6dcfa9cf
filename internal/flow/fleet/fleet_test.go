package fleet

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
)

// memory is a file system of a few files by absolute path.
type memory map[string]string

func (m memory) Read(path string, max int, base string) (load.Content, error) {
	text, ok := m[path]
	switch {
	case !ok:
		return load.Content{}, &load.Refusal{Reason: "missing"}
	case text == "link":
		return load.Content{}, &load.Refusal{Reason: "symlink", Detail: "is reached through a symbolic link"}
	}
	return load.Content{Bytes: []byte(text), Identity: path}, nil
}

func (m memory) Exists(path string) bool { _, ok := m[path]; return ok }
func (m memory) Absent(path string) bool { return !m.Exists(path) }

func (m memory) Expand(c client.Candidate) []string {
	if c.Pattern != "" {
		return nil
	}
	return []string{c.Path}
}

func look(files memory, clients ...string) *Fleet { return Look(files, options(files, clients...)) }

func options(files memory, clients ...string) Options {
	o := Options{Env: client.Env{OS: "linux", Home: "/home/u", Getenv: func(string) string { return "" }}, Cwd: "/home/u/p/sub", Limits: limits.Default,
		Shown: func(abs string) string { return abs }}
	for _, id := range clients {
		c, _ := client.ByID(id)
		o.Clients = append(o.Clients, c)
	}
	files["/home/u/p/.git"] = ""
	return o
}

const (
	claudeFile = "/home/u/.claude.json"
	cursorFile = "/home/u/.cursor/mcp.json"
	codexFile  = "/home/u/.codex/config.toml"
)

func TestWhatIsInStepAndWhatIsNot(t *testing.T) {
	for _, c := range []struct {
		name  string
		files memory
		// want is a line a server: name, scope, present, absent, malformed, fields of a conflict.
		want  string
		drift int
	}{
		{"one client alone", memory{claudeFile: `{"mcpServers": {"a": {"command": "x"}}}`}, "a user claude-code - - -", 0},
		{"by meaning", memory{claudeFile: `{"mcpServers": {"a": {"command": "npx", "args": ["-y", "p", "${K}"]}}}`, cursorFile: `{"mcpServers": {"a": {"command": "cmd", "args": ["/c", "npx", "p", "${env:K}"], "env": {}}}}`},
			"a user claude-code,cursor - - -", 0},
		{"absent", memory{claudeFile: `{"mcpServers": {"a": {"command": "x"}}}`, codexFile: "model = 1\n"}, "a user claude-code codex - -", 1},
		{"conflict and absent", memory{claudeFile: `{"mcpServers": {"a": {"command": "x"}}}`, cursorFile: `{"mcpServers": {"a": {"command": "y"}}}`, codexFile: ""}, "a user claude-code,cursor codex - command", 1},
		{"malformed is not absent", memory{claudeFile: `{"mcpServers": {"a": {"command": "x"}}}`, cursorFile: `{"mcpServers": {"a": {"args": []}}}`}, "a user claude-code - cursor -", 1},
		{"malformed by kind", memory{claudeFile: `{"mcpServers": {"a": "x"}}`}, "a user - - claude-code -", 1},
		{"a client that can not have it", memory{claudeFile: `{"mcpServers": {"a": {"type": "http", "url": "https://h/mcp"}}}`, "/home/u/.config/Claude/claude_desktop_config.json": "{}"}, "a user claude-code - - -", 0},
		{"a client's own extensions", memory{"/home/u/.config/goose/config.yaml": "extensions:\n  dev:\n    type: builtin\n    enabled: true\n", claudeFile: "{}"}, "", 0},
		{"local servers are of one project", memory{claudeFile: `{"projects": {"/home/u/p": {"mcpServers": {"a": {"command": "x"}}}}}`, cursorFile: "{}"}, "", 0},
		{"scopes are apart", memory{claudeFile: `{"mcpServers": {"a": {"command": "x"}}}`, "/home/u/p/.mcp.json": `{"mcpServers": {"a": {"command": "y"}}}`}, "a user claude-code - - -; a project claude-code - - -", 0},
		{"a shared file counts for its readers", memory{"/home/u/p/.mcp.json": `{"mcpServers": {"a": {"command": "y"}}}`, "/home/u/p/.vscode/mcp.json": `{"servers": {}}`, "/home/u/p/.gemini/settings.json": `{"theme": 1}`},
			"a project claude-code,vscode - - -", 0},
		{"off is no difference", memory{cursorFile: `{"mcpServers": {"a": {"command": "x"}}}`, "/home/u/.kiro/settings/mcp.json": `{"mcpServers": {"a": {"command": "x", "disabled": true}}}`}, "a user cursor,kiro - - -", 0},
	} {
		m := look(c.files).Compare(Mode{})
		var lines []string
		for _, d := range m.Servers {
			lines = append(lines, strings.Join([]string{d.Name, d.Scope, list(d.Present), list(d.Absent), list(d.Malformed), list(d.ConflictFields)}, " "))
			if d.Conflict != (len(d.ConflictFields) > 0) {
				t.Errorf("%s: conflict is %v", c.name, d.Conflict)
			}
		}
		if got := strings.Join(lines, "; "); got != c.want || m.Drifted != c.drift || m.InSync != len(m.Servers)-c.drift {
			t.Errorf("%s: %s, %d drifted\nwant %s, %d", c.name, got, m.Drifted, c.want, c.drift)
		}
		if m.OK() != (c.drift == 0) {
			t.Errorf("%s: ok is %v", c.name, m.OK())
		}
	}
}

func list(s []string) string {
	if len(s) == 0 {
		return "-"
	}
	return strings.Join(s, ",")
}

// getmcpm/cli#59: a config that could not be read, or an entry without a shape, was in step.
func TestWhatCanNotBeReadIsNeverInStep(t *testing.T) {
	for name, text := range map[string]string{"broken": "{", "a list": `{"mcpServers": []}`, "no object": "[]", "a link": "link"} {
		m := look(memory{claudeFile: `{"mcpServers": {"a": {"command": "x"}}}`, cursorFile: text}).Compare(Mode{})
		if m.OK() || !slices.Equal(m.UnreadableClients, []string{"cursor"}) || len(m.Unread) != 1 || !slices.Equal(m.Clients, []string{"claude-code"}) {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if m := look(memory{claudeFile: "{}", cursorFile: "{"}, "claude-code").Compare(Mode{}); !m.OK() {
		t.Errorf("a client that nobody asked for: %+v", m)
	}
}

func TestAPlanGivesWhatIsMissingAndTakesNothing(t *testing.T) {
	files := memory{
		claudeFile: `{"mcpServers": {"a": {"command": "x", "env": {"T": "mine"}}, "same": {"command": "s"}}}`,
		cursorFile: `{"mcpServers": {"a": {"command": "y", "env": {"T": "theirs"}}, "same": {"command": "s"}, "only": {"command": "o"}}}`,
		codexFile:  "",
	}
	steps := func(mode Mode) (all []string, left []string) {
		f := look(files)
		plans, left := f.Plan(f.Compare(mode), mode)
		for _, p := range plans {
			for _, s := range p.Steps {
				if s.Remove {
					t.Error("a plan takes something out")
				}
				env := ""
				for _, e := range s.Spec.Env {
					env += " " + e.Name + "=" + e.Value.String()
				}
				all = append(all, p.File.Client.ID+" "+s.Spec.Name+" "+s.Spec.Command.String()+env)
			}
		}
		slices.Sort(all)
		return all, left
	}
	claude, _ := client.ByID("claude-code")
	got, left := steps(Mode{From: claude})
	if want := []string{"codex a x T=mine", "codex same s", "cursor a x T=theirs"}; !slices.Equal(got, want) || len(left) > 0 {
		t.Errorf("from: %q, left %q", got, left)
	}
	got, left = steps(Mode{Union: true})
	if want := []string{"claude-code only o", "codex only o", "codex same s"}; !slices.Equal(got, want) || !slices.Equal(left, []string{"a"}) {
		t.Errorf("union: %q, left %q", got, left)
	}
	if m := look(files).Compare(Mode{From: claude}); m.Drifted != 2 || m.Mode != "from:claude-code" { // "only" is none of Claude Code's
		t.Errorf("%+v", m)
	}
}

func TestAServerIsGivenOnceToClientsThatShareAFile(t *testing.T) {
	f := look(memory{"/home/u/p/.mcp.json": `{"mcpServers": {}}`, "/home/u/p/.vscode/mcp.json": `{"servers": {}}`, "/home/u/p/.cursor/mcp.json": `{"mcpServers": {"a": {"command": "x"}}}`})
	mode := Mode{Union: true}
	plans, _ := f.Plan(f.Compare(mode), mode)
	if len(plans) != 1 || plans[0].File.Client.ID != "claude-code" {
		t.Errorf("%d plans", len(plans))
	}
}

// A client that starts another version than is locked is not in step, alone or with others.
func TestClientsAreHeldAgainstTheLockWhereItHoldsTheServer(t *testing.T) {
	l := &lock.Lock{}
	l.Put(&lock.Server{Name: "files", Unpinned: true, Launch: lock.Launch{Transport: "stdio", Command: "npx", Args: []string{"-y", "@example/files@1.0.0", "--root", "${ROOT}", "${project}/data"}, Env: []string{"TOKEN"}}})
	l.Put(&lock.Server{Name: "far", Unpinned: true, Launch: lock.Launch{Transport: "http", URL: "https://mcp.example.com/mcp", Headers: []string{"x-key"}}})
	entry := func(version, env string) string {
		return `{"mcpServers": {"files": {"command": "npx", "args": ["@example/files@` + version + `", "--root", "${ROOT}", "/work/data"], "env": {` + env + `}},
			"far": {"type": "http", "url": "https://mcp.example.com/mcp/", "headers": {"X-Key": "mine"}}, "other": {"command": "x"}}}`
	}
	compare := func(files memory, clients ...string) *Model {
		o := options(files, clients...)
		o.Lock = &Locked{l, lock.Places{Project: "/work", Home: o.Env.Home}}
		return Look(files, o).Compare(Mode{})
	}
	for version, want := range map[string]bool{"1.0.0": true, "1.0.1": false} {
		m := compare(memory{claudeFile: entry(version, `"TOKEN": "t"`)})
		if m.OK() != want || len(m.Servers) != 3 {
			t.Errorf("%s: %+v", version, m)
		}
		for _, d := range m.Servers {
			if d.Locked != (d.Name != "other") || d.Name == "files" && !want && (!slices.Equal(d.LockDiffers, []string{"claude-code"}) || !slices.Equal(d.LockFields, []string{"args"})) || d.Name == "far" && d.Drifted {
				t.Errorf("%s: %+v", version, d)
			}
		}
	}
	m := compare(memory{claudeFile: entry("1.0.0", `"TOKEN": "t"`), cursorFile: entry("1.0.0", ``)})
	for _, d := range m.Servers {
		if d.Name == "files" && (!slices.Equal(d.LockDiffers, []string{"cursor"}) || !slices.Equal(d.LockFields, []string{"env"})) {
			t.Errorf("%+v", d)
		}
	}
}

// In a project's files the folder and the file of variables that the lock does not know are no step with it: a package runner
// takes its settings there. In the user's own files they are the user's.
func TestAProjectsEntryThatStartsElsewhereIsNotInStepWithTheLock(t *testing.T) {
	l := &lock.Lock{}
	l.Put(&lock.Server{Name: "files", Unpinned: true, Launch: lock.Launch{Transport: "stdio", Command: "npx", Args: []string{"-y", "@example/files@1.0.0"}}})
	l.Put(&lock.Server{Name: "own", Unpinned: true, Launch: lock.Launch{Transport: "stdio", Command: "node", Args: []string{"a.js"}, Cwd: "${project}/own", EnvFile: "${project}/own.env"}})
	for more, want := range map[string]string{
		``: "", `, "cwd": "."`: "", `, "cwd": "${workspaceFolder}"`: "", `, "cwd": "/home/u/p/"`: "", `, "cwd": "./evil"`: "cwd", `, "cwd": "${workspaceFolder}/evil"`: "cwd", `, "cwd": "/tmp"`: "cwd",
		`, "envFile": "./evil.env"`: "envFile", `, "envFile": "${workspaceFolder}/.env", "cwd": "/tmp"`: "cwd envFile",
	} {
		text := `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@example/files@1.0.0"]` + more + `}, "own": {"command": "node", "args": ["a.js"], "cwd": "/home/u/p/own", "envFile": "/home/u/p/own.env"}}}`
		for path, counts := range map[string]bool{"/home/u/p/.cursor/mcp.json": true, cursorFile: false} {
			files := memory{path: text}
			o := options(files, "cursor")
			o.Lock = &Locked{l, lock.Places{Project: "/home/u/p", Home: o.Env.Home}}
			m := Look(files, o).Compare(Mode{})
			if len(m.Servers) != 2 {
				t.Fatalf("%s: %+v", path, m)
			}
			for _, d := range m.Servers {
				is := ""
				if counts && d.Name == "files" {
					is = want
				}
				if got := strings.Join(d.LockFields, " "); got != is || d.Drifted != (is != "") {
					t.Errorf("%s of %s with %s: %q", d.Name, path, more, got)
				}
			}
		}
	}
}
