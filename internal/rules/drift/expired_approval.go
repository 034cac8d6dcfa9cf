package drift

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ExpiredApproval is drift/expired-approval.
var ExpiredApproval = &rule.Rule{
	ID:       "drift/expired-approval",
	Title:    "an approval that has expired",
	Trigger:  "Every approval of a server as it stands in the lock has a last day that is over.",
	Message:  "The approval of {server} by {by} held until {expires}",
	Severity: finding.Error,
	Tags:     []string{rule.Drift},
	OWASP:    "MCP03",
	CWE:      []int{353},
	Since:    "0.1.0",
	Lock:     func(p *rule.Pass, l *rule.Locked) { standing(p, l, lock.Expired, p.Rule.Message) },
}
