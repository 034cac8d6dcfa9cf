package client

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func starts(t *testing.T, path, raw string) Start {
	t.Helper()
	f := Identify(Where{Path: path, Root: "/p", Env: Env{OS: "linux", Home: "/home/u", Getenv: func(string) string { return "" }}})
	f.Load([]byte(raw), limits.Default)
	if len(f.Servers) != 1 {
		t.Fatalf("%d servers: %v", len(f.Servers), f.Err)
	}
	vars := map[string]string{"TOKEN": "t0", "EMPTY": ""}
	return f.Servers[0].Start(World{Home: "/home/u", Project: "/p", Getenv: func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}})
}

func TestStartFillsReferencesAsTheClientReadsThem(t *testing.T) {
	for _, c := range []struct{ path, raw, want, missing string }{
		{".mcp.json", `{"mcpServers": {"a": {"command": "node", "args": ["${TOKEN}", "${NONE:-d}", "${EMPTY:-d}", "${env:TOKEN}"]}}}`,
			"node t0 d  ${env:TOKEN}", ""},
		{".mcp.json", `{"mcpServers": {"a": {"command": "node", "args": ["${NONE}"]}}}`, "node ${NONE}", "NONE"},
		{".vscode/mcp.json", `{"servers": {"a": {"command": "node", "args": ["${env:TOKEN}", "${workspaceFolder}/x", "${TOKEN}", "${input:key}"]}}}`,
			"node t0 /p/x ${TOKEN} ${input:key}", "input key"},
		{".vscode/mcp.json", `{"servers": {"a": {"command": "node", "args": ["${env:NONE}"]}}}`, "node ", "NONE"},
		{".codex/config.toml", "[mcp_servers.a]\ncommand = \"node\"\nargs = [\"${TOKEN}\"]\n", "node ${TOKEN}", ""},
	} {
		s := starts(t, c.path, c.raw)
		if got := strings.Join(s.Argv, " "); got != c.want || strings.Join(s.Missing, " ") != c.missing {
			t.Errorf("%s %s:\n %q, missing %q", c.path, c.raw, got, s.Missing)
		}
	}
}

func TestStartOfARemoteServerHoldsItsHeaders(t *testing.T) {
	s := starts(t, ".mcp.json", `{"mcpServers": {"a": {"type": "http", "url": "https://a.example/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}, "headersHelper": "x"}}}`)
	if s.URL != "https://a.example/mcp" || len(s.Headers) != 1 || s.Headers[0].Value != "Bearer t0" || len(s.Argv) > 0 || len(s.Left) != 1 {
		t.Errorf("%+v", s)
	}
	s = starts(t, ".codex/config.toml", "[mcp_servers.a]\nurl = \"https://a.example/mcp\"\nbearer_token_env_var = \"TOKEN\"\n")
	if !slices.Contains(s.Headers, Header{"Authorization", "Bearer t0"}) {
		t.Errorf("%+v", s)
	}
}

func TestTheSecretsOfAStartAreFoundByNamePlaceAndForm(t *testing.T) {
	const key = "ab12CD34ef56GH78"
	s := Start{Argv: []string{"x", "--api-key", key + "1", "plain"}, Env: []string{"API_TOKEN=" + key + "2", "LOG_LEVEL=verbose-1", "DB_PASSWORD=postgres", "A_KEY=<YOUR_KEY>"},
		URL: "https://h.example/mcp?token=" + key + "3", Headers: []Header{{"X-Api-Key", key + "4"}}, filled: []string{"MY_SECRET=" + key + "5", "HOME=/home/u1"}}
	if got := s.Secrets(); !slices.Equal(got, []string{key + "1", key + "2", key + "3", key + "4", key + "5"}) {
		t.Errorf("%q", got)
	}
}

func TestATypeSaysWhetherTheCommandOrTheURLIsMeant(t *testing.T) {
	for typ, want := range map[string]string{`"type":"stdio",`: "c", `"type":"http",`: "https://h/", `"type":"sse",`: "https://h/", "": "c https://h/", `"type":"odd",`: "c https://h/"} {
		s := starts(t, "/p/.mcp.json", `{"mcpServers":{"a":{`+typ+`"command":"c","url":"https://h/","env":{"A":"1"},"headers":{"B":"2"}}}}`)
		if got := strings.TrimSpace(strings.Join(s.Argv, " ") + " " + s.URL); got != want {
			t.Errorf("%q: %q", typ, got)
		}
	}
}
