package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// LaunchTampered is traffic/launch-tampered.
var LaunchTampered = &rule.Rule{
	ID:       "traffic/launch-tampered",
	Title:    "a server that is started otherwise than was agreed on",
	Trigger:  "The command behind the guard is another one than it was when the guard was set before it.",
	Message:  "The server is started otherwise than was agreed on: {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	Aliases:  []string{"orig-hash-mismatch"},
	OWASP:    "MCP04",
	CWE:      []int{345, 494},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { happened(p, m, traffic.OtherLaunch) },
}
