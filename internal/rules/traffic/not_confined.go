package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// NotConfined is traffic/not-confined.
var NotConfined = &rule.Rule{
	ID:       "traffic/not-confined",
	Title:    "a server without its bounds",
	Trigger:  "A server that is to run in bounds can not: no backend or profile is here, or what says so was changed.",
	Message:  "The server does not run in the bounds that were agreed on: {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	Aliases:  []string{"confine-hash-mismatch", "confine-marker-stripped", "confine-profile-missing", "confine-backend-missing", "confine-marker-malformed"},
	OWASP:    "MCP02",
	CWE:      []int{653, 693},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { happened(p, m, traffic.NotConfined) },
}
