// Package decide says of one tool whether a client should offer it: at once, after a person has approved it, or not at
// all. Reports, locks, the guard and the audit all ask the one function here.
//
// It is a room of its own because it joins what no other room may know together: what a card says (model/card), what was
// found on it after policy, and which rules block (catalog). Flows import it; it imports no flow, prints nothing and
// touches nothing.
package decide

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Decision is what a client should do with a tool. A later one wins over an earlier one.
type Decision uint8

// The decisions.
const (
	Include Decision = iota
	Approve
	Block
)

func (d Decision) String() string { return [...]string{"include", "approve", "block"}[d] }

// Level is how much harm a call may do, or how sure it is that harm is meant.
type Level uint8

// The levels.
const (
	Low Level = iota
	Medium
	High
	Critical
)

func (l Level) String() string { return [...]string{"low", "medium", "high", "critical"}[l] }

// Verdict is the decision on one tool, with the words that say why: each a rule's id, or an ability with the word that
// told of it.
type Verdict struct {
	Decision     Decision
	Level        Level
	Capabilities []string
	Reasons      []string
}

// The table of what decides is docs/tool-decisions.md; a test holds each of its rows.

// fewAbilities is how many most tools have.
const fewAbilities = 3

// Tool decides on one tool. Own are the findings on it and around those on its server as a whole, both after policy.
func Tool(c *card.Card, own, around []*finding.Finding) Verdict {
	v := Verdict{Capabilities: make([]string, 0, fewAbilities), Reasons: []string{}}
	for _, f := range own {
		v.finding(f, true)
	}
	for _, f := range around {
		v.finding(f, false)
	}
	does := c.Does()
	if does == nil {
		return v
	}
	for _, a := range card.Abilities() {
		if does.Has(a) {
			v.Capabilities = append(v.Capabilities, a.String())
			v.ability(does, a)
		}
	}
	if destructive, _ := c.Hint("destructiveHint"); destructive {
		v.raise(Approve, Medium, "destructiveHint")
	}
	if len(v.Capabilities) == 0 {
		v.raise(Include, Medium, "nothing tells what it does")
	}
	return v
}

// raise takes a step up and says why. What changes nothing is a reason only beside others of its weight.
func (v *Verdict) raise(d Decision, l Level, why string) {
	if d > v.Decision || d == v.Decision && l > v.Level {
		v.Decision, v.Level, v.Reasons = d, max(l, v.Level), v.Reasons[:0]
	} else if d < v.Decision || l < v.Level {
		return
	}
	if !slices.Contains(v.Reasons, why) && len(v.Reasons) < limits.Default.Reasons {
		v.Reasons = append(v.Reasons, why)
	}
}

// protective are the tags of rules whose findings say that a tool is dangerous, not that it is badly written.
var protective = [...]string{rule.Poisoning, rule.Unicode, rule.Secret, rule.Behaviour, rule.Traffic}

// finding weighs one finding. A warning about a server says too little of each of its tools.
func (v *Verdict) finding(f *finding.Finding, own bool) {
	if f.Status != finding.Active {
		return
	}
	r, ok := catalog.ByID(f.Rule)
	if !ok {
		return
	}
	tagged := func(tag string) bool { return slices.Contains(r.Tags, tag) }
	switch {
	case tagged(rule.Block):
		v.raise(Block, Critical, f.Rule)
	case !slices.ContainsFunc(protective[:], tagged):
	case f.Severity == finding.Error:
		v.raise(Approve, High, f.Rule)
	case f.Severity == finding.Warning && own:
		v.raise(Approve, Medium, f.Rule)
	}
}

// ability weighs one thing that a tool can do. To read says nothing against it.
func (v *Verdict) ability(does *card.Capabilities, a card.Ability) {
	decision, level := Approve, High
	switch a {
	case card.Reads:
		return
	case card.Runs:
	case card.Deletes, card.Pays:
		if !does.Sure(a) {
			level = Medium
		}
	case card.Secrets: // a parameter alone asks for one, and gives none away
		if !does.Sure(a) || !does.Says(a, card.ByName) && !does.Says(a, card.ByText) {
			level = Medium
		}
	case card.Sends:
		level = Medium
	default:
		decision, level = Include, Medium
	}
	if decision >= v.Decision && (decision > v.Decision || level >= v.Level) {
		v.raise(decision, level, text.Safe(a.String()+": "+does.Why(a), limits.Default.ReasonRunes))
	}
}
