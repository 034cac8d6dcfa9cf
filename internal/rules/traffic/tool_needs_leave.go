package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ToolNeedsLeave is traffic/tool-needs-leave.
var ToolNeedsLeave = &rule.Rule{
	ID:       "traffic/tool-needs-leave",
	Title:    "a tool that a person is asked about",
	Trigger:  "A client calls a tool for which the policy of the guard wants a person to be asked.",
	Message:  "A tool is called that needs a person's leave: {detail}",
	Severity: finding.Warning,
	Tags:     []string{rule.Traffic},
	OWASP:    "MCP02",
	CWE:      []int{862},
	Since:    "0.1.0",
	Action:   rule.ActAsk,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { happened(p, m, traffic.NeedsLeave) },
}
