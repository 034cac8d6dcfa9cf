package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// RefusedAccept is endpoint/refused-accept.
var RefusedAccept = &rule.Rule{
	ID:       "endpoint/refused-accept",
	Title:    "Accept: */* that is refused",
	Trigger:  "A request that accepts every type is refused.",
	Message:  "The server refuses Accept: */* with {got}: simple clients, such as curl, can not talk to it",
	Severity: finding.Info,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Read Accept as HTTP does, with its wildcards, before you answer 406.",
	Surface: refusedAccept,
}

func refusedAccept(p *rule.Pass, s *card.Server) {
	for t := range probe(s).of(wire.AcceptAny) {
		if t.refused() && t.Status >= 400 && !t.gated() {
			p.Report(rule.At(t.at), rule.Args{"got": t.status()})
		}
	}
}
