package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// FrameTooLarge is traffic/frame-too-large.
var FrameTooLarge = &rule.Rule{
	ID:       "traffic/frame-too-large",
	Title:    "a frame that is too large",
	Trigger:  "A frame has more bytes, more values or nests deeper than is read.",
	Message:  "The {side} sent a frame beyond what is read: {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	Aliases:  []string{"frame-too-large"},
	OWASP:    "MCP06",
	CWE:      []int{400, 770},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { happened(p, m, traffic.TooLarge) },
}
