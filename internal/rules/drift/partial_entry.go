package drift

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// PartialEntry is drift/partial-entry.
var PartialEntry = &rule.Rule{
	ID:       "drift/partial-entry",
	Title:    "an imported entry that is no surface",
	Trigger:  "The lock holds of a server what another tool's file said of it, digests of parts, and no surface.",
	Message:  "{server} was imported from a {from}, which holds no surface: pin it",
	Severity: finding.Error,
	Tags:     []string{rule.Drift},
	OWASP:    "MCP03",
	CWE:      []int{353},
	Since:    "0.1.0",
	Lock: func(p *rule.Pass, l *rule.Locked) {
		if l.File.Lock == nil {
			return
		}
		for _, s := range l.File.Servers {
			if s.Partial != nil {
				p.Report(rule.Key(s.Part("partial")), rule.Args{"server": s.Name, "from": s.Partial.From}, rule.ForLocked(l.File, s.Name, ""))
			}
		}
	},
}
