package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// ToolCoercion is card/tool-coercion.
var ToolCoercion = &rule.Rule{
	ID:       "card/tool-coercion",
	Title:    "a pretext to call other tools",
	Trigger:  "A card obliges the model to call another tool or to visit an address, under a pretext that the work does not bear out.",
	Message:  "The {kind} {card} obliges the model to something beyond its work: {text}",
	Severity: finding.Error,
	Tags:     []string{rule.Poisoning},
	Aliases:  []string{"TOOL_POISONING_TOOL_COERCION"},
	OWASP:    "MCP03",
	CWE:      []int{74, 441},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.ToolCoercion) },
}
