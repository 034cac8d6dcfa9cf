package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// Concealment is card/concealment.
var Concealment = &rule.Rule{
	ID:       "card/concealment",
	Title:    "something that the user is not to know",
	Trigger:  "A card asks the model not to tell its user of something, to do it silently, or to make it look like something else.",
	Message:  "The {kind} {card} wants something kept from the user: {text}",
	Severity: finding.Error,
	Tags:     []string{rule.Poisoning},
	Aliases:  []string{"TOOL_POISONING_HIDDEN_INSTRUCTION"},
	OWASP:    "MCP03",
	CWE:      []int{74, 451},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.Concealment) },
}
