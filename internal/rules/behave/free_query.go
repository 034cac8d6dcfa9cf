package behave

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// FreeQuery is card/free-query.
var FreeQuery = &rule.Rule{
	ID:      "card/free-query",
	Title:   "a tool that takes any SQL",
	Trigger: "A tool takes SQL as text without a list of values or a pattern. Only the profile strict runs this rule.",
	Message: "The tool {tool} takes any SQL in {parameter}",

	Severity: finding.Info,
	Tags:     []string{rule.Behaviour},
	Aliases:  []string{"COMMAND_PARAMETER_UNCONSTRAINED"},
	OWASP:    "MCP05",
	CWE:      []int{89},
	Since:    "0.1.0",
	Once:     once,
	Card:     free(card.Nothing, card.TakesQuery),
}
