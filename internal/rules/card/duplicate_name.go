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
	Message:  "The server lists a second {kind} named {name}",
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
	for _, c := range s.Cards {
		if c.Name == "" {
			continue
		}
		k := key{c.Kind, c.Name}
		if o := first[k]; o != nil {
			p.Report(rule.At(c.NameNode), rule.Args{"kind": c.Kind.String(), "name": c.Name}, rule.ForCard(c), rule.Also(rule.At(o.NameNode), "the first one"))
			continue
		}
		first[k] = c
	}
}
