package drift

import (
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// LaunchChanged is drift/launch-changed.
var LaunchChanged = &rule.Rule{
	ID:       "drift/launch-changed",
	Title:    "a server that is started or reached in another way",
	Trigger:  "Command, arguments, URL, folder, or the names of variables and headers are not what was approved.",
	Message:  "{server} is started or reached in another way{where}",
	Severity: finding.Error,
	Tags:     []string{rule.Drift, rule.Launch},
	Aliases:  []string{"BASELINE_IDENTITY_CHANGED", "WRD-DRIFT-SERVER-IDENTITY"},
	OWASP:    "MCP03",
	CWE:      []int{353, 494},
	Since:    "0.1.0",
	Lock:     of(drift.Launch),
}
