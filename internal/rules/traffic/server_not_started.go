package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ServerNotStarted is traffic/server-not-started.
var ServerNotStarted = &rule.Rule{
	ID:       "traffic/server-not-started",
	Title:    "a server that could not be started",
	Trigger:  "The guard could not start the server that it stands before.",
	Message:  "The server could not be started: {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	Aliases:  []string{"spawn-failure"},
	OWASP:    "MCP09",
	CWE:      []int{703},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { happened(p, m, traffic.NotStarted) },
}
