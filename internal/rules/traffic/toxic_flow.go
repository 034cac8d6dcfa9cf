package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ToxicFlow is traffic/toxic-flow.
var ToxicFlow = &rule.Rule{
	ID:       "traffic/toxic-flow",
	Title:    "private data on its way to strangers",
	Trigger:  "In one session a tool brought private data, another what strangers wrote, and a third that sends text out is called.",
	Message:  "The session has read private data ({private}) and what strangers wrote ({untrusted}): {tool} would carry text out",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic, rule.Behaviour},
	OWASP:    "MCP10",
	CWE:      []int{200, 359},
	Since:    "0.1.0",
	Action:   rule.ActAsk,
	Traffic: func(p *rule.Pass, m *traffic.Message) {
		if !arguments(m) || m.Memory == nil || m.Memory.Private == "" || m.Memory.Untrusted == "" {
			return
		}
		if m.Memory.Tools[m.Tool].Leaks == card.Strong {
			p.Report(rule.At(m.Node.Get("params").Get("name")), rule.Args{"private": m.Memory.Private, "untrusted": m.Memory.Untrusted, "tool": m.Tool})
		}
	},
}
