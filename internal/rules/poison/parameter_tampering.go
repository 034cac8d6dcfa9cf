package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// ParameterTampering is card/parameter-tampering.
var ParameterTampering = &rule.Rule{
	ID:       "card/parameter-tampering",
	Title:    "values that are to replace the user's",
	Trigger:  "A card asks the model to replace what the user gave, to say a fixed text, or to answer regardless of the question.",
	Message:  "The {kind} {card} wants other values than the user gave: {text}",
	Severity: finding.Error,
	Tags:     []string{rule.Poisoning},
	OWASP:    "MCP03",
	CWE:      []int{74, 472},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.ParameterTampering) },
}
