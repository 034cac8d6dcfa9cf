package card

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// UndescribedParameter is card/undescribed-parameter.
var UndescribedParameter = &rule.Rule{
	ID:       "card/undescribed-parameter",
	Title:    "parameters without a description",
	Trigger:  "A parameter of a tool has no description.",
	Message:  "{count} tools have parameters without a description: {names}",
	One:      "{names} has parameters without a description",
	Severity: finding.Info,
	Tags:     []string{rule.Hygiene},
	Aliases:  []string{"PARAMETER_DESCRIPTION_MISSING"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Say what each parameter means.",
	Surface: undescribedParameter,
}

func undescribedParameter(p *rule.Pass, s *card.Server) {
	var g rule.Gather
	for c := range s.Of(card.Tool) {
		for n := range c.Parameters() {
			if n.Kind() == source.Object && strings.TrimSpace(n.Get("description").Text()) == "" && !n.Get("$ref").Valid() {
				g.AddCard(c, rule.Key(n))
				break
			}
		}
	}
	g.Report(p, p.Rule.Message, nil)
}
