package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ArgumentOutOfBounds is traffic/argument-out-of-bounds.
var ArgumentOutOfBounds = &rule.Rule{
	ID:       "traffic/argument-out-of-bounds",
	Title:    "an argument outside of what the policy allows",
	Trigger:  "An argument of a call is a path, a URL or a statement that the policy of the guard does not allow.",
	Message:  "An argument leads out of what the policy allows: {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	OWASP:    "MCP05",
	CWE:      []int{22, 918, 89},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { happened(p, m, traffic.OutOfBounds) },
}
