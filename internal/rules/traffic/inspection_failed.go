package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// InspectionFailed is traffic/inspection-failed.
var InspectionFailed = &rule.Rule{
	ID:       "traffic/inspection-failed",
	Title:    "a frame whose inspection failed",
	Trigger:  "A rule failed on a frame, or what was to be forwarded could not be made: the frame goes no further.",
	Message:  "A frame of the {side} could not be judged: {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	Aliases:  []string{"inspect-rejected", "forward-serialize-failed"},
	OWASP:    "MCP06",
	CWE:      []int{693},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { happened(p, m, traffic.Failed) },
}
