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
