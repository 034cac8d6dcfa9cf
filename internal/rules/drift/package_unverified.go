package drift

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// PackageUnverified is drift/package-unverified.
var PackageUnverified = &rule.Rule{
	ID:       "drift/package-unverified",
	Title:    "a package that could not be held against its registry",
	Trigger:  "A registry could not be asked for a locked package or record, or does not have it any more.",
	Message:  "The package of {server} could not be verified: {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Drift, rule.Supply},
	OWASP:    "MCP04",
	CWE:      []int{494},
	Since:    "0.1.0",
	Lock:     gates("could-not-verify", "not-found", "unresolved"),
}
