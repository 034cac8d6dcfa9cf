package drift

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UntrustedApproval is drift/untrusted-approval.
var UntrustedApproval = &rule.Rule{
	ID:       "drift/untrusted-approval",
	Title:    "an approval that is not one of those that are demanded",
	Trigger:  "verify was told whose approvals count (--trust, --approver, --require, --approval-log), and those of a server are others.",
	Message:  "{server} {why}",
	Severity: finding.Error,
	Tags:     []string{rule.Drift},
	Aliases:  []string{"BASELINE_PUBLISHER_CHANGED"},
	OWASP:    "MCP03",
	CWE:      []int{347},
	Since:    "0.1.0",
	Lock: func(p *rule.Pass, l *rule.Locked) {
		for _, u := range l.Untrusted {
			p.Report(rule.Key(u.Node), rule.Args{"server": u.Name, "why": u.Why}, rule.ForLocked(l.File, u.Name, ""))
		}
	},
}
