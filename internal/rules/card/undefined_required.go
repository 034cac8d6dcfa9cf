package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UndefinedRequired is card/undefined-required.
var UndefinedRequired = &rule.Rule{
	ID:       "card/undefined-required",
	Title:    "a required property that nothing defines",
	Trigger:  "required names a property that no schema for the same value defines: likely a mistake.",
	Message:  `{names}: "{what}" is required and not defined`,
	Severity: finding.Warning,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"UNKNOWN_REQUIRED_FIELD"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Define it under properties, or drop it from required.",
	Surface: tell,
}
