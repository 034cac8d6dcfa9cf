package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// ExfilParameter is traffic/exfil-parameter.
var ExfilParameter = &rule.Rule{
	ID:       "traffic/exfil-parameter",
	Title:    "a parameter that takes what only the model knows",
	Trigger:  "A tool has a parameter for the system prompt, the conversation or the model's thoughts, which the model must fill in, or whose name is made to look internal.",
	Message:  "The tool {card} has a parameter {name} that takes what only the model knows",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic, rule.Poisoning},
	Aliases:  []string{"exfil-param-in-schema"},
	OWASP:    "MCP03",
	CWE:      []int{359, 200},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic: func(p *rule.Pass, m *traffic.Message) {
		if m.Cards == nil {
			return
		}
		for _, s := range m.Cards.Servers {
			for c := range s.Of(card.Tool) {
				takes(p, c, c.Input, 1)
			}
		}
	},
}

// parameterDepth is how many objects deep parameters are looked at.
const parameterDepth = 4

// takes looks at the parameters of one object of a schema.
func takes(p *rule.Pass, c *card.Card, schema source.Node, depth int) {
	for n := range schema.Get("properties").Children() {
		name := n.Key()
		sigil := len(name) > 2 && name[0] == '_' && name[len(name)-1] == '_'
		if speech.AsksCaller(name) && (sigil || required(schema, name)) && !speech.OfModels(c.Name) {
			p.Report(rule.Key(n), rule.Args{"card": c.Label(), "name": name}, rule.ForCard(c))
		}
		if depth < parameterDepth {
			takes(p, c, n, depth+1)
			takes(p, c, n.Get("items"), depth+1)
		}
	}
}

func required(schema source.Node, name string) bool {
	for r := range schema.Get("required").Children() {
		if r.Text() == name {
			return true
		}
	}
	return false
}
