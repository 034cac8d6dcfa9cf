package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// EncodedPayload is card/encoded-payload.
var EncodedPayload = &rule.Rule{
	ID:       "card/encoded-payload",
	Title:    "an order in encoded form",
	Trigger:  "Text in base64, hex or escapes holds what would be a finding if it were written plainly.",
	Message:  "The {kind} {card} holds an order in encoded form: {text}",
	Severity: finding.Error,
	Tags:     []string{rule.Poisoning},
	Aliases:  []string{"OBFUSCATED_METADATA"},
	OWASP:    "MCP03",
	CWE:      []int{506, 1427},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.EncodedPayload) },
}
