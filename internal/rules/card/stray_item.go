package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// StrayItem is card/stray-item.
var StrayItem = &rule.Rule{
	ID:       "card/stray-item",
	Title:    "an item of a list that is no card",
	Trigger:  "A list of tools, prompts or resources holds null, a string, or anything else that is no object.",
	Message:  "An item of {list} is {what}, not an object: clients refuse the whole list",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"INVALID_TOOL_OBJECT"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "List objects alone.",
	Surface: strayItem,
}

func strayItem(p *rule.Pass, s *card.Server) {
	for _, n := range s.Strays {
		list := n.Parent().Key()
		if list == "" {
			list = "the list"
		}
		p.Report(rule.At(n), rule.Args{"list": list, "what": n.Kind().String()})
	}
}
