package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// CallerParameter is card/caller-parameter.
var CallerParameter = &rule.Rule{
	ID:       "card/caller-parameter",
	Title:    "a parameter that asks about the caller",
	Trigger:  "A tool asks for the name of the model, the conversation or the system prompt, which its work does not need.",
	Message:  "{count} tools ask for what only their caller knows: {names}",
	One:      "The tool {names} asks for what only its caller knows",
	Severity: finding.Warning,
	Tags:     []string{rule.Poisoning},
	OWASP:    "MCP10",
	CWE:      []int{359},
	Since:    "0.1.0",
	Surface:  func(p *rule.Pass, s *card.Server) { callers(p, s) },
}

func callers(p *rule.Pass, s *card.Server) {
	var g rule.Gather
	for _, v := range speech.Verdicts(s, p.Limits) {
		for i := range v.List {
			if e := &v.List[i]; e.Idea == speech.CallerParameter {
				g.AddCard(v.Card, place(e))
				break
			}
		}
	}
	g.Report(p, p.Rule.Message, nil)
}
