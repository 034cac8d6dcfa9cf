package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ToolDenied is traffic/tool-denied.
var ToolDenied = &rule.Rule{
	ID:       "traffic/tool-denied",
	Title:    "a tool that the policy denies",
	Trigger:  "A client calls a tool that the policy of the guard denies.",
	Message:  "A tool is called that the policy denies: {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	OWASP:    "MCP02",
	CWE:      []int{285},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { happened(p, m, traffic.ToolDenied) },
}
