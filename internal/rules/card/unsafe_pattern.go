package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UnsafePattern is card/unsafe-pattern.
var UnsafePattern = &rule.Rule{
	ID:       "card/unsafe-pattern",
	Title:    "a pattern that may never end",
	Trigger:  "A pattern repeats a group that can match one text in several ways: a short text can keep whoever tries it busy for good.",
	Message:  `{names}: a pattern can take time without end on a short text`,
	Severity: finding.Warning,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"POTENTIAL_REDOS_PATTERN"},
	CWE:      []int{1333},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Repeat nothing that repeats itself, as in (a+)+.",
	Surface: tell,
}
