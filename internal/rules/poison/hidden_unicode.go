package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// HiddenUnicode is card/hidden-unicode.
var HiddenUnicode = &rule.Rule{
	ID:       "card/hidden-unicode",
	Title:    "characters that are not seen",
	Trigger:  "A card holds characters that no font draws, or so many blanks that the text behind them is out of sight.",
	Message:  "The {kind} {card} holds characters that are not seen, or text out of sight{text}",
	Severity: finding.Error,
	Tags:     []string{rule.Unicode, rule.Poisoning},
	Aliases:  []string{"HIDDEN_UNICODE_CONTROL", "hidden-chars-in-metadata"},
	OWASP:    "MCP03",
	CWE:      []int{451, 1007},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.HiddenUnicode) },
}
