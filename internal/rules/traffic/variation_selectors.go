package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// VariationSelectors is traffic/variation-selectors.
var VariationSelectors = &rule.Rule{
	ID:       "traffic/variation-selectors",
	Title:    "variation selectors that select nothing in a text",
	Trigger:  "A text of the server holds runs of variation selectors, which no font draws and a model reads; flags and emoji are left out.",
	Message:  "Text of the server holds {what}, which nobody sees",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic, rule.Unicode},
	Aliases:  []string{"variation-selector-concealment"},
	OWASP:    "MCP03",
	CWE:      []int{451, 1007},
	Since:    "0.1.0",
	Action:   rule.ActNote,
	Traffic: func(p *rule.Pass, m *traffic.Message) {
		for _, u := range hear(p, m).selectors {
			p.Report(at(u.text), rule.Args{"what": "runs of variation selectors"})
		}
	},
}
