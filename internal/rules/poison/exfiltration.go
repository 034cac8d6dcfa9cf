package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// Exfiltration is card/exfiltration.
var Exfiltration = &rule.Rule{
	ID:       "card/exfiltration",
	Title:    "private data that is to be handed on",
	Trigger:  "A card asks for keys, credentials, conversations or private files that its work does not need, or sends data to a stranger.",
	Message:  "The {kind} {card} asks for private data to be handed on: {text}",
	Severity: finding.Error,
	Tags:     []string{rule.Poisoning},
	Aliases:  []string{"TOOL_POISONING_SECRET_EXFILTRATION"},
	OWASP:    "MCP03",
	CWE:      []int{200, 522},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.Exfiltration) },
}
