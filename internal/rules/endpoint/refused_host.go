package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// RefusedHost is endpoint/refused-host.
var RefusedHost = &rule.Rule{
	ID:       "endpoint/refused-host",
	Title:    "its own name that is refused",
	Trigger:  "A server on this machine refuses a request with the Host and Origin under which it was reached.",
	Message:  "The server refuses a request with its own Host and Origin ({got}): a client in a browser on this machine can not use it",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Aliases:  []string{"localhost-host-valid-accepted"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Compare with the name and the port under which the server listens, 127.0.0.1 and [::1] as well as localhost.",
	Surface: refusedHost,
}

func refusedHost(p *rule.Pass, s *card.Server) {
	for t := range probe(s).of(wire.HostValid) {
		if t.refused() && t.Status != 401 {
			p.Report(rule.At(t.at), rule.Args{"got": t.status()})
		}
	}
}
