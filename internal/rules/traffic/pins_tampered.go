package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// PinsTampered is traffic/pins-tampered.
var PinsTampered = &rule.Rule{
	ID:       "traffic/pins-tampered",
	Title:    "pins that fail their check",
	Trigger:  "The pins that a server is held against fail their check: nobody knows what was agreed on.",
	Message:  "The pins can not be relied on: {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	Aliases:  []string{"pins-integrity-failure"},
	OWASP:    "MCP04",
	CWE:      []int{345, 494},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { happened(p, m, traffic.PinsTampered) },
}
