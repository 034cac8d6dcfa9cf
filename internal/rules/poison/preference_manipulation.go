package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// PreferenceManipulation is card/preference-manipulation.
var PreferenceManipulation = &rule.Rule{
	ID:       "card/preference-manipulation",
	Title:    "a tool that praises itself to the model",
	Trigger:  "A card says that it is the best tool, or is to be chosen over all others, whatever the task.",
	Message:  "The {kind} {card} praises itself to be chosen: {text}",
	Severity: finding.Warning,
	Tags:     []string{rule.Poisoning},
	OWASP:    "MCP03",
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.PreferenceManipulation) },
}
