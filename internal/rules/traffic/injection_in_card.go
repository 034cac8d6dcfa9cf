package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// InjectionInCard is traffic/injection-in-card.
var InjectionInCard = &rule.Rule{
	ID:       "traffic/injection-in-card",
	Title:    "a card that steers the model",
	Trigger:  "A tool, prompt or resource in a list carries evidence of two kinds that it steers the model against its user, or one piece that no honest card has.",
	Message:  "The {kind} {card} works against its user",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic, rule.Poisoning},
	Aliases:  []string{"owasp-mcp-1-tool-description-injection", "owasp-mcp-1-tool-annotation-injection"},
	OWASP:    "MCP03",
	CWE:      []int{74, 1427},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { steering(p, m, true) },
}
