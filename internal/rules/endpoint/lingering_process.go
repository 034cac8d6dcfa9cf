package endpoint

import (
	"time"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// LingeringProcess is endpoint/lingering-process.
var LingeringProcess = &rule.Rule{
	ID:       "endpoint/lingering-process",
	Title:    "a server that outlives its client",
	Trigger:  "A server on stdio runs on after its input has ended.",
	Message:  "The server runs on after its input has ended: clients kill it, and what it holds stays behind",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "End the process when standard input ends.",
	Surface: lingeringProcess,
}

func lingeringProcess(p *rule.Pass, s *card.Server) {
	for t := range probe(s).of(wire.InputClosed) {
		if t.Cause == wire.CauseTimeout || time.Duration(t.ElapsedMS)*time.Millisecond > p.Limits.CloseTime {
			p.Report(rule.At(t.at), nil)
		}
	}
}
