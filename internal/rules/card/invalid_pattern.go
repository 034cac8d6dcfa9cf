package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// InvalidPattern is card/invalid-pattern.
var InvalidPattern = &rule.Rule{
	ID:       "card/invalid-pattern",
	Title:    "a pattern that does not compile",
	Trigger:  "A pattern, or a name in patternProperties, is no ECMA-262 expression, or only without the u flag that JSON Schema names.",
	Message:  `{names}: a pattern does not compile: {want}`,
	Severity: finding.Warning,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Correct the pattern: an expression of ECMA-262.",
	Surface: tell,
}
