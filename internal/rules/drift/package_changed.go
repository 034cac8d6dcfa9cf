package drift

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// PackageChanged is drift/package-changed.
var PackageChanged = &rule.Rule{
	ID:       "drift/package-changed",
	Title:    "a package whose bytes, record or launch are others than those that were locked",
	Trigger:  "The registry of a locked package, or the MCP registry, has other bytes or another record for the locked version, or the launch in the lock is not what they come to.",
	Message:  "The package of {server} is not what was locked ({reason}): {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Drift, rule.Supply},
	OWASP:    "MCP04",
	CWE:      []int{494},
	Since:    "0.1.0",
	Lock:     gates("drift", "format", "missing-baseline", "record-changed", "launch-changed"),
}
