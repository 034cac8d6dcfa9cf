package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UnjudgedSchema is card/unjudged-schema.
var UnjudgedSchema = &rule.Rule{
	ID:       "card/unjudged-schema",
	Title:    "a schema that was not judged to its end",
	Trigger:  "A schema holds more schemas, nests deeper, or has a longer pattern or number than is looked at.",
	Message:  `{names}: {what}: what lies beyond was not judged`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"SCHEMA_TOO_DEEP", "SCHEMA_TOO_LARGE", "SCHEMA_META_VALIDATION_SKIPPED", "PATTERN_TOO_LONG"},
	CWE:      []int{400},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Make the schema smaller, or flatter.",
	Surface: tell,
}
