package client

import (
	"slices"
	"strings"
	"testing"
)

func readers(path string) []string {
	var out []string
	for _, m := range ProjectFile(path) {
		id := m.Client.ID
		if m.Loc.Reads == ReadsNo {
			id += "!"
		}
		out = append(out, id)
	}
	return out
}

func TestProjectFileNamesAllReadersOwnerFirst(t *testing.T) {
	for path, want := range map[string]string{
		".mcp.json":                           "claude-code vscode copilot-cli visual-studio",
		"packages/a/.mcp.json":                "claude-code vscode copilot-cli visual-studio",
		".vscode/mcp.json":                    "vscode visual-studio",
		".cursor/mcp.json":                    "cursor visual-studio",
		".vs/mcp.json":                        "visual-studio",
		".github/mcp.json":                    "copilot-cli",
		".warp/.mcp.json":                     "warp",
		".deepagents/.mcp.json":               "deepagents",
		".codex/config.toml":                  "codex",
		".vibe/config.toml":                   "mistral-vibe",
		"opencode.jsonc":                      "opencode",
		".opencode/opencode.json":             "opencode",
		".continue/mcpServers/new.yaml":       "continue",
		".continue/mcpServers/new.yml":        "continue",
		".continue/mcpServers/a.json":         "continue",
		".kiro/agents/a.b.json":               "kiro",
		".kiro/settings/mcp.json":             "kiro",
		".amazonq/cli-agents/x.json":          "amazon-q",
		"work.code-workspace":                 "vscode",
		".devcontainer/devcontainer.json":     "vscode",
		".devcontainer/py/devcontainer.json":  "vscode",
		".crush.json":                         "crush",
		"server.json":                         "mcp-registry",
		"gemini-extension.json":               "gemini-cli",
		".augment/settings.local.json":        "augment",
		".claude/plugins/cache/a/b/.mcp.json": "claude-code",
		".config/opencode/opencode.jsonc":     "opencode",
		".config/zed/settings.json":           "zed",
		".codeium/windsurf/mcp_config.json":   "windsurf",
		".claude.json":                        "claude-code",
		"AppData/Roaming/Code/User/mcp.json":  "vscode",
		"x/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json": "cline",
		"README.md":                    "",
		"x.cursor/mcp.json/y":          "",
		"settings.json":                "",
		"zed/settings.json":            "",
		"agents/x.json":                "",
		".kiro/agents/x/y.json":        "",
		".continue/mcpServers/a.json5": "",
		"":                             "",
		"/":                            "",
	} {
		if got := strings.Join(readers(path), " "); got != want {
			t.Errorf("%q is read by %q, want %q", path, got, want)
		}
	}
}

func TestDeadFiles(t *testing.T) {
	for path, want := range map[string]string{
		"mcp.json":                    "claude-code!",
		".claude/mcp.json":            "claude-code!", // anthropics/claude-code#37245
		".claude/settings.json":       "claude-code!",
		".claude/settings.local.json": "claude-code!",
		"cline_mcp_settings.json":     "cline!",
		"claude_desktop_config.json":  "claude-desktop!",
		".windsurf/mcp_config.json":   "windsurf!",
		".copilot/mcp-config.json":    "copilot-cli!",
		".github/copilot/mcp.json":    "copilot-cli!",
		"docs/mcp_settings.json":      "roo-code!",
		"x.cursor/mcp.json":           "claude-code!", // the folder is not .cursor, so the name stands alone
	} {
		if got := strings.Join(readers(path), " "); got != want {
			t.Errorf("%q is read by %q, want %q", path, got, want)
		}
	}
	if got := paths(linux, "claude-code", ReadsNo); !slices.Equal(got, []string{"/home/u/.claude/mcp.json", "/home/u/.claude/settings.json"}) {
		t.Errorf("anthropics/claude-code#37245: Claude Code does not read %q", got)
	}
}

func TestProjectIsTheFolderThatHoldsThePath(t *testing.T) {
	for path, want := range map[string]string{
		".mcp.json":                                "",
		"a/b/.vscode/mcp.json":                     "a/b",
		"/w/a/.vscode/mcp.json":                    "/w/a",
		"/.mcp.json":                               "/",
		"a/.continue/mcpServers/x.yaml":            "a",
		"a/.devcontainer/py/devcontainer.json":     "a",
		"home/.claude/plugins/cache/x/y/.mcp.json": "home",
		"dots/.config/opencode/opencode.json":      "dots",
	} {
		m := ProjectFile(path)
		if len(m) == 0 || m[0].Project != want {
			t.Errorf("%q belongs to %+v, want %q", path, m, want)
		}
	}
}

func TestEachProjectLocationMatchesItself(t *testing.T) {
	for _, c := range Table() {
		for i := range c.Locations {
			l := &c.Locations[i]
			if !l.Project() {
				continue
			}
			for _, rel := range alternatives(l.Path) {
				rel = strings.ReplaceAll(rel, "*", "x")
				_, base := cutLast(rel)
				if !IsCandidateName(base) {
					t.Errorf("%s: %s is no candidate name", c.ID, base)
				}
				for _, in := range []string{"", "a/b"} {
					path := strings.TrimPrefix(in+"/"+rel, "/")
					ok := slices.ContainsFunc(ProjectFile(path), func(m Match) bool {
						return m.Client == c && m.Loc == l && m.Project == in && !m.CaseDiffers
					})
					if !ok {
						t.Errorf("%s: ProjectFile(%q) lacks it", c.ID, path)
					}
				}
			}
		}
	}
}

func TestCaseIsFoldedAndTold(t *testing.T) {
	for path, differs := range map[string]bool{
		".vscode/mcp.json":             false,
		".vscode/MCP.json":             true,
		".VSCode/mcp.json":             true,
		"a/.Cursor/Mcp.JSON":           true,
		".kiro/agents/A.json":          false,
		".Kiro/agents/a.json":          true,
		".v\u017Fcode/mcp.json":        true, // long s: macOS takes it for an s
		".\u212Airo/settings/mcp.json": true, // the Kelvin sign
	} {
		m := ProjectFile(path)
		if len(m) == 0 || m[0].CaseDiffers != differs {
			t.Errorf("%q: %+v, want CaseDiffers %v", path, m, differs)
		}
	}
	if m := ProjectFile(".v\u00A7code/mcp.json"); len(m) > 0 && m[0].Loc.Path == ".vscode/mcp.json" {
		t.Errorf("another letter is another folder: %+v", m)
	}
}

func TestIsCandidateName(t *testing.T) {
	for name, want := range map[string]bool{
		".mcp.json": true, "mcp.json": true, "MCP.json": true, "config.toml": true, "x.code-workspace": true, "anything.json": true,
		"a.yaml": true, "main.go": false, "README.md": false, "Makefile": false, "": false, ".": false, "json": false,
	} {
		if got := IsCandidateName(name); got != want {
			t.Errorf("IsCandidateName(%q) = %v", name, got)
		}
	}
}

func FuzzProjectFile(f *testing.F) {
	for _, s := range []string{".mcp.json", "a/.vscode/MCP.json", ".claude/plugins/cache/a/.mcp.json", "//.mcp.json", "a//b/.cursor/mcp.json",
		".kiro/agents/.json", "\xff/.mcp.json", "\u017F/\u212A.json", "**/*/.claude/plugins/cache/**/.mcp.json"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		matches := ProjectFile(path)
		_, base := cutLast(path)
		if len(matches) > 0 && !IsCandidateName(base) {
			t.Errorf("%q matches, but its name is no candidate", path)
		}
		for _, m := range matches {
			if !strings.HasPrefix(path, m.Project) {
				t.Errorf("%q: project %q is no part of it", path, m.Project)
			}
		}
		for _, e := range []Env{linux, windows} {
			if c, ok := UserFile(e, path); ok {
				if _, in := e.below(c.Base, path); !in {
					t.Errorf("%q is not below its base %q", path, c.Base)
				}
			}
		}
	})
}

func BenchmarkProjectFile(b *testing.B) {
	for name, path := range map[string]string{"hit": "a/b/c/.vscode/mcp.json", "miss": "a/b/c/src/package.json", "other": "a/b/c/src/main.go"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, base := cutLast(path); IsCandidateName(base) {
					ProjectFile(path)
				}
			}
		})
	}
}
