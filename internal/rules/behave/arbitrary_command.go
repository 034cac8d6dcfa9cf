package behave

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ArbitraryCommand is card/arbitrary-command.
var ArbitraryCommand = &rule.Rule{
	ID:      "card/arbitrary-command",
	Title:   "a tool that runs what the model writes",
	Trigger: "A tool says that it runs commands or code, and takes them as text without a list of values or a pattern.",
	Message: "The tool {tool} takes what it runs as free text, in {parameter}",

	Severity: finding.Warning,
	Tags:     []string{rule.Behaviour},
	Aliases:  []string{"COMMAND_PARAMETER_UNCONSTRAINED"},
	OWASP:    "MCP05",
	CWE:      []int{78, 94},
	Since:    "0.1.0",
	Once:     once,
	Card:     arbitraryCommand,
}

func arbitraryCommand(p *rule.Pass, c *card.Card) {
	does := c.Does()
	if does == nil || !does.Has(card.Runs) || !explained(p, c, card.TakesCommand) {
		return
	}
	for _, one := range does.Parameters {
		if one.Free && (one.Kind == card.TakesCommand || one.Kind == card.TakesScript) {
			p.Report(rule.Key(one.Node), rule.Args{"tool": c.Label(), "parameter": one.Node.Key()})
			return // one finding a tool
		}
	}
}
