package policy

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ExpiredSuppression is policy/expired-suppression.
var ExpiredSuppression = &rule.Rule{
	ID:       "policy/expired-suppression",
	Title:    "a suppression is over",
	Trigger:  "The last day of a suppression, in the policy or in a comment, lies in the past.",
	Message:  "Suppression of {rule} by {owner} ended on {date}, its findings count again",
	Severity: finding.Warning,
	Tags:     []string{rule.Hygiene},
	Since:    "0.1.0",
}
