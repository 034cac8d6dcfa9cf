package drift

import (
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// SchemaChanged is drift/schema-changed.
var SchemaChanged = &rule.Rule{
	ID:       "drift/schema-changed",
	Title:    "another schema",
	Trigger:  "What an item takes or gives is not what it was.",
	Message:  "{server}: {item} takes or gives something else{direction}{where}",
	Severity: finding.Error,
	Tags:     []string{rule.Drift},
	Aliases: []string{"schema-drift", "schema-drift-in-session",
		"TOOL_CARD_CHANGED", "WRD-DRIFT-SCHEMA-REQUIRED-REMOVED", "WRD-DRIFT-SCHEMA-PROPERTY-REMOVED",
		"WRD-DRIFT-SCHEMA-REQUIRED-UNCONSTRAINED-ADDED", "WRD-DRIFT-SCHEMA-REQUIRED-ADDED",
		"WRD-DRIFT-SCHEMA-UNCONSTRAINED-ADDED", "WRD-DRIFT-SCHEMA-PROPERTY-ADDED", "WRD-DRIFT-SCHEMA-TYPE-BROADENED",
		"WRD-DRIFT-SCHEMA-TYPE-NARROWED", "WRD-DRIFT-SCHEMA-TYPE-CHANGED", "WRD-DRIFT-SCHEMA-ENUM-WIDENED",
		"WRD-DRIFT-SCHEMA-ENUM-NARROWED", "WRD-DRIFT-SCHEMA-ENUM-REMOVED", "WRD-DRIFT-SCHEMA-ENUM-ADDED",
		"WRD-DRIFT-SCHEMA-CONSTRAINT-RELAXED", "WRD-DRIFT-SCHEMA-CONSTRAINT-TIGHTENED",
		"WRD-DRIFT-SCHEMA-ADDITIONAL-PROPS-OPENED", "WRD-DRIFT-SCHEMA-MODIFIED", "WRD-DRIFT-SCHEMA-OUT-ADDED",
		"WRD-DRIFT-SCHEMA-OUT-REMOVED", "WRD-DRIFT-SCHEMA-OUT-MODIFIED",
	},
	OWASP: "MCP03",
	CWE:   []int{353, 494},
	Since: "0.1.0",
	Lock:  of(drift.Schema),
}
