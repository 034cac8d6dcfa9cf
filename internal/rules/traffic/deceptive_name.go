package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/text"
)

// DeceptiveName is traffic/deceptive-name.
var DeceptiveName = &rule.Rule{
	ID:       "traffic/deceptive-name",
	Title:    "a tool whose name is not what it looks like",
	Trigger:  "The name of a tool mixes letters of two scripts that look alike, or holds characters that are not seen.",
	Message:  "The name of the tool {name} is not what it looks like",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic, rule.Unicode},
	Aliases:  []string{"tool-name-deceptive-characters"},
	OWASP:    "MCP03",
	CWE:      []int{1007, 451},
	Since:    "0.1.0",
	Action:   rule.ActNote,
	Traffic: func(p *rule.Pass, m *traffic.Message) {
		if m.Cards == nil {
			return
		}
		for _, s := range m.Cards.Servers {
			for c := range s.Of(card.Tool) {
				if !text.Spelled(c.Name) && deceptive(c.Name) {
					p.Report(rule.At(c.NameNode), rule.Args{"name": c.Label()}, rule.ForCard(c))
				}
			}
		}
	},
}

// deceptive says whether a name holds what is not seen, or Latin letters beside those of scripts that look like them.
func deceptive(name string) bool {
	if f := text.Fold(name); f.Signs.Any() {
		return true
	}
	latin, other := false, false
	for _, r := range name {
		latin = latin || r < 0x80 && letter(byte(r))
		other = other || r >= 0x370 && r < 0x530 // Greek and Cyrillic
	}
	return latin && other
}
