package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UnsupportedInputRequest is traffic/unsupported-input-request.
var UnsupportedInputRequest = &rule.Rule{
	ID:       "traffic/unsupported-input-request",
	Title:    "a request that no rule covers",
	Trigger:  "A server asks the client for something by a method, or in a shape, that no rule covers: what it asks for was not judged as what it is.",
	Message:  "The server asks by {method}, which no rule covers: it was not judged",
	Severity: finding.Warning,
	Tags:     []string{rule.Traffic},
	Aliases:  []string{"guard-unsupported-input-request"},
	OWASP:    "MCP06",
	CWE:      []int{693},
	Since:    "0.1.0",
	Action:   rule.ActNote,
	Traffic: func(p *rule.Pass, m *traffic.Message) {
		for _, n := range m.Unread {
			method := n.Get("method").Text()
			if method == "" {
				method = "a request without a method"
			}
			p.Report(rule.At(n), rule.Args{"method": method})
		}
	},
}
