package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// IgnoredKeyword is card/ignored-keyword.
var IgnoredKeyword = &rule.Rule{
	ID:       "card/ignored-keyword",
	Title:    "a keyword that the dialect ignores",
	Trigger:  "A schema uses a keyword of another JSON Schema dialect than its own, or $schema below its root: nothing comes of it.",
	Message:  `{names}: "{what}" does nothing in this dialect`,
	Severity: finding.Info,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"NESTED_SCHEMA_DIALECT"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write it as the dialect that $schema names has it, or leave it out.",
	Surface: tell,
}
