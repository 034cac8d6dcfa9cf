package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Confined is traffic/confined.
var Confined = &rule.Rule{
	ID:       "traffic/confined",
	Title:    "a server within its bounds",
	Trigger:  "The server runs in the bounds of its profile.",
	Message:  "The server runs in its bounds: {detail}",
	Severity: finding.Info,
	Tags:     []string{rule.Traffic},
	Aliases:  []string{"confine-applied"},
	OWASP:    "MCP02",
	CWE:      []int{653},
	Since:    "0.1.0",
	Action:   rule.ActNote,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { happened(p, m, traffic.Confined) },
}
