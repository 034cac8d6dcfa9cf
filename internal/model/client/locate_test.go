package client

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func env(os, home string, vars map[string]string) Env {
	return Env{OS: os, Home: home, Getenv: func(k string) string { return vars[k] }}
}

var (
	linux   = env("linux", "/home/u", nil)
	darwin  = env("darwin", "/Users/u", nil)
	windows = env("windows", `C:\Users\u`, map[string]string{
		"APPDATA": `C:\Users\u\AppData\Roaming`, "LOCALAPPDATA": `C:\Users\u\AppData\Local`, "ProgramData": `C:\ProgramData`})
)

func paths(e Env, id string, reads ...Reads) []string {
	var out []string
	for _, c := range UserFiles(e) {
		if c.Client.ID == id && (len(reads) == 0 || slices.Contains(reads, c.Loc.Reads)) {
			out = append(out, c.Path)
		}
	}
	return out
}

func TestUserFilesPerSystem(t *testing.T) {
	for _, tc := range []struct {
		env  Env
		id   string
		want []string
	}{
		{linux, "claude-desktop", []string{"/home/u/.config/Claude/claude_desktop_config.json"}},
		{darwin, "claude-desktop", []string{"/Users/u/Library/Application Support/Claude/claude_desktop_config.json"}},
		{windows, "claude-desktop", []string{`C:\Users\u\AppData\Roaming\Claude\claude_desktop_config.json`}},
		{linux, "cursor", []string{"/home/u/.cursor/mcp.json"}},
		{windows, "cursor", []string{`C:\Users\u\.cursor\mcp.json`}},
		{linux, "codex", []string{"/home/u/.codex/config.toml"}},
		{linux, "opencode", []string{"/home/u/.config/opencode/opencode.json", "/home/u/.config/opencode/opencode.jsonc"}},
		{windows, "opencode", []string{`C:\Users\u\.config\opencode\opencode.json`, `C:\Users\u\.config\opencode\opencode.jsonc`}},
		{linux, "visual-studio", nil},
		{windows, "visual-studio", []string{`C:\Users\u\.mcp.json`}},
		{darwin, "copilot-jetbrains", []string{"/Users/u/Library/Application Support/github-copilot/intellij/mcp.json"}},
		{windows, "copilot-jetbrains", []string{`C:\Users\u\AppData\Local\github-copilot\intellij\mcp.json`}},
		{darwin, "zed", []string{"/Users/u/.config/zed/settings.json"}},
		{windows, "zed", []string{`C:\Users\u\AppData\Roaming\Zed\settings.json`}},
		{windows, "goose", []string{`C:\Users\u\AppData\Roaming\Block\goose\config\config.yaml`}},
		{linux, "gemini-cli", []string{"/home/u/.gemini/settings.json", "/home/u/.gemini/extensions/*/gemini-extension.json", "/etc/gemini-cli/settings.json"}},
		{windows, "gemini-cli", []string{`C:\Users\u\.gemini\settings.json`, `C:\Users\u\.gemini\extensions\*\gemini-extension.json`, `C:\ProgramData\gemini-cli\settings.json`}},
		{linux, "qodo", nil},
		{linux, "claude-ai", nil},
	} {
		if got := paths(tc.env, tc.id); !slices.Equal(got, tc.want) {
			t.Errorf("%s on %s\n got %q\nwant %q", tc.id, tc.env.OS, got, tc.want)
		}
	}
	for _, want := range []string{
		"/home/u/.config/Code/User/mcp.json", "/home/u/.config/Code - Insiders/User/mcp.json", "/home/u/.config/VSCodium/User/mcp.json",
		"/home/u/.config/Code/User/profiles/*/mcp.json", "/home/u/.config/Code/User/settings.json", "/home/u/.vscode-server/data/User/mcp.json",
	} {
		if !slices.Contains(paths(linux, "vscode"), want) {
			t.Errorf("VS Code on Linux lacks %s", want)
		}
	}
	if got := paths(darwin, "vscode"); slices.ContainsFunc(got, func(p string) bool { return strings.Contains(p, ".vscode-server") }) {
		t.Errorf("VS Code's server runs on Linux: %q", got)
	}
}

func TestClaudeCodeManagedFile(t *testing.T) {
	for e, want := range map[*Env]string{
		&linux:   "/etc/claude-code/managed-mcp.json",
		&darwin:  "/Library/Application Support/ClaudeCode/managed-mcp.json",
		&windows: "C:/Program Files/ClaudeCode/managed-mcp.json",
	} {
		var got []string
		for _, c := range UserFiles(*e) {
			if c.Loc.Scope == ScopeManaged {
				got = append(got, c.Path)
			}
		}
		if !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", e.OS, got, want)
		}
	}
}

func TestUnsetVariablesAreAbsentNeverGuessed(t *testing.T) {
	for _, c := range UserFiles(env("windows", `C:\Users\u`, nil)) {
		if strings.Contains(c.Path, "AppData") || strings.Contains(c.Path, "ProgramData") || strings.Contains(c.Loc.Path, "<app>") {
			t.Errorf("%s: %s guessed from %s", c.Client.ID, c.Path, c.Loc.Path)
		}
	}
	for _, os := range []string{"linux", "darwin", "windows"} {
		for _, c := range UserFiles(Env{OS: os}) {
			if !strings.HasPrefix(c.Loc.Path, "/") && !strings.HasPrefix(c.Loc.Path, "C:/") {
				t.Errorf("%s without a home: %s guessed from %s", os, c.Path, c.Loc.Path)
			}
		}
	}
}

func TestEveryLocationExpandsWhereItExists(t *testing.T) {
	full := map[string]string{"APPDATA": "/v/APPDATA", "LOCALAPPDATA": "/v/LOCALAPPDATA", "ProgramData": "/v/ProgramData",
		"XDG_CONFIG_HOME": "/v/XDG", "CODEX_HOME": "/v/CODEX", "CLAUDE_CONFIG_DIR": "/v/CLAUDE", "COPILOT_HOME": "/v/COPILOT"}
	for _, os := range []string{"linux", "darwin", "windows"} {
		e := env(os, "/home/u", full)
		have := map[*Location]int{}
		for _, c := range UserFiles(e) {
			have[c.Loc]++
			if strings.ContainsAny(c.Path, "<>%${}") || strings.Contains(c.Path, "//") {
				t.Errorf("%s: %s is not expanded", c.Client.ID, c.Path)
			}
			if (c.Pattern != "") != strings.Contains(c.Path, "*") {
				t.Errorf("%s: %s has pattern %q", c.Client.ID, c.Path, c.Pattern)
			}
			if rel, ok := e.below(c.Base, c.Path); !ok || rel == "" || c.Pattern != "" && c.Pattern != rel {
				t.Errorf("%s: %s has base %q, pattern %q", c.Client.ID, c.Path, c.Base, c.Pattern)
			}
			if c.Display == "" || strings.Contains(c.Display, `\`) {
				t.Errorf("%s: display %q", c.Client.ID, c.Display)
			}
		}
		for _, c := range Table() {
			for i := range c.Locations {
				if l := &c.Locations[i]; !l.Project() && l.on(e) && have[l] == 0 {
					t.Errorf("%s: %s has no path on %s", c.ID, l.Path, os)
				}
			}
		}
	}
}

func TestVariablesReplaceTheirDefaults(t *testing.T) {
	for _, tc := range []struct{ name, id, value, want, not string }{
		{"CODEX_HOME", "codex", "/srv/codex", "/srv/codex/config.toml", "/home/u/.codex/config.toml"},
		{"CLAUDE_CONFIG_DIR", "claude-code", "/srv/claude", "/srv/claude/.claude.json", "/home/u/.claude.json"},
		{"COPILOT_HOME", "copilot-cli", "/srv/copilot/", "/srv/copilot/mcp-config.json", "/home/u/.copilot/mcp-config.json"},
		{"XDG_CONFIG_HOME", "crush", "/srv/xdg", "/srv/xdg/crush/crush.json", "/home/u/.config/crush/crush.json"},
		// A relative value would be another file in each folder (XDG base directory specification).
		{"XDG_CONFIG_HOME", "crush", "xdg", "/home/u/.config/crush/crush.json", "xdg/crush/crush.json"},
		{"CODEX_HOME", "codex", "../codex", "/home/u/.codex/config.toml", "../codex/config.toml"},
	} {
		got := paths(env("linux", "/home/u", map[string]string{tc.name: tc.value}), tc.id)
		if !slices.Contains(got, tc.want) || slices.Contains(got, tc.not) {
			t.Errorf("%s=%s: %s is at %q, want %s", tc.name, tc.value, tc.id, got, tc.want)
		}
	}
	if got := paths(linux, "copilot-cli", ReadsLegacy); got != nil {
		t.Errorf("without XDG_CONFIG_HOME there is no older file, got %q", got)
	}
}

func TestBaseIsTheFolderThatOwnsThePath(t *testing.T) {
	e := env("linux", "/home/u", map[string]string{"CODEX_HOME": "/srv/codex", "COPILOT_HOME": "/home/u/my/copilot"})
	for path, want := range map[string]string{
		"/home/u/.cursor/mcp.json":                   "/home/u",
		"/srv/codex/config.toml":                     "/srv/codex",
		"/home/u/my/copilot/mcp-config.json":         "/home/u",
		"/etc/claude-code/managed-mcp.json":          "/etc",
		"/home/u/.config/Code/User/mcp.json":         "/home/u",
		"/home/u/.kiro/agents/*.json":                "/home/u",
		"/home/u/.claude/plugins/cache/**/.mcp.json": "/home/u",
	} {
		i := slices.IndexFunc(UserFiles(e), func(c Candidate) bool { return c.Path == path })
		if i < 0 {
			t.Errorf("%s is no candidate", path)
			continue
		}
		if c := UserFiles(e)[i]; c.Base != want {
			t.Errorf("%s has base %s, want %s", path, c.Base, want)
		}
	}
	for _, c := range UserFiles(windows) {
		if strings.HasPrefix(c.Path, `C:\Users\u\`) && c.Base != `C:\Users\u` {
			t.Errorf("%s has base %s", c.Path, c.Base)
		}
		if c.Client.ID == "cursor" && c.Display != "~/.cursor/mcp.json" {
			t.Errorf("Cursor is shown as %s", c.Display)
		}
	}
}

func TestUserFilesComeInTableOrder(t *testing.T) {
	last := 0
	for _, c := range UserFiles(linux) {
		i := slices.Index(Table(), c.Client)
		if i < last {
			t.Fatalf("%s comes after %s", c.Client.ID, Table()[last].ID)
		}
		last = i
	}
}

func TestUserFileFindsOneOfThem(t *testing.T) {
	custom := env("linux", "/home/u", map[string]string{"CODEX_HOME": "/srv/codex"})
	for _, tc := range []struct {
		env      Env
		path, id string // id "" for none
	}{
		{linux, "/home/u/.cursor/mcp.json", "cursor"},
		{linux, "/home/u/work/.cursor/mcp.json", ""},
		{linux, "/home/u/.Cursor/mcp.json", ""},
		{darwin, "/Users/u/.Cursor/MCP.json", "cursor"},
		{windows, `C:\Users\u\.cursor\MCP.json`, "cursor"},
		{windows, `c:/users/U/.cursor/mcp.json`, "cursor"},
		{linux, "/home/u/.kiro/agents/x.json", "kiro"},
		{linux, "/home/u/.kiro/agents/x/y.json", ""},
		{linux, "/home/u/.kiro/agents/x.txt", ""},
		{linux, "/home/u/.claude/plugins/cache/a/b/1.0/.mcp.json", "claude-code"},
		{linux, "/home/u/.claude/plugins/cache/.mcp.json", "claude-code"},
		{linux, "/home/u/.claude/plugins/cache/.claude/plugins/cache/b/.mcp.json", "claude-code"},
		{linux, "/home/u/.claude/plugins/.mcp.json", ""},
		{linux, "/home/u/.config/Code/User/profiles/-1a/mcp.json", "vscode"},
		{linux, "/etc/claude-code/managed-mcp.json", "claude-code"},
		{darwin, "/etc/claude-code/managed-mcp.json", ""},
		{custom, "/srv/codex/config.toml", "codex"},
		{custom, "/home/u/.codex/config.toml", ""},
		{linux, "", ""},
		{linux, "/", ""},
		{Env{}, "/home/u/.cursor/mcp.json", ""},
	} {
		c, ok := UserFile(tc.env, tc.path)
		if ok != (tc.id != "") || ok && (c.Client.ID != tc.id || c.Path != tc.path || c.Pattern != "") {
			t.Errorf("UserFile(%s, %q) = %+v, %v; want %q", tc.env.OS, tc.path, c, ok, tc.id)
		}
	}
	for _, e := range []Env{linux, darwin, windows} {
		for _, c := range UserFiles(e) {
			path := strings.NewReplacer("**", "a", "*", "x").Replace(c.Path)
			if got, ok := UserFile(e, path); !ok || got.Path != path {
				t.Errorf("UserFile(%s, %q) finds nothing; it is %s's %s", e.OS, path, c.Client.ID, c.Loc.Path)
			}
		}
	}
}

func TestProjectCandidates(t *testing.T) {
	dir := filepath.FromSlash("/w/[a]*")
	var claude []string
	for _, c := range ProjectCandidates(dir) {
		if c.Base != dir || c.Pattern != "" && !strings.Contains(c.Pattern, "*") || strings.HasPrefix(c.Pattern, "/") {
			t.Errorf("%s: base %q, pattern %q", c.Path, c.Base, c.Pattern)
		}
		if c.Client.ID == "claude-code" && c.Loc.Reads == ReadsYes {
			claude = append(claude, c.Display)
		}
	}
	if want := []string{"/w/[a]*/.mcp.json", "/w/[a]*/.claude-plugin/plugin.json"}; !slices.Equal(claude, want) {
		t.Errorf("Claude Code's are %q, want %q", claude, want)
	}
}

func TestDisplayShortensTheHome(t *testing.T) {
	for _, tc := range []struct {
		env        Env
		path, want string
	}{
		{linux, "/home/u/a/b", "~/a/b"}, {linux, "/home/u", "~"}, {linux, "/home/user2/a", "/home/user2/a"},
		{linux, `/home/u/a\b`, `~/a\b`}, {windows, `C:\Users\u\a`, "~/a"}, {windows, `D:\a`, "D:/a"}, {Env{}, "/a", "/a"},
	} {
		if got := tc.env.Display(tc.path); got != tc.want {
			t.Errorf("%s shows %q as %q, want %q", tc.env.OS, tc.path, got, tc.want)
		}
	}
}

func TestInstalledPaths(t *testing.T) {
	if got := mustID(t, "cursor").InstalledPaths(linux); !slices.Equal(got, []string{"/home/u/.cursor", "/home/u/.config/Cursor"}) {
		t.Errorf("Cursor leaves %q", got)
	}
	if got := mustID(t, "cursor").InstalledPaths(Env{OS: "linux"}); got != nil {
		t.Errorf("without a home: %q", got)
	}
	for _, c := range Table() {
		if want := len(c.Installed); len(c.InstalledPaths(linux)) != want {
			t.Errorf("%s: %q", c.ID, c.InstalledPaths(linux))
		}
	}
}

func TestAlternatives(t *testing.T) {
	for in, want := range map[string]string{
		"":            "[]",
		"a/b":         `["a/b"]`,
		"{a,b}/c":     `["a/c" "b/c"]`,
		"x/{a,b}{1,}": `["x/a1" "x/a" "x/b1" "x/b"]`,
	} {
		if got := fmt.Sprintf("%q", alternatives(in)); got != want {
			t.Errorf("alternatives(%q) = %s, want %s", in, got, want)
		}
	}
}

func BenchmarkUserFiles(b *testing.B) {
	for b.Loop() {
		if len(UserFiles(linux)) == 0 {
			b.Fatal("none")
		}
	}
}

func BenchmarkUserFile(b *testing.B) {
	for b.Loop() {
		UserFile(linux, "/home/u/work/project/.mcp.json")
	}
}
