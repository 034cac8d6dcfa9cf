package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// SplitPayload is card/split-payload.
var SplitPayload = &rule.Rule{
	ID:       "card/split-payload",
	Title:    "an order in pieces",
	Trigger:  "Two strings, each harmless, are an order to the model when they are read one after the other.",
	Message:  "Pieces of the {kind} {card} are an order when read together: {text}",
	Severity: finding.Error,
	Tags:     []string{rule.Poisoning},
	Aliases:  []string{"TOOL_POISONING_HIDDEN_INSTRUCTION"},
	OWASP:    "MCP03",
	CWE:      []int{74, 1427},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.SplitPayload) },
}
