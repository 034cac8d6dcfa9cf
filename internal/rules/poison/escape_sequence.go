package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// EscapeSequence is card/escape-sequence.
var EscapeSequence = &rule.Rule{
	ID:       "card/escape-sequence",
	Title:    "control characters",
	Trigger:  "A card holds control characters, which drive a terminal that shows them.",
	Message:  "The {kind} {card} holds control characters{text}",
	Severity: finding.Error,
	Tags:     []string{rule.Unicode, rule.Poisoning},
	Aliases:  []string{"HIDDEN_UNICODE_CONTROL", "hidden-chars-in-metadata"},
	OWASP:    "MCP03",
	CWE:      []int{150, 451},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.EscapeSequence) },
}
