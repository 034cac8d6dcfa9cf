package fleet

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/model/client"
)

func wanted(version string) Want {
	spec := func(v client.Text) client.Spec {
		return client.Spec{Name: "files", Transport: client.Stdio, Command: client.Plain("npx"), Args: []client.Text{client.Plain("-y"), client.Plain("@example/files@" + version)},
			Env: []client.Setting{{Name: "ROOT", Value: v}}}
	}
	return Want{Specs: []client.Spec{spec(client.Text{{Variable: "ROOT", Default: "/d", Defaulted: true}}), spec(client.Plain("/d"))}}
}

// told says what a plan comes to: a line a step, then what is left.
func told(g Given) string {
	var all []string
	for _, p := range g.Plans {
		for _, s := range p.Steps {
			all = append(all, fmt.Sprintf("%s %s %v %v", p.File.Client.ID, s.Spec.Name, s.Spec.Args, s.Spec.Env))
		}
	}
	for _, l := range g.Left {
		all = append(all, fmt.Sprintf("left %s %s other=%v", l.Client.ID, l.Why, l.Other))
	}
	slices.Sort(all)
	return strings.Join(append(all, fmt.Sprintf("same %d", g.Same)), "\n")
}

func TestClientsAreGivenAServerEachInItsWords(t *testing.T) {
	desktop := "/home/u/.config/Claude/claude_desktop_config.json"
	for _, c := range []struct {
		name    string
		files   memory
		clients []string
		change  func(*Want)
		replace bool
		want    string
	}{
		{"whoever has a file", memory{claudeFile: "{}", cursorFile: `{"mcpServers": {}}`}, nil, nil, false,
			"claude-code files [-y @example/files@1.0.0] [{ROOT ${ROOT:-/d}}]\ncursor files [-y @example/files@1.0.0] [{ROOT /d}]\nsame 0"},
		{"a client that is named and has no file", memory{claudeFile: "{}"}, []string{"cursor"}, nil, false, "cursor files [-y @example/files@1.0.0] [{ROOT /d}]\nsame 0"},
		{"it is there already", memory{cursorFile: `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@example/files@1.0.0"], "env": {"ROOT": "/d"}}}}`}, nil, nil, false, "same 1"},
		{"a value that somebody set stays", memory{cursorFile: `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@example/files@1.0.0"], "env": {"ROOT": "/mine"}}}}`}, nil, nil, false, "same 1"},
		{"another version", memory{cursorFile: `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@example/files@0.9.0"], "env": {"ROOT": "/mine"}, "disabled": true}}}`}, nil, nil, false,
			"cursor files [-y @example/files@1.0.0] [{ROOT /mine}]\nsame 0"},
		{"another server of that name", memory{cursorFile: `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "files-of-mine"]}}}`}, nil, nil, false,
			"left cursor Cursor has another server of this name: the npm package files-of-mine, and not the npm package @example/files other=true\nsame 0"},
		{"that may go", memory{cursorFile: `{"mcpServers": {"files": {"url": "https://a.example/mcp"}}}`}, nil, nil, true, "cursor files [-y @example/files@1.0.0] [{ROOT /d}]\nsame 0"},
		{"a client without words for it", memory{desktop: `{"mcpServers": {}}`}, nil, func(w *Want) { w.Specs[1].Env[0].Value = client.Variable("ROOT") }, false,
			"left claude-desktop env ROOT: Claude Desktop reads no reference to a variable (ROOT) in variables other=false\nsame 0"},
		{"only who has it", memory{claudeFile: "{}", cursorFile: `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@example/files@0.9.0"], "env": {"ROOT": "/d"}}}}`}, nil, func(w *Want) { w.Held = true }, false,
			"cursor files [-y @example/files@1.0.0] [{ROOT /d}]\nsame 0"},
		{"a file that can not be read is left", memory{cursorFile: "{", claudeFile: "{}"}, nil, nil, false, "claude-code files [-y @example/files@1.0.0] [{ROOT ${ROOT:-/d}}]\nsame 0"},
		{"and so is that of a named client", memory{cursorFile: "{"}, []string{"cursor"}, nil, false, "same 0"},
	} {
		w := wanted("1.0.0")
		if c.change != nil {
			c.change(&w)
		}
		if got := told(look(c.files, c.clients...).Give(client.ScopeUser, []Want{w}, c.replace)); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// VS Code reads .mcp.json of Claude Code: what is put there is not put in twice.
func TestAFileThatSeveralClientsReadIsWrittenOnce(t *testing.T) {
	files := memory{"/home/u/p/sub/.mcp.json": `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@example/files@0.9.0"], "env": {"ROOT": "/d"}}}}`, "/home/u/p/sub/.vscode/mcp.json": `{"servers": {}}`}
	g := look(files).Give(client.ScopeProject, []Want{wanted("1.0.0")}, false)
	if len(g.Plans) != 1 || len(g.Plans[0].Steps) != 1 || g.Plans[0].File.Client.ID != "claude-code" {
		t.Errorf("%s", told(g))
	}
}

func TestAServerIsTakenFromWhoHasIt(t *testing.T) {
	files := memory{claudeFile: `{"mcpServers": {"files": {"command": "x"}}, "projects": {"/p": {"mcpServers": {"files": {"command": "y"}}}}}`, cursorFile: `{"mcpServers": {"other": {"command": "x"}}}`}
	spec := client.Spec{Transport: client.Stdio, Command: client.Plain("x")}
	plans, left := look(files).Withdraw(client.ScopeUser, "files", &spec)
	if len(plans) != 1 || plans[0].File.Client.ID != "claude-code" || !plans[0].Steps[0].Remove || len(left) > 0 {
		t.Errorf("%+v %+v", plans, left)
	}
	if plans, left := look(files).Withdraw(client.ScopeProject, "files", nil); len(plans)+len(left) != 0 {
		t.Errorf("%+v", plans)
	}
	spec.Command = client.Plain("y")
	if plans, left := look(files).Withdraw(client.ScopeUser, "files", &spec); len(plans) != 0 || len(left) != 1 || !left[0].Other {
		t.Errorf("another server of that name: %+v %+v", plans, left)
	}
	if plans, _ := look(files).Withdraw(client.ScopeUser, "files", nil); len(plans) != 1 {
		t.Errorf("%+v", plans)
	}
}

func TestAProjectsEntryThatStartsElsewhereIsLeftAndSaid(t *testing.T) {
	text := func(more string) string {
		return `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@example/files@1.0.0"], "env": {"ROOT": "/d"}` + more + `}}}`
	}
	const inProject = "/home/u/p/.cursor/mcp.json"
	for _, c := range []struct {
		path, scope, more string
		bare              bool
		want              string
	}{
		{inProject, client.ScopeProject, "", true, "same 1"},
		{inProject, client.ScopeProject, `, "cwd": "${workspaceFolder}"`, true, "same 1"},
		{inProject, client.ScopeProject, `, "cwd": "./evil"`, true, "left cursor Cursor is told cwd, by which something else may run than is locked: take that out of " + inProject + " other=true\nsame 0"},
		{inProject, client.ScopeProject, `, "envFile": "./evil.env"`, true, "left cursor Cursor is told envFile, by which something else may run than is locked: take that out of " + inProject + " other=true\nsame 0"},
		{inProject, client.ScopeProject, `, "envFile": "./my.env"`, false, "same 1"},
		{cursorFile, client.ScopeUser, `, "envFile": "/home/u/.env"`, true, "same 1"},
	} {
		w := wanted("1.0.0")
		w.Bare = c.bare
		if got := told(look(memory{c.path: text(c.more)}, "cursor").Give(c.scope, []Want{w}, false)); got != c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", c.path, c.more, got, c.want)
		}
	}
}
