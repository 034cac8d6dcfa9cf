package probe

import (
	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/grade"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Judge judges what was probed, live or saved: the findings of the rules, and the score card beside them.
func Judge(set *load.Set, rules []*rule.Rule, facts rule.Facts) *engine.Result {
	card := Score(set, facts)
	res := set.Judge(rules, facts)
	res.Score = card
	return res
}

// Score is the score card of what was probed, nil where nothing was. The rules that it rests on always run: a policy
// changes what a report says, never what a server is worth.
func Score(set *load.Set, facts rule.Facts) *score.Card {
	var rules []*rule.Rule
	for _, id := range grade.Rules() {
		if r, ok := catalog.ByID(id); ok {
			rules = append(rules, r)
		}
	}
	var servers []*card.Server
	for _, f := range set.Cards {
		servers = append(servers, f.Servers...)
	}
	return grade.Of(servers, set.Judge(rules, facts).Findings)
}
