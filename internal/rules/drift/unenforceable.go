package drift

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Unenforceable is drift/unenforceable.
var Unenforceable = &rule.Rule{
	ID:       "drift/unenforceable",
	Title:    "a locked server whose bytes nothing holds",
	Trigger:  "No mechanism holds what a locked server is: it is reached at an address, started by a command that is no package, or its registry has no digest.",
	Message:  "Nothing holds the bytes of {server}: {detail}",
	Severity: finding.Info,
	Tags:     []string{rule.Drift, rule.Supply},
	OWASP:    "MCP04",
	CWE:      []int{494},
	Since:    "0.1.0",
	Lock:     gates("unenforceable"),
}
