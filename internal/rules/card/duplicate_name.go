package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// DuplicateName is card/duplicate-name.
var DuplicateName = &rule.Rule{
	ID:       "card/duplicate-name",
	Title:    "two cards of one name",
	Trigger:  "A server lists two tools, two prompts or two resources under one name: which of them a call reaches is the client's choice.",
	Message:  "The server lists {count} {kind} names twice: {names}",
	One:      "The server lists a second {kind} named {names}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"DUPLICATE_TOOL_NAME"},
	Since:    "0.1.0",
	Surface:  duplicateName,
}

func duplicateName(p *rule.Pass, s *card.Server) {
	type key struct {
		kind card.Kind
		name string
	}
	first := make(map[key]*card.Card, len(s.Cards))
	var again rule.Gathers[card.Kind]
	for _, c := range s.Cards {
		if c.Name == "" {
			continue
		}
		k := key{c.Kind, c.Name}
		if first[k] != nil {
			again.Of(c.Kind).AddCard(c, rule.At(c.NameNode))
			continue
		}
		first[k] = c
	}
	for _, kind := range again.Kinds {
		g := again.Of(kind)
		if g.Len() >= p.Limits.NamesTwice && !answered(s) {
			g.Report(p, "The list has {count} {kind} names twice, {names}: perhaps it is several lists in one", rule.Args{"kind": kind.String()},
				rule.WithKind(kind.String()), rule.WithSeverity(finding.Warning))
			continue
		}
		g.Report(p, p.Rule.Message, rule.Args{"kind": kind.String()}, rule.WithKind(kind.String()))
	}
}
