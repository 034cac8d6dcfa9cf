package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
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
	Traffic: func(p *rule.Pass, m *traffic.Message) {
		happened(p, m, traffic.Truncated)
		if !m.FromServer {
			return
		}
		if n := hear(p, m).cut; n.Valid() {
			p.Report(rule.At(n), overgrown)
		} else if m.Cards != nil {
			cards(p, m.Node)
		}
	},
}

var overgrown = rule.Args{"side": "server", "detail": "a text grows too much when it is written out"}

// cards looks for such a text in the lists of a message, which are judged as cards are.
func cards(p *rule.Pass, n source.Node) bool {
	if n.Kind() == source.String {
		if !text.Outgrows(n.Text()) {
			return false
		}
		p.Report(rule.At(n), overgrown)
		return true
	}
	for c := range n.Children() {
		if cards(p, c) {
			return true
		}
	}
	return false
}
