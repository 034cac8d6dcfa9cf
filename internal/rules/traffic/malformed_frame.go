package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MalformedFrame is traffic/malformed-frame.
var MalformedFrame = &rule.Rule{
	ID:       "traffic/malformed-frame",
	Title:    "a frame that is no message",
	Trigger:  "A frame is no JSON-RPC message, or one that parsers read in different ways: no JSON, bytes that are no UTF-8, a name that stands twice, a number that no double holds.",
	Message:  "The {side} sent a frame that can not be judged: {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	Aliases:  []string{"malformed-frame"},
	OWASP:    "MCP06",
	CWE:      []int{20, 436},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { happened(p, m, traffic.Malformed) },
}
