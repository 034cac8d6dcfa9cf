package drift

import (
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// CapabilityChanged is drift/capability-changed.
var CapabilityChanged = &rule.Rule{
	ID:       "drift/capability-changed",
	Title:    "other capabilities or hints",
	Trigger:  "What a server announces, or what a tool says that it does, is not what it was.",
	Message:  "{server}: {item} says that it does something else{direction}{where}",
	Severity: finding.Error,
	Tags:     []string{rule.Drift},
	Aliases:  []string{"handshake-drift-capability", "handshake-drift-in-session", "TOOL_CARD_CHANGED", "WRD-DRIFT-CAPABILITY-ADDED", "WRD-DRIFT-CAPABILITY-REMOVED", "WRD-DRIFT-TOOL-ANNOTATIONS-MODIFIED"},
	OWASP:    "MCP03",
	CWE:      []int{353, 494},
	Since:    "0.1.0",
	Lock:     of(drift.Capability),
}
