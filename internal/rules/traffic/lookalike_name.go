package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/text"
)

// LookalikeName is traffic/lookalike-name.
var LookalikeName = &rule.Rule{
	ID:       "traffic/lookalike-name",
	Title:    "two tools with names that look the same",
	Trigger:  "Two tools of one list have names that a person takes for one: letters of another script, capitals, characters that are not seen.",
	Message:  "The tools {one} and {two} look the same",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic, rule.Unicode},
	Aliases:  []string{"tool-name-confusable-duplicate"},
	OWASP:    "MCP03",
	CWE:      []int{1007, 451},
	Since:    "0.1.0",
	Action:   rule.ActNote,
	Traffic: func(p *rule.Pass, m *traffic.Message) {
		if m.Cards == nil {
			return
		}
		for _, s := range m.Cards.Servers {
			seen := map[string]*card.Card{}
			for c := range s.Of(card.Tool) {
				looks := text.Skeleton(c.Name)
				if was := seen[looks]; was == nil {
					seen[looks] = c
				} else if was.Name != c.Name {
					p.Report(rule.At(c.NameNode), rule.Args{"one": was.Label(), "two": c.Label()}, rule.ForCard(c), rule.Also(rule.At(was.NameNode), "the other one"))
				}
			}
		}
	},
}
