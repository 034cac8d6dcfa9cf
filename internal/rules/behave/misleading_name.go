package behave

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MisleadingName is card/misleading-name.
var MisleadingName = &rule.Rule{
	ID:      "card/misleading-name",
	Title:   "a name that reads and a description that deletes",
	Trigger: "A tool's name says that it reads, and the first thing that its description says is that it deletes, pays or sends.",
	Message: "The tool {tool} has the name of one that reads, and its description says first that it can {does}",

	Severity:   finding.Warning,
	Confidence: finding.Medium,
	Tags:       []string{rule.Behaviour},
	OWASP:      "MCP03",
	CWE:        []int{451},
	Since:      "0.1.0",
	Once:       once,
	Card:       misleadingName,
}

func misleadingName(p *rule.Pass, c *card.Card) {
	does := c.Does()
	if does == nil || does.Verb != card.Reads || !does.Plainly(card.Reads, card.ByName) {
		return
	}
	switch does.First {
	case card.Deletes, card.Pays, card.Sends:
		if does.Plainly(does.First, card.ByText) {
			p.Report(rule.At(c.Description), rule.Args{"tool": c.Label(), "does": does.First.String()})
		}
	}
}
