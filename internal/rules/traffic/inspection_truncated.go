package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// InspectionTruncated is traffic/inspection-truncated.
var InspectionTruncated = &rule.Rule{
	ID:       "traffic/inspection-truncated",
	Title:    "a frame of which a part was not looked at",
	Trigger:  "A frame holds more text than is judged, so that a part of it was not looked at.",
	Message:  "A part of a frame of the {side} was not looked at: {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	Aliases:  []string{"guard-inspection-truncated"},
	OWASP:    "MCP06",
	CWE:      []int{693},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { happened(p, m, traffic.Truncated) },
}
