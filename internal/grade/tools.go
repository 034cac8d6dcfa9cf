package grade

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// penalty is what a finding costs each tool that it is about, of one.
type penalty struct {
	rule     string
	cost     float64
	expected string
	fix      string
}

// penalties are the checks of the score, in the order of their weight. The rules find more, which costs nothing here.
var penalties = []penalty{
	{"card/missing-name", 1, "a name", "give the tool a name"},
	{"card/missing-input-schema", 1, "an inputSchema", `add "inputSchema": {"type": "object"}`},
	{"card/root-not-object", 1, "an inputSchema of type object", `say "type": "object" at its root`},
	{"card/invalid-schema", 1, "a valid JSON Schema", "write the keyword as JSON Schema has it"},
	{"card/invalid-pattern", 1, "patterns that compile", "correct the pattern"},
	{"card/impossible-schema", 1, "a schema that some value meets", "list the values, or drop the enum"},
	{"card/undefined-required", 1, "every required property is defined", "define it under properties, or drop it from required: likely a mistake"},
	{"card/duplicate-name", 1, "one tool a name", "rename one of the tools"},
	{"card/wrong-type", 1, "members of the types that the specification has", "correct the type"},
	{"card/missing-description", 0.4, "a description", "say what the tool does, and when to use it"},
	{"card/invalid-name", 0.4, "a name of A-Z, a-z, 0-9, _, - and .", "rename the tool"},
	{"card/case-differs", 0.4, "names that differ by more than case", "rename one of the tools"},
	{"card/thin-description", 0.1, "a description that tells what the tool does", "say what the tool does, and when to use it"},
}

// Rules are the ids of the rules whose findings the score of the tools is made of.
func Rules() (ids []string) {
	for _, p := range penalties {
		ids = append(ids, p.rule)
	}
	return ids
}

// tools is 30 times the mean of what is left of each tool once its faults are taken off.
func (l *lane) tools(found []finding.Finding) score.Section {
	s := score.Section{Max: maxTools, Rows: []score.Row{}}
	t := l.one(wire.ToolsList)
	r := row("tools-list", "a result with tools", t)
	tools := slices.Collect(l.Of(card.Tool))
	gap := l.gap(wire.Tools.String())
	switch {
	case !l.began():
		return score.Section{Max: maxTools, Applies: true, Rows: []score.Row{r}}
	case len(tools) == 0 && gap != nil && gap.Cause == wire.CauseAuth:
		s.Rows = append(s.Rows, say(r, gated, "a client has to authorize first", ""))
		return s
	case len(tools) == 0 && gap != nil && t != nil && !unchecked(t):
		s.Applies = true
		s.Rows = append(s.Rows, say(r, wrong, "a client finds no tool: "+gap.Detail, "answer tools/list with a result"))
		return s
	case len(tools) == 0 && (t == nil || unchecked(t)):
		s.Rows = append(s.Rows, r)
		return s
	case len(tools) == 0:
		s.Rows = append(s.Rows, say(r, ok, "there are no tools to look at", ""))
		return s
	}
	s.Applies = true
	s.Rows = append(s.Rows, say(r, ok, "a client finds the tools", ""))
	left := make([]float64, len(tools))
	for i := range left {
		left[i] = 1
	}
	for _, p := range penalties {
		for i := range found {
			f := &found[i]
			if f.Rule != p.rule || f.Location.Offset < l.Node.Span().Start || f.Location.Offset >= l.Node.Span().End {
				continue
			}
			hit := about(f, tools)
			if len(hit) == 0 { // it is about a prompt
				continue
			}
			for _, k := range hit {
				left[k] -= p.cost
			}
			verdict := wrong
			if p.cost < 1 {
				verdict = partial
			}
			s.Rows = append(s.Rows, say(row(p.rule, p.expected, nil), verdict, f.Message, p.fix))
		}
	}
	sum := 0.0
	for _, x := range left {
		sum += max(0, x)
	}
	s.Score = tenth(maxTools * sum / float64(len(tools)))
	return s
}

// about are the tools that a finding is about, by their numbers. A finding shows only the first places of a fault that many
// share: of the rest it has the count, and the next tools stand for them.
func about(f *finding.Finding, tools []*card.Card) (hit []int) {
	at := func(offset int) {
		i, in := slices.BinarySearchFunc(tools, offset, func(c *card.Card, offset int) int {
			switch span := c.Node.Span(); {
			case span.End <= offset:
				return -1
			case span.Start > offset:
				return 1
			}
			return 0
		})
		if in && !slices.Contains(hit, i) {
			hit = append(hit, i)
		}
	}
	at(f.Location.Offset)
	for _, r := range f.Related {
		if r.Location != nil && r.Rule == "" {
			at(r.Location.Offset)
		}
	}
	if len(hit) > 0 {
		for i := slices.Max(hit) + 1; i < len(tools) && len(hit) < f.Count; i++ {
			hit = append(hit, i)
		}
	}
	return hit
}
