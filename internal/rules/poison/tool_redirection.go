package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// ToolRedirection is card/tool-redirection.
var ToolRedirection = &rule.Rule{
	ID:       "card/tool-redirection",
	Title:    "a card that speaks for other tools",
	Trigger:  "A card changes how another tool is to be used, what its answer is, or sends its calls elsewhere.",
	Message:  "The {kind} {card} changes how other tools are used: {text}",
	Severity: finding.Error,
	Tags:     []string{rule.Poisoning},
	Aliases:  []string{"TOOL_POISONING_TOOL_COERCION"},
	OWASP:    "MCP03",
	CWE:      []int{74, 441},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.ToolRedirection) },
}
