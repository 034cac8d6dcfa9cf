package policy

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MalformedSuppression is policy/malformed-suppression.
var MalformedSuppression = &rule.Rule{
	ID:       "policy/malformed-suppression",
	Title:    "a suppression comment says too little",
	Trigger:  "A comment that is addressed to mcpassay lacks a rule, a reason, an owner or an end, or has one that is not valid.",
	Message:  "This comment suppresses nothing: {problem}",
	Severity: finding.Warning,
	Tags:     []string{rule.Hygiene},
	Since:    "0.1.0",
}
