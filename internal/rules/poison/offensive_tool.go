package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// OffensiveTool is card/offensive-tool.
var OffensiveTool = &rule.Rule{
	ID:       "card/offensive-tool",
	Title:    "a tool that says that it attacks",
	Trigger:  "The name and the description of a tool speak of techniques of attack: stealing, hijacking, escalating.",
	Message:  "The {kind} {card} describes itself with techniques of attack",
	Severity: finding.Warning,
	Tags:     []string{rule.Behaviour},
	OWASP:    "MCP05",
	CWE:      []int{506},
	Since:    "0.1.0",
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.OffensiveTool) },
}
