package behave

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// DeniedNetwork is card/denied-network.
var DeniedNetwork = &rule.Rule{
	ID:      "card/denied-network",
	Title:   "a tool that opens any address and says that its world is closed",
	Trigger: "Name, description and a parameter of a tool all say that it opens an address that the model picks, and its openWorldHint is false.",
	Message: "The tool {tool} says that its world is closed, and opens the address that it is given in {parameter}",

	Severity:   finding.Warning,
	Confidence: finding.Medium,
	Tags:       []string{rule.Behaviour},
	Aliases:    []string{"ANNOTATION_CONFLICT_OPEN_WORLD"},
	OWASP:      "MCP03",
	CWE:        []int{451},
	Since:      "0.1.0",
	Once:       once,
	Card:       deniedNetwork,
}

func deniedNetwork(p *rule.Pass, c *card.Card) {
	open, set := c.Hint("openWorldHint")
	if open || !set {
		return
	}
	does := c.Does()
	if does == nil || !does.Says(card.Network, card.ByName) || !does.Says(card.Network, card.ByText) {
		return
	}
	for _, one := range does.Parameters {
		if one.Kind == card.TakesAddress && one.Free {
			p.Report(rule.At(c.Annotations.Get("openWorldHint")), rule.Args{"tool": c.Label(), "parameter": one.Node.Key()}, rule.Also(rule.Key(one.Node), "the address"))
			return
		}
	}
}
