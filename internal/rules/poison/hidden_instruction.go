package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// HiddenInstruction is card/hidden-instruction.
var HiddenInstruction = &rule.Rule{
	ID:       "card/hidden-instruction",
	Title:    "text that poses as a message to the model",
	Trigger:  "A card holds a tag, a label or a comment that poses as an order of the system or of the user, with an order behind it.",
	Message:  "The {kind} {card} addresses the model as somebody else: {text}",
	Severity: finding.Error,
	Tags:     []string{rule.Poisoning},
	Aliases:  []string{"TOOL_POISONING_HIDDEN_INSTRUCTION"},
	OWASP:    "MCP03",
	CWE:      []int{74, 1427},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.HiddenInstruction) },
}
