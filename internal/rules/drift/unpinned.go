package drift

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Unpinned is drift/unpinned.
var Unpinned = &rule.Rule{
	ID:       "drift/unpinned",
	Title:    "a locked server of which nobody knows what it exposes",
	Trigger:  "The lock holds how a server is started or reached, and no surface of it.",
	Message:  "{server} is locked, and nobody pinned what it exposes",
	Severity: finding.Info,
	Tags:     []string{rule.Drift},
	OWASP:    "MCP03",
	CWE:      []int{353},
	Since:    "0.1.0",
	Lock: func(p *rule.Pass, l *rule.Locked) {
		if l.File.Lock == nil {
			return
		}
		for _, s := range l.File.Servers {
			if s.Unpinned {
				p.Report(rule.Key(s.Node), rule.Args{"server": s.Name}, rule.ForLocked(l.File, s.Name, ""))
			}
		}
	},
}
