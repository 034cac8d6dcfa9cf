package card

import (
	"strconv"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// RootCombinator is card/root-combinator.
var RootCombinator = &rule.Rule{
	ID:       "card/root-combinator",
	Title:    "alternatives at the root of a schema",
	Trigger:  "inputSchema has allOf, anyOf or oneOf at its root: the specification allows it, and the API behind some clients does not.",
	Message:  "{names}: {what} stands at the root of inputSchema. {by}: {is}",
	Severity: finding.Info,
	Tags:     []string{rule.Portability},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Say in the description which parameters belong together, or move the alternatives below one property. The server can keep the strict schema for its own checks.",
	Surface: tell,
}

func (v *survey) rootCombinator(c *card.Card) {
	for n := range c.Input.Children() {
		switch key := n.Key(); key {
		case "allOf", "anyOf", "oneOf":
			v.shape(c, client.RootCombinator, rule.Key(n), "card/root-combinator", strconv.Quote(key),
				"say in the description which parameters belong together, or move the alternatives below one property; publish the relaxed schema and keep the strict one for the server's own checks")
		}
	}
}
