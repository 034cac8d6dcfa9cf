package policy

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UnusedSuppression is policy/unused-suppression.
var UnusedSuppression = &rule.Rule{
	ID:       "policy/unused-suppression",
	Title:    "a suppression hides nothing",
	Trigger:  "A suppression, in the policy or in a comment, matches no finding although its rule ran.",
	Message:  "Suppression of {rule} hides no finding",
	Severity: finding.Info,
	Tags:     []string{rule.Hygiene},
	Since:    "0.1.0",
}
