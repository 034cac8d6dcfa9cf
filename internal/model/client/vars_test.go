package client

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestAVariableIsNotNamedAfterAServerWhoseNameIsASecret(t *testing.T) {
	token := "gh" + "p_" + strings.Repeat("aB3", 12)
	f := Identify(Where{Path: ".mcp.json", Root: "/p"})
	f.Load([]byte(`{"mcpServers": {"`+token+`": {"url": "https://a.example/x?api_key=`+token+`"}}}`), limits.Default)
	for _, x := range f.Servers[0].Secrets() {
		if m, ok := f.Move(x); !ok || m.Variable != "MCP_API_KEY" {
			t.Errorf("%+v", m)
		}
	}
}

// A loop over all names for each of them would take minutes here.
func TestTenThousandEntriesOfOneNameAreToldApart(t *testing.T) {
	const n = 10_000
	f := Identify(Where{Path: ".mcp.json", Root: "/p"})
	f.Load([]byte(`{"mcpServers": {"a#mcpServers#3": {}`+strings.Repeat(`, "a": {"command": "x"}`, n)+`}}`), limits.Default)
	names := map[string]bool{}
	for _, s := range f.Servers {
		names[s.Display()] = true
	}
	if len(names) != n+1 || !names["a"] || !names["a#mcpServers"] || !names["a#mcpServers#2"] || names["a#mcpServers##"] {
		t.Errorf("%d names", len(names))
	}
}
