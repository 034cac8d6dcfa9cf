package drift

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UncoveredServer is drift/uncovered-server.
var UncoveredServer = &rule.Rule{
	ID:       "drift/uncovered-server",
	Title:    "a declared server that is not in the lock",
	Trigger:  "mcpassay.yaml, or the config that verify was given, names a server that the lock does not hold, or names it at another URL.",
	Message:  "The server {server} {why}",
	Severity: finding.Error,
	Tags:     []string{rule.Drift},
	OWASP:    "MCP03",
	CWE:      []int{353},
	Since:    "0.1.0",
	Lock: func(p *rule.Pass, l *rule.Locked) {
		for _, d := range l.Declared {
			p.Report(rule.Key(d.Node), rule.Args{"server": d.Name, "why": d.Why}, rule.ForLocked(l.File, d.Name, ""))
		}
	},
}
