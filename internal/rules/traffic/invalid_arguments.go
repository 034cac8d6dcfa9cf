package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// InvalidArguments is traffic/invalid-arguments.
var InvalidArguments = &rule.Rule{
	ID:       "traffic/invalid-arguments",
	Title:    "arguments that do not fit the schema",
	Trigger:  "The arguments of a call do not fit the schema of the tool that was approved or seen first.",
	Message:  "The arguments of a call do not fit the schema: {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	OWASP:    "MCP05",
	CWE:      []int{20},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { happened(p, m, traffic.InvalidArguments) },
}
