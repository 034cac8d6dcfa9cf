package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// happened reports an event. It stands for a frame that was not read, or for none, so it points at the frame as a whole.
func happened(p *rule.Pass, m *traffic.Message, e traffic.Event) {
	if m.Event != e {
		return
	}
	side := "client"
	if m.FromServer {
		side = "server"
	}
	p.Report(rule.Where(finding.Location{Path: traffic.Path, Line: 1, Column: 1}), rule.Args{"side": side, "detail": m.Detail})
}
