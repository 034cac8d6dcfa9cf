package behave

import (
	"strings"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UnsaidSideEffect is card/unsaid-side-effect.
var UnsaidSideEffect = &rule.Rule{
	ID:      "card/unsaid-side-effect",
	Title:   "a description that is silent about what is deleted or paid",
	Trigger: "A tool's name says that it deletes or pays, and neither its description nor its destructiveHint says so.",
	Message: `The tool {tool} can {does}, and its description does not say so`,

	Severity:   finding.Info,
	Confidence: finding.Medium,
	Tags:       []string{rule.Behaviour},
	Aliases:    []string{"MISSING_SIDE_EFFECT_WARNING"},
	OWASP:      "MCP03",
	CWE:        []int{1059},
	Since:      "0.1.0",
	Once:       once,
	Card:       unsaidSideEffect,
}

func unsaidSideEffect(p *rule.Pass, c *card.Card) {
	does := c.Does()
	if does == nil {
		return
	}
	text := c.Description.Text()
	if destructive, _ := c.Hint("destructiveHint"); destructive || strings.TrimSpace(text) == "" || !english(head(p, c)) {
		return
	}
	ability, admits := card.Nothing, "delet- destr- remov- eras- wip- purg- drop- truncat- shred- permanent- irrevers- lost gone clean-"
	switch {
	case does.Plainly(card.Deletes, card.ByName):
		ability = card.Deletes
	case does.Plainly(card.Pays, card.ByName):
		ability, admits = card.Pays, "pay- paid buy- purchas- charg- refund- money fund- cost- bill- withdraw- donat- transfer-"
	default:
		return
	}
	if !mentions(lower(text), admits) {
		p.Report(rule.At(c.Description), rule.Args{"tool": c.Label(), "does": ability.String()}, rule.WithKind("description"))
	}
}

// english says that a text is written in plain Latin letters for the most part, so that a rule on English words may judge
// what it does not say.
func english(text string) bool {
	others := 0
	for _, r := range text {
		if r >= utf8.RuneSelf {
			others++
		}
	}
	return 10*others <= len(text)
}
