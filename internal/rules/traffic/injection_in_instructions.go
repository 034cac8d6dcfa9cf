package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// InjectionInInstructions is traffic/injection-in-instructions.
var InjectionInInstructions = &rule.Rule{
	ID:       "traffic/injection-in-instructions",
	Title:    "an order in the server's instructions",
	Trigger:  "The instructions or the names that a server gives itself steer the model against its user.",
	Message:  "What the server says of itself works against its user",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic, rule.Poisoning},
	Aliases:  []string{"owasp-mcp-1-initialize-instruction-injection"},
	OWASP:    "MCP06",
	CWE:      []int{74, 1427},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { steering(p, m, false) },
}

// steering reports the cards that steer a model against its user, or what a server says of itself.
func steering(p *rule.Pass, m *traffic.Message, cards bool) {
	if m.Cards == nil {
		return
	}
	for _, s := range m.Cards.Servers {
		for _, v := range speech.Verdicts(s, p.Limits) {
			if v.Orders() && (v.Card != nil) == cards {
				args, opts := rule.Args{}, []rule.Option(nil)
				if cards {
					args["kind"], args["card"] = v.Card.Kind.String(), v.Card.Label()
					opts = append(opts, rule.ForCard(v.Card))
				}
				p.Report(place(&v.List[v.Main]), args, opts...)
			}
		}
	}
}
