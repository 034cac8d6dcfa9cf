package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// MisplacedText is card/misplaced-text.
var MisplacedText = &rule.Rule{
	ID:       "card/misplaced-text",
	Title:    "an order where nobody looks for text",
	Trigger:  "A title, a default, a listed value, an example, a comment or an unknown member holds an order to the model.",
	Message:  "A {role} of the {kind} {card} holds an order to the model: {text}",
	Severity: finding.Error,
	Tags:     []string{rule.Poisoning},
	Aliases:  []string{"TOOL_POISONING_HIDDEN_INSTRUCTION"},
	OWASP:    "MCP03",
	CWE:      []int{74, 1427},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.MisplacedText) },
}
