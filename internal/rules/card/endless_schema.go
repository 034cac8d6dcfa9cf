package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// EndlessSchema is card/endless-schema.
var EndlessSchema = &rule.Rule{
	ID:       "card/endless-schema",
	Title:    "a schema without end",
	Trigger:  "A reference leads back to itself without a step into the value, or references blow the schema up beyond measure when they are written out.",
	Message:  `{names}: the reference {is} leads back to itself: judging a value never ends`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	CWE:      []int{674, 776},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write the schema out, or end the reference in a property that may be left out.",
	Surface: tell,
}
