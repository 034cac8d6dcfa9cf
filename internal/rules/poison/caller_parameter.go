package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// CallerParameter is card/caller-parameter.
var CallerParameter = &rule.Rule{
	ID:       "card/caller-parameter",
	Title:    "a parameter that asks about the caller",
	Trigger:  "A tool asks for the name of the model, the conversation or the system prompt, which its work does not need.",
	Message:  "The {kind} {card} asks for what only its caller knows: {text}",
	Severity: finding.Warning,
	Tags:     []string{rule.Poisoning},
	OWASP:    "MCP10",
	CWE:      []int{359},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, callerParameter) },
}
