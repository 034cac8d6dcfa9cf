package drift

import (
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ItemRenamed is drift/item-renamed.
var ItemRenamed = &rule.Rule{
	ID:       "drift/item-renamed",
	Title:    "an item under another name",
	Trigger:  "An item is the same but for its name.",
	Message:  "{server}: {item} was called {old} when it was pinned",
	Severity: finding.Error,
	Tags:     []string{rule.Drift},
	OWASP:    "MCP03",
	CWE:      []int{353, 494},
	Since:    "0.1.0",
	Lock:     of(drift.Renamed),
}
