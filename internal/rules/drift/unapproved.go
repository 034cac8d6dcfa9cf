package drift

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Unapproved is drift/unapproved.
var Unapproved = &rule.Rule{
	ID:       "drift/unapproved",
	Title:    "a pinned server that nobody approved",
	Trigger:  "No approval in the lock is one of the server as it stands there.",
	Message:  "{server} is pinned, and nobody approved it",
	Severity: finding.Error,
	Tags:     []string{rule.Drift},
	Aliases:  []string{"BASELINE_SIGNATURE_MISSING", "WRD-DRIFT-UNAPPROVED-CHANGE"},
	OWASP:    "MCP03",
	CWE:      []int{353},
	Since:    "0.1.0",
	Lock: func(p *rule.Pass, l *rule.Locked) {
		standing(p, l, lock.Unapproved, p.Rule.Message)
		standing(p, l, lock.Changed, "{server} was pinned or locked again, and what {by} approved is something else")
	},
}

// standing reports the servers whose approvals come to that.
func standing(p *rule.Pass, l *rule.Locked, bad lock.Standing, message string) {
	if l.File.Lock == nil {
		return
	}
	for _, s := range l.File.Servers {
		at, why := l.File.Standing(s, l.Today)
		if at != bad {
			continue
		}
		args := rule.Args{"server": s.Name, "by": "somebody"}
		if len(why) > 0 {
			last := why[len(why)-1]
			if last.By != "" {
				args["by"] = last.By
			}
			args["expires"] = last.Expires
			if last.Revoked != nil && last.Revoked.Reason != "" {
				args["reason"] = ": " + last.Revoked.Reason
			}
		}
		if args["reason"] == "" {
			args["reason"] = ""
		}
		p.ReportAs(message, rule.Key(s.Node), args, rule.ForLocked(l.File, s.Name, ""))
	}
}
