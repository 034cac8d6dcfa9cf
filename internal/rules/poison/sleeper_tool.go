package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// SleeperTool is card/sleeper-tool.
var SleeperTool = &rule.Rule{
	ID:       "card/sleeper-tool",
	Title:    "a tool that nobody should call",
	Trigger:  "A tool is listed to the model and says that it should never be called.",
	Message:  "The {kind} {card} is listed and says that it should not be called: {text}",
	Severity: finding.Warning,
	Tags:     []string{rule.Poisoning},
	OWASP:    "MCP09",
	CWE:      []int{912},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.SleeperTool) },
}
