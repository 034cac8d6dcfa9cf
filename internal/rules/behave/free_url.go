package behave

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// FreeURL is card/free-url.
var FreeURL = &rule.Rule{
	ID:      "card/free-url",
	Title:   "a tool that takes any address",
	Trigger: "A tool takes the address that it opens as text without a list of values or a pattern. Only the profile strict runs this rule.",
	Message: "The tool {tool} takes any address in {parameter}",

	Severity: finding.Info,
	Tags:     []string{rule.Behaviour},
	Aliases:  []string{"URL_PARAMETER_ALLOWLIST_MISSING"},
	OWASP:    "MCP05",
	CWE:      []int{918},
	Since:    "0.1.0",
	Once:     once,
	Card:     free(card.Network, card.TakesAddress),
}
