package stash

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

// pat has the form of a GitHub token and was never one.
func pat(letter string) string { return "ghp" + "_" + strings.Repeat(letter+"B3", 12) }

func open(path, text string) *client.File {
	f := client.Identify(client.Where{Path: path, Abs: "/p/" + path, Root: "/p", Env: client.Env{OS: "linux", Home: "/home/u", Getenv: func(string) string { return "" }}})
	f.Load([]byte(text), limits.Default)
	return f
}

func none(string) (string, bool) { return "", false }

func TestAReferenceTakesThePlaceInTheClientsOwnDialect(t *testing.T) {
	t.Parallel()
	for path, c := range map[string][2]string{
		".mcp.json":             {`{"mcpServers": {"a": {"command": "x", "env": {"T_TOKEN": "` + pat("a") + `"}}}}`, `{"mcpServers": {"a": {"command": "x", "env": {"T_TOKEN": "${T_TOKEN}"}}}}`},
		".cursor/mcp.json":      {`{"mcpServers": {"a": {"url": "https://a.example", "headers": {"Authorization": "Bearer ` + pat("a") + `"}}}} `, `{"mcpServers": {"a": {"url": "https://a.example", "headers": {"Authorization": "Bearer ${env:A_API_KEY}"}}}} `},
		".vscode/mcp.json":      {"{\r\n // ours\r\n \"servers\": {\"a\": {\"command\": \"x\", \"args\": [\"--token\", \"" + pat("a") + "\",],},}}", "{\r\n // ours\r\n \"servers\": {\"a\": {\"command\": \"x\", \"args\": [\"--token\", \"${env:A_TOKEN}\",],},}}"},
		"opencode.json":         {`{"mcp": {"a": {"type": "local", "command": ["x"], "environment": {"T_TOKEN": "` + pat("a") + `"}}}}`, `{"mcp": {"a": {"type": "local", "command": ["x"], "environment": {"T_TOKEN": "{env:T_TOKEN}"}}}}`},
		".gemini/settings.json": {`{"mcpServers": {"a": {"command": "x", "env": {"T_TOKEN": "` + pat("a") + `", "DEBUG": "1"}}}}`, `{"mcpServers": {"a": {"command": "x", "env": {"T_TOKEN": "${T_TOKEN}", "DEBUG": "1"}}}}`},
	} {
		f := open(path, c[0])
		got := Plan(f, none, limits.Default)
		if string(got.After.Doc.Raw) != c[1] || len(got.Moved) != 1 || got.Moved[0].Value != pat("a") || len(got.Left) > 0 {
			t.Errorf("%s: %+v\n%s\nwant\n%s", path, got.Left, got.After.Doc.Raw, c[1])
		}
		if again := Plan(got.After, none, limits.Default); len(again.Moved)+len(again.Left) > 0 {
			t.Errorf("%s: something is left: %d", path, len(again.Moved))
		}
	}
}

func TestOneValueIsOneVariableAndTwoAreTwo(t *testing.T) {
	t.Parallel()
	text := `{"mcpServers": {"a": {"command": "x", "env": {"T_TOKEN": "` + pat("a") + `"}}, "b": {"command": "x", "env": {"T_TOKEN": "` + pat("b") + `"}}, "c": {"command": "x", "env": {"T_TOKEN": "` + pat("a") + `"}}}}`
	got := Plan(open(".mcp.json", text), none, limits.Default)
	names := map[string]string{}
	for _, m := range got.Moved {
		if was, ok := names[m.Variable]; ok && was != m.Value {
			t.Errorf("%s stands for two values", m.Variable)
		}
		names[m.Variable] = m.Value
	}
	if len(got.Moved) != 3 || len(names) != 2 || strings.Contains(string(got.After.Doc.Raw), "ghp") {
		t.Errorf("%d moved to %d names: %s", len(got.Moved), len(names), got.After.Doc.Raw)
	}
}

func TestWhatCanNotBeMovedStaysAndIsSaid(t *testing.T) {
	t.Parallel()
	text := `{"mcpServers": {"a": {"command": "x", "env": {"T_TOKEN": "` + pat("a") + `"}}}}`
	for what, c := range map[string]struct {
		path, text, why string
		have            func(string) (string, bool)
	}{
		"another value is kept":             {".mcp.json", text, "another value is kept as T_TOKEN", func(string) (string, bool) { return "other", true }},
		"a client that reads no references": {"mcp-x/claude_desktop_config.json", text, "reads no reference", none},
	} {
		f := open(c.path, c.text)
		if what == "a client that reads no references" {
			f = client.Identify(client.Where{Path: "~/x", Abs: "/home/u/.config/Claude/claude_desktop_config.json", Root: "/p", Env: client.Env{OS: "linux", Home: "/home/u", Getenv: func(string) string { return "" }}})
			f.Load([]byte(c.text), limits.Default)
		}
		got := Plan(f, c.have, limits.Default)
		if got.After != f || len(got.Moved) > 0 || len(got.Left) != 1 || !strings.Contains(got.Left[0].Why, c.why) {
			t.Errorf("%s: %+v %+v", what, got.Moved, got.Left)
		}
	}
	// The same value under the name is the same secret.
	if got := Plan(open(".mcp.json", text), func(string) (string, bool) { return pat("a"), true }, limits.Default); len(got.Moved) != 1 {
		t.Errorf("%+v", got.Left)
	}
	if got := Plan(open(".mcp.json", `{"mcpServers": {`), none, limits.Default); len(got.Moved)+len(got.Left) > 0 {
		t.Error("a file that does not parse is changed")
	}
}
