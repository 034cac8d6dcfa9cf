package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// InstructionOverride is card/instruction-override.
var InstructionOverride = &rule.Rule{
	ID:       "card/instruction-override",
	Title:    "an order to drop other instructions",
	Trigger:  "A card asks the model to ignore, forget or override instructions that it has from elsewhere.",
	Message:  "The {kind} {card} tells the model to drop its instructions: {text}",
	Severity: finding.Error,
	Tags:     []string{rule.Poisoning},
	Aliases:  []string{"TOOL_POISONING_IGNORE_INSTRUCTIONS"},
	OWASP:    "MCP03",
	CWE:      []int{74, 1427},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.InstructionOverride) },
}
