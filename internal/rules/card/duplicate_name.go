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
	Message:  "The server lists {count} names twice: {names}",
	One:      "The server lists {names} twice",
	Severity: finding.Warning,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"DUPLICATE_TOOL_NAME"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Rename one of the tools.",
	Surface: duplicateName,
}

func duplicateName(p *rule.Pass, s *card.Server) {
	type key struct {
		kind card.Kind
		name string
	}
	seen := make(map[key]bool, len(s.Cards))
	var twice rule.Gather
	for _, c := range s.Cards {
		if k := (key{c.Kind, c.Name}); c.Name != "" {
			if seen[k] {
				twice.AddCard(c, rule.At(c.NameNode))
			}
			seen[k] = true
		}
	}
	twice.Report(p, p.Rule.Message, nil)
}
