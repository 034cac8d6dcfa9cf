package load

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

func TestEditsThatRepeatASecretAreWithheld(t *testing.T) {
	s := NewSet(nil, limits.Default)
	opaque := "hQ7" + strings.Repeat("x9Kd", 8)
	raw := `{"mcpServers": {"a": {"command": "node x.js --api-key=` + opaque + `"}, "b": {"command": "node"}}}`
	s.AddBytes(Ask{Named: true, Where: client.Where{Path: ".mcp.json", Abs: "/p/.mcp.json", Root: "/p"}}, []byte(raw), nil)
	for i, v := range s.Files[0].Servers {
		v.Number = int32(i + 1)
	}
	fix := func(text string) *finding.Fix { return &finding.Fix{Edits: []finding.Edit{{Text: text}}} }
	found := []finding.Finding{
		{Subject: "s1", Fix: fix(`"args": ["x.js", "--api-key=` + opaque + `"]`)},
		{Subject: "s1", Fix: fix(`"args": ["x.js", "--api-key", "${API_KEY}"]`)},
		{Subject: "s2", Fix: fix(`"args": ["x.js", "--verbose", "--log=debug"]`)},
		{Subject: "s1"},
	}
	s.withhold(found)
	if len(found[0].Fix.Edits) != 0 || len(found[1].Fix.Edits) != 1 || len(found[2].Fix.Edits) != 1 {
		t.Errorf("%+v %+v %+v", found[0].Fix, found[1].Fix, found[2].Fix)
	}
}
