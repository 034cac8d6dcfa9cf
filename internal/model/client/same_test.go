package client

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// entry reads one entry as the client of id does.
func entry(t *testing.T, id, text string) *Server {
	t.Helper()
	f := &File{Path: "mcp.json", Client: mustID(t, id), Scope: ScopeProject}
	f.Load([]byte(`{"`+f.Expected()+`": {"s": `+text+`}}`), limits.Default)
	if len(f.Servers) != 1 {
		t.Fatalf("%s has %d servers (%v)", text, len(f.Servers), f.Err)
	}
	return f.Servers[0]
}

func TestSameServerInTheSpellingOfEachClient(t *testing.T) {
	for _, c := range []struct{ a, textA, b, textB string }{
		{"claude-code", `{"command": "npx", "args": ["-y", "pkg"]}`, "cursor", `{"command": "cmd", "args": ["/c", "npx", "pkg"]}`},
		{"claude-code", `{"command": "npx", "args": ["--yes", "pkg"]}`, "cursor", `{"command": "cmd.exe", "args": ["/C", "npx.cmd", "-y", "pkg"]}`},
		{"claude-code", `{"command": "node"}`, "cursor", `{"command": "node.exe", "args": []}`},
		{"claude-code", `{"command": "x", "args": ["--key=${K}"]}`, "cursor", `{"command": "x", "args": ["--key=${env:K}"]}`},
		{"claude-code", `{"command": "x", "args": ["${K:-none}"]}`, "opencode", `{"type": "local", "command": ["x", "{env:K}"]}`},
		{"claude-code", `{"command": "x", "args": ["${API_KEY}"]}`, "vscode", `{"command": "x", "args": ["${input:api-key}"]}`},
		{"claude-code", `{"command": "node", "args": ["./server.js"]}`, "vscode", `{"command": "node", "args": ["${workspaceFolder}/server.js"]}`},
		{"claude-code", `{"command": "node", "args": ["--root=."]}`, "vscode", `{"command": "node", "args": ["--root=${workspaceFolder}"]}`},
		{"claude-code", `{"type": "http", "url": "https://h.example/mcp/"}`, "windsurf", `{"serverUrl": "https://H.example:443/mcp"}`},
		{"claude-code", `{"type": "http", "url": "https://h.example/mcp"}`, "opencode", `{"type": "remote", "url": "https://h.example/mcp", "headers": {"X": "y"}}`},
		{"gemini-cli", `{"httpUrl": "https://h.example/mcp"}`, "claude-desktop", `{"command": "npx", "args": ["-y", "mcp-remote@latest", "https://h.example/mcp", "--header", "A: b"]}`},
		{"claude-code", `{"command": "x", "env": {"A": "1"}}`, "cursor", `{"command": "x", "env": {"A": "2"}}`},
	} {
		a, b := entry(t, c.a, c.textA), entry(t, c.b, c.textB)
		if !a.Same(b) || !b.Same(a) {
			t.Errorf("%s of %s and %s of %s differ: %q, %q", c.textA, c.a, c.textB, c.b, a.target(), b.target())
		}
	}
}

func TestOtherServersAreNotTheSame(t *testing.T) {
	for _, c := range [][2]string{
		{`{"command": "npx", "args": ["-y", "a"]}`, `{"command": "npx", "args": ["-y", "b"]}`},
		{`{"command": "npx", "args": ["pkg"]}`, `{"command": "npx", "args": ["pkg", "-y"]}`},
		{`{"command": "npx", "args": ["pkg"]}`, `{"command": "bunx", "args": ["pkg"]}`},
		{`{"command": "npx", "args": ["pkg"]}`, `{"command": "./npx", "args": ["pkg"]}`},
		{`{"command": "npx", "args": ["pkg"]}`, `{"command": "${CLAUDE_PROJECT_DIR}/npx", "args": ["pkg"]}`},
		{`{"command": "npx", "args": ["pkg@1.0.0"]}`, `{"command": "npx", "args": ["pkg@2.0.0"]}`},
		{`{"command": "x", "args": ["${A}"]}`, `{"command": "x", "args": ["${B}"]}`},
		{`{"command": "x", "args": ["a", "b"]}`, `{"command": "x", "args": ["b", "a"]}`},
		{`{"type": "http", "url": "https://a.example/mcp"}`, `{"type": "http", "url": "https://a.example/sse"}`},
		{`{"type": "http", "url": "https://a.example/mcp"}`, `{"type": "http", "url": "http://a.example/mcp"}`},
		{`{"type": "http", "url": "https://a.example/mcp?x=1"}`, `{"type": "http", "url": "https://a.example/mcp?x=2"}`},
		{`{"type": "http", "url": "https://a.example/mcp"}`, `{"command": "npx", "args": ["pkg"]}`},
	} {
		if a, b := entry(t, "claude-code", c[0]), entry(t, "claude-code", c[1]); a.Same(b) || b.Same(a) || len(a.Differences(b)) == 0 {
			t.Errorf("%s and %s are taken for one", c[0], c[1])
		}
	}
}

func TestIdenticalLooksAtAllThatTheClientReads(t *testing.T) {
	base := `{"command": "npx", "args": ["-y", "pkg"], "env": {"A": "1", "B": "${B}"}, "timeout": 5}`
	for text, want := range map[string]bool{
		`{"timeout": 5, "env": {"B": "${B}", "A": "1"}, "args": ["-y", "pkg"], "command": "npx", "type": "stdio"}`: true,
		`{"command": "npx", "args": ["-y", "pkg"], "env": {"A": "1"}, "timeout": 5}`:                               false,
		`{"command": "npx", "args": ["-y", "pkg"], "env": {"A": "1", "B": "2"}, "timeout": 5}`:                     false,
		`{"command": "npx", "args": ["-y", "pkg"], "env": {"A": 1, "B": "${B}"}, "timeout": 6}`:                    false,
		`{"command": "npx", "args": ["-y", "pkg"], "env": {"A": "1", "B": "${B}"}}`:                                false,
		`{"command": "npx", "args": ["-y", "pkg"], "env": {"A": "1", "B": "${B}"}, "timeout": 5, "cwd": "/x"}`:     false,
	} {
		if got := entry(t, "claude-code", base).Identical(entry(t, "claude-code", text)); got != want {
			t.Errorf("%s: identical is %v", text, got)
		}
	}
	a := entry(t, "claude-code", `{"type": "http", "url": "https://h/mcp", "headers": {"Authorization": "Bearer ${T}"}}`)
	if b := entry(t, "claude-code", `{"type": "http", "url": "https://h/mcp", "headers": {"authorization": "Bearer ${T}"}}`); !a.Identical(b) {
		t.Error("the names of headers have a case")
	}
	if b := entry(t, "claude-code", `{"type": "sse", "url": "https://h/mcp", "headers": {"authorization": "Bearer ${T}"}}`); a.Identical(b) {
		t.Error("http and sse are taken for one transport")
	}
}

func TestDifferencesNameTheFieldsAndNoSpelling(t *testing.T) {
	for _, c := range []struct{ a, textA, b, textB, want string }{
		{"claude-code", `{"command": "npx", "args": ["-y", "pkg"], "env": {"A": "1", "B": "2"}}`, "cursor", `{"command": "cmd", "args": ["/c", "npx", "pkg"], "env": {"B": "${env:B}", "A": "x"}}`, ""},
		{"claude-code", `{"command": "x", "args": [], "env": {}}`, "opencode", `{"type": "local", "command": ["x"]}`, ""},
		{"claude-code", `{"command": "x", "env": {"T": "${T}"}}`, "codex", `{"command": "x", "env_vars": ["T"]}`, ""},
		{"claude-code", `{"type": "http", "url": "https://h/mcp", "headers": {"Authorization": "Bearer ${T}"}}`, "codex", `{"url": "https://h/mcp/", "bearer_token_env_var": "T"}`, ""},
		{"claude-code", `{"type": "http", "url": "https://h/mcp", "headers": {"Authorization": "Bearer ${T}"}}`, "claude-desktop", `{"command": "npx", "args": ["mcp-remote", "https://h/mcp"]}`, ""},
		{"claude-code", `{"command": "x", "disabled": true, "cwd": "/a"}`, "kiro", `{"command": "x", "disabled": false, "timeout": 5}`, ""},
		{"claude-code", `{"command": "x", "args": ["1"], "env": {"A": "1"}}`, "cursor", `{"command": "y", "args": ["2"], "env": {"B": "1"}}`, "command args env"},
		{"claude-code", `{"command": "x"}`, "cursor", `{"url": "https://h/mcp"}`, "command url"},
		{"claude-code", `{"type": "http", "url": "https://h/mcp"}`, "cursor", `{"url": "https://g/mcp", "headers": {"X": "1"}}`, "url headers"},
		{"claude-code", `{"type": "sse", "url": "https://h/mcp"}`, "cursor", `{"type": "http", "url": "https://h/mcp"}`, "transport"},
		{"claude-code", `{}`, "cursor", `{"command": "x"}`, "command"},
	} {
		a, b := entry(t, c.a, c.textA), entry(t, c.b, c.textB)
		for _, got := range [][]string{a.Differences(b), b.Differences(a)} {
			if strings.Join(got, " ") != c.want {
				t.Errorf("%s of %s and %s of %s: %q, want %q", c.textA, c.a, c.textB, c.b, got, c.want)
			}
		}
	}
}
