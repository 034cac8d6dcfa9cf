package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UnicodeTags is traffic/unicode-tags.
var UnicodeTags = &rule.Rule{
	ID:       "traffic/unicode-tags",
	Title:    "letters of the tag block in a text",
	Trigger:  "A text of the server holds letters of the Unicode tag block, which no font draws and a model reads; flags and emoji are left out.",
	Message:  "Text of the server holds {what}, which nobody sees",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic, rule.Unicode},
	Aliases:  []string{"unicode-tag-concealment"},
	OWASP:    "MCP03",
	CWE:      []int{451, 1007},
	Since:    "0.1.0",
	Action:   rule.ActNote,
	Traffic: func(p *rule.Pass, m *traffic.Message) {
		for _, u := range hear(p, m).tags {
			p.Report(at(u.text), rule.Args{"what": "letters of the Unicode tag block"})
		}
	},
}
