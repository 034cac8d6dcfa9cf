package drift

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// RevokedApproval is drift/revoked-approval.
var RevokedApproval = &rule.Rule{
	ID:       "drift/revoked-approval",
	Title:    "an approval that was taken back",
	Trigger:  "No approval of a server as it stands in the lock is left, since somebody took it back.",
	Message:  "The approval of {server} by {by} was taken back{reason}",
	Severity: finding.Error,
	Tags:     []string{rule.Drift},
	OWASP:    "MCP03",
	CWE:      []int{353},
	Since:    "0.1.0",
	Lock:     func(p *rule.Pass, l *rule.Locked) { standing(p, l, lock.Revoked, p.Rule.Message) },
}
