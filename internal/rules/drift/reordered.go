package drift

import (
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Reordered is drift/reordered.
var Reordered = &rule.Rule{
	ID:       "drift/reordered",
	Title:    "a list in another order",
	Trigger:  "A list holds the same items in another order.",
	Message:  "{server} lists its {item} in another order",
	Severity: finding.Info,
	Tags:     []string{rule.Drift},
	OWASP:    "MCP03",
	CWE:      []int{353, 494},
	Since:    "0.1.0",
	Lock:     of(drift.Reordered),
}
