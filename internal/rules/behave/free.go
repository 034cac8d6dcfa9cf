package behave

import (
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// free reports the first parameter of a kind that takes whatever text the model gives. can is what the tool must be able to do,
// card.Nothing where the parameter says enough.
func free(can card.Ability, kind card.ParameterKind) func(*rule.Pass, *card.Card) {
	return func(p *rule.Pass, c *card.Card) {
		does := c.Does()
		if does == nil || can != card.Nothing && !does.Has(can) {
			return
		}
		for _, one := range does.Parameters {
			if one.Kind == kind && one.Free {
				p.Report(rule.Key(one.Node), rule.Args{"tool": c.Label(), "parameter": one.Node.Key()}, rule.WithKind(one.Node.Key()))
				return
			}
		}
	}
}
