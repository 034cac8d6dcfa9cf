package client

import (
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestALocalDefinitionKeepsItsProjectAndScopeWhateverElseItHolds(t *testing.T) {
	env := Env{OS: "linux", Home: "/home/u", Getenv: func(string) string { return "" }}
	f := Identify(Where{Path: "~/.claude.json", Abs: "/home/u/.claude.json", Root: "/home/u", Env: env})
	f.Load([]byte(`{"mcpServers": {"a": {"command": "x"}, "b": {"url": "https://example.com/b"}},
		"projects": {"/p": {"mcpServers": {"a": {"command": "x"}, "c": {"type": "http", "url": "https://example.com/c", "headers": {"A": "b"}}}}}}`), limits.Default)
	want := []struct{ name, project, scope, display, url string }{
		{"a", "", ScopeUser, "a", ""}, {"b", "", ScopeUser, "b", "https://example.com/b"},
		{"a", "/p", ScopeLocal, "a#projects[/p]", ""}, {"c", "/p", ScopeLocal, "c#projects[/p]", "https://example.com/c"},
	}
	if len(f.Servers) != len(want) {
		t.Fatalf("%d servers", len(f.Servers))
	}
	for i, w := range want {
		s := f.Servers[i]
		if s.Name != w.name || s.Project != w.project || s.Scope() != w.scope || s.Display() != w.display || s.URL.Value != w.url {
			t.Errorf("%d: %q of %q, %s, shown as %q, at %q; want %+v", i, s.Name, s.Project, s.Scope(), s.Display(), s.URL.Value, w)
		}
	}
	if s := f.Servers[3]; len(s.Headers) != 1 || s.Headers[0].Value != "b" || s.Type.Value != "http" {
		t.Errorf("headers %v, type %q", s.Headers, s.Type.Value)
	}
}
