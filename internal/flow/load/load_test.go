package load

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/source"
)

// What a server announces is told whole; only one that announces more than there is does not fill the report.
func TestAReportNamesTheCapabilitiesOfAServer(t *testing.T) {
	for n, want := range map[int]int{8: 8, 16: 16, 1000: limits.Default.Capabilities} {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"c%d": {}`, i))
		}
		doc, err := source.Parse("s.json", []byte(`{"surfaceVersion": 1, "label": "s", "protocol": {"negotiated": "2025-11-25"},
			"hello": {"protocolVersion": "2025-11-25", "capabilities": {`+strings.Join(all, ", ")+`}, "serverInfo": {"name": "s", "version": "1"}}, "tools": []}`), source.JSON, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		if got := protocol(card.Read(doc).Servers[0], limits.Default).Capabilities; len(got) != want || got[0] != "c0" {
			t.Errorf("%d announced: %d told", n, len(got))
		}
	}
}
