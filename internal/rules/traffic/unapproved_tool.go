package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UnapprovedTool is traffic/unapproved-tool.
var UnapprovedTool = &rule.Rule{
	ID:       "traffic/unapproved-tool",
	Title:    "a tool that nobody approved",
	Trigger:  "A client uses a tool or a prompt that is not in the lock, or that the server did not show when it was seen first.",
	Message:  "A tool or a prompt is used that was not agreed on: {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	OWASP:    "MCP09",
	CWE:      []int{862},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { happened(p, m, traffic.UnapprovedTool) },
}
