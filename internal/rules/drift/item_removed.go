package drift

import (
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ItemRemoved is drift/item-removed.
var ItemRemoved = &rule.Rule{
	ID:       "drift/item-removed",
	Title:    "an item that is gone",
	Trigger:  "A tool, prompt, resource or template is no longer there.",
	Message:  "{server} no longer exposes {item}",
	Severity: finding.Error,
	Tags:     []string{rule.Drift},
	Aliases:  []string{"WRD-DRIFT-TOOL-REMOVED", "WRD-DRIFT-PROMPT-REMOVED", "WRD-DRIFT-RESOURCE-REMOVED"},
	OWASP:    "MCP03",
	CWE:      []int{353, 494},
	Since:    "0.1.0",
	Lock:     of(drift.Removed),
}
