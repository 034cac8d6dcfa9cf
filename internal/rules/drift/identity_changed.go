package drift

import (
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// IdentityChanged is drift/identity-changed.
var IdentityChanged = &rule.Rule{
	ID:       "drift/identity-changed",
	Title:    "a server that says it is another one",
	Trigger:  "Name or version of a server, the protocol that it speaks, or the icons of one of its items, is not what it was.",
	Message:  "{server}: the {item} is another{where}",
	Severity: finding.Error,
	Tags:     []string{rule.Drift},
	Aliases:  []string{"handshake-drift-identity", "handshake-drift-in-session", "BASELINE_IDENTITY_CHANGED", "BASELINE_PUBLISHER_CHANGED"},
	OWASP:    "MCP03",
	CWE:      []int{353, 494},
	Since:    "0.1.0",
	Lock:     of(drift.Identity),
}
