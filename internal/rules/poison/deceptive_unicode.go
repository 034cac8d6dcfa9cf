package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// DeceptiveUnicode is card/deceptive-unicode.
var DeceptiveUnicode = &rule.Rule{
	ID:       "card/deceptive-unicode",
	Title:    "text that reads other than it is",
	Trigger:  "A card turns the direction of text around, or mixes letters of two scripts in one word.",
	Message:  "The {kind} {card} holds text that reads other than it is{text}",
	Severity: finding.Error,
	Tags:     []string{rule.Unicode, rule.Poisoning},
	Aliases:  []string{"HIDDEN_UNICODE_CONTROL", "hidden-chars-in-metadata"},
	OWASP:    "MCP03",
	CWE:      []int{451, 1007},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.DeceptiveUnicode) },
}
