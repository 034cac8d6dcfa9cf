package drift

import (
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Reworded is drift/reworded.
var Reworded = &rule.Rule{
	ID:       "drift/reworded",
	Title:    "a text in other words",
	Trigger:  "A text changed, and no rule finds anything in it that was not there before.",
	Message:  "{server}: the text of {item} was reworded{where}",
	Severity: finding.Info,
	Tags:     []string{rule.Drift},
	Aliases: []string{"schema-drift-cosmetic",
		"TOOL_CARD_CHANGED", "WRD-DRIFT-DESCRIPTION-MODIFIED", "WRD-DRIFT-RESOURCE-MODIFIED", "WRD-DRIFT-PROMPT-MODIFIED",
		"WRD-DRIFT-SCHEMA-COSMETIC-MODIFIED", "WRD-DRIFT-SCHEMA-OUT-COSMETIC-MODIFIED",
	},
	OWASP: "MCP03",
	CWE:   []int{353, 494},
	Since: "0.1.0",
	Lock:  changes(func(c *drift.Change) bool { return c.Class == drift.Text && len(c.Cues) == 0 }),
}
