package behave

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// FreePath is card/free-path.
var FreePath = &rule.Rule{
	ID:      "card/free-path",
	Title:   "a tool that takes any path",
	Trigger: "A tool that works on files takes a path as text without a list of values or a pattern. Only the profile strict runs this rule.",
	Message: "The tool {tool} takes any path in {parameter}",

	Severity: finding.Info,
	Tags:     []string{rule.Behaviour},
	Aliases:  []string{"PATH_PARAMETER_CONSTRAINT_MISSING"},
	OWASP:    "MCP05",
	CWE:      []int{22},
	Since:    "0.1.0",
	Once:     once,
	Card:     free(card.Files, card.TakesPath),
}
