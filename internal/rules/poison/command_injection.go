package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// CommandInjection is card/command-injection.
var CommandInjection = &rule.Rule{
	ID:       "card/command-injection",
	Title:    "a command that the model is to run",
	Trigger:  "A card asks the model to run a command line, or to change files of the system, that its work does not need.",
	Message:  "The {kind} {card} asks for a command or a change of the system: {text}",
	Severity: finding.Error,
	Tags:     []string{rule.Poisoning},
	OWASP:    "MCP05",
	CWE:      []int{78, 77},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.CommandInjection) },
}
