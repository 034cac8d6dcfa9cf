package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// TooManyCalls is traffic/too-many-calls.
var TooManyCalls = &rule.Rule{
	ID:       "traffic/too-many-calls",
	Title:    "more calls than the policy allows",
	Trigger:  "Within a time there are more calls of a tool, or of a server, than the policy of the guard allows.",
	Message:  "There are more calls than the policy allows: {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	OWASP:    "MCP02",
	CWE:      []int{770},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { happened(p, m, traffic.TooManyCalls) },
}
