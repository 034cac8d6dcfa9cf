package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// InjectionInPrompt is traffic/injection-in-prompt.
var InjectionInPrompt = &rule.Rule{
	ID:       "traffic/injection-in-prompt",
	Title:    "an order in a prompt",
	Trigger:  "A prompt tells the model to drop its instructions, to keep something from the user, or to hand on what is private.",
	Message:  "What {carrier} of the server says orders the model about, for somebody else than the user",
	Severity: finding.Warning,
	Tags:     []string{rule.Traffic, rule.Poisoning},
	Aliases:  []string{"owasp-mcp-2-instruction-injection-in-prompt"},
	OWASP:    "MCP06",
	CWE:      []int{74, 1427},
	Since:    "0.1.0",
	Action:   rule.ActNote,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { injected(p, m, traffic.Prompt) },
}
