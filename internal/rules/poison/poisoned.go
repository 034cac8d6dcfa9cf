package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Poisoned is card/poisoned.
var Poisoned = &rule.Rule{
	ID:       "card/poisoned",
	Title:    "a card that works against its user",
	Trigger:  "A card carries evidence of two kinds that it steers the model against its user, or one piece that no honest card has.",
	Message:  "The {kind} {card} works against its user: {ideas}",
	Severity: finding.Error,
	Tags:     []string{rule.Poisoning, rule.Block},
	Aliases:  []string{"TOOL_POISONING_HIDDEN_INSTRUCTION", "TOOL_POISONING_IGNORE_INSTRUCTIONS", "TOOL_POISONING_SECRET_EXFILTRATION"},
	OWASP:    "MCP03",
	CWE:      []int{74, 1427},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { poisoned(p, s) },
}
