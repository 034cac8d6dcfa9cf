package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// InjectionInNotice is traffic/injection-in-notice.
var InjectionInNotice = &rule.Rule{
	ID:       "traffic/injection-in-notice",
	Title:    "an order in an error, a progress message or a log message",
	Trigger:  "An error, a progress message or a log message tells the model to drop its instructions, to keep something from the user, or to hand on what is private.",
	Message:  "What {carrier} of the server says orders the model about, for somebody else than the user",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic, rule.Poisoning},
	OWASP:    "MCP06",
	CWE:      []int{74, 1427},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { injected(p, m, traffic.Notice) },
}
