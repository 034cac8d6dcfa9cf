package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ImpossibleSchema is card/impossible-schema.
var ImpossibleSchema = &rule.Rule{
	ID:       "card/impossible-schema",
	Title:    "a schema that nothing can meet",
	Trigger:  "A lower bound is above its upper bound, or an enum is empty: no value is valid.",
	Message:  `{names}: no value meets both "{what}" and "{is}"`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"INVERTED_NUMERIC_BOUNDS", "INVERTED_SIZE_BOUNDS"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "List the values, or drop one of the two.",
	Surface: tell,
}
