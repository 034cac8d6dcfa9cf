package probe

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/grade"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Judge judges what was probed, live or saved: the findings of the rules, and the score card beside them.
func Judge(set *load.Set, rules []*rule.Rule, facts rule.Facts) *engine.Result {
	card := Score(set, facts)
	res := set.Judge(rules, facts)
	res.Score = card
	for _, f := range set.Cards {
		res.Findings = once(res.Findings, f)
		for i := range res.Findings {
			if x := &res.Findings[i]; x.Location.Path == f.Path {
				x.Section, x.Check = section(x, f)
			}
		}
	}
	return res
}

// section is the part of the score card that a finding belongs to, and the check of it: that of the trial which it points
// at, else the part of the list or the greeting.
func section(x *finding.Finding, f *card.File) (part, check string) {
	for _, s := range f.Servers {
		for n := range s.Trials.Children() {
			if span := n.Span(); x.Location.Offset >= span.Start && x.Location.Offset < span.End {
				check = n.Get("trial").Text()
				return Section(wire.Trial(check)), check
			}
		}
		for n := range s.Faults.Children() {
			if span := n.Span(); x.Location.Offset >= span.Start && x.Location.Offset < span.End && n.Get("during").Text() != wire.Tools.Method() {
				return handshake, ""
			}
		}
		if hello := s.Node.Get("hello"); hello.Valid() && x.Location.Offset >= hello.Span().Start && x.Location.Offset < hello.Span().End {
			return handshake, ""
		}
	}
	return tools, ""
}

// once leaves out what is said of a server's second lane and was said of its first: a tool that both eras list has its
// faults once.
func once(found []finding.Finding, f *card.File) []finding.Finding {
	lane := func(x *finding.Finding) bool {
		return slices.ContainsFunc(f.Servers, func(s *card.Server) bool {
			span := s.Node.Span()
			return s.Lane && x.Location.Path == f.Path && x.Location.Offset >= span.Start && x.Location.Offset < span.End
		})
	}
	if len(f.Distinct()) == len(f.Servers) {
		return found
	}
	said := map[[3]string]bool{}
	for i := range found {
		if x := &found[i]; !lane(x) {
			said[[3]string{x.Rule, x.Message, x.Tool}] = true
		}
	}
	return slices.DeleteFunc(found, func(x finding.Finding) bool {
		return lane(&x) && said[[3]string{x.Rule, x.Message, x.Tool}]
	})
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
