package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// BatchBody is endpoint/batch-body.
var BatchBody = &rule.Rule{
	ID:       "endpoint/batch-body",
	Title:    "a batch that is treated as in another revision",
	Trigger:  "A batch is refused under 2025-03-26, or carried out under a later revision.",
	Message:  "The server carries out a batch under {revision}, which knows none: what stands between it and its clients reads one message where there are several",
	Severity: finding.Info,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Decide by the negotiated revision: answer an array under 2025-03-26, and refuse one with error -32600 under the others.",
	Surface: batchBody,
}

func batchBody(p *rule.Pass, s *card.Server) {
	in := probe(s)
	for t := range in.of(wire.BatchBody) {
		switch {
		case t.broken() || t.gated():
		case in.since(wire.V20250618) && t.accepted():
			p.Report(rule.At(t.at), rule.Args{"revision": in.revision})
		case in.revision == wire.V20250326 && !in.stdio && !t.accepted():
			p.ReportAs("The server refuses a batch with {got} under 2025-03-26: a client that sends several messages at once gets no answer to any", rule.At(t.at),
				rule.Args{"got": t.got()}, rule.WithSeverity(finding.Warning), rule.WithKind("refused"))
		}
	}
}
