package drift

import (
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ItemAdded is drift/item-added.
var ItemAdded = &rule.Rule{
	ID:       "drift/item-added",
	Title:    "an item that nobody approved",
	Trigger:  "A server exposes a tool, prompt, resource or template that was not there when it was pinned.",
	Message:  "{server} exposes {item}, which was not there when it was pinned",
	Severity: finding.Error,
	Tags:     []string{rule.Drift},
	Aliases:  []string{"TOOL_CARD_NOT_IN_BASELINE", "WRD-DRIFT-TOOL-ADDED", "WRD-DRIFT-PROMPT-ADDED", "WRD-DRIFT-RESOURCE-ADDED"},
	OWASP:    "MCP03",
	CWE:      []int{353, 494},
	Since:    "0.1.0",
	Lock:     of(drift.Added),
}
