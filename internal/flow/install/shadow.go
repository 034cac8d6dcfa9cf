package install

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Shadows runs the rules that compare servers over the cards of a lock, of those servers that are named: whether a tool of
// one passes for a tool of another, or gives orders about it. Unknown are servers of which the lock holds no cards, or that no
// rule could judge: nobody knows what those would shadow.
func Shadows(f *lock.File, names []string, facts rule.Facts, lim limits.Set) (found []finding.Finding, unknown []string) {
	for _, name := range names {
		if s := f.Get(name); s == nil || s.Unpinned || s.Partial != nil {
			unknown = append(unknown, name)
		}
	}
	cards := card.Read(f.Doc)
	if cards == nil || len(unknown) == len(names) {
		return nil, unknown
	}
	cards.Path, cards.Abs = f.Path, f.Abs
	cards.Servers = slices.DeleteFunc(cards.Servers, func(s *card.Server) bool {
		return !slices.Contains(names, s.Name) || slices.Contains(unknown, s.Name)
	})
	rules := slices.DeleteFunc(slices.Clone(catalog.All()), func(r *rule.Rule) bool {
		return r.Cards == nil || r.ID != "card/lookalike-tool" && !slices.Contains(r.Aliases, "CROSS_SERVER_TOOL_SHADOWING")
	})
	found, incomplete := engine.Judge(engine.Input{Cards: []*card.File{cards}, Rules: rules, Facts: facts, Limits: lim, All: true})
	for _, i := range incomplete {
		unknown = append(unknown, i.Path+": "+i.Detail)
	}
	return found, unknown
}
