package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// DanglingRef is card/dangling-ref.
var DanglingRef = &rule.Rule{
	ID:       "card/dangling-ref",
	Title:    "a reference that leads nowhere",
	Trigger:  "A $ref leads to a place that is not in the schema, to another document by a relative path, or is no URI.",
	Message:  `{names}: the reference {is} leads nowhere`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Define what the reference names below $defs, or write it out in place.",
	Surface: tell,
}
