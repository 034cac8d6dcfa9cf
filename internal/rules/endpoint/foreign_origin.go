package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ForeignOrigin is endpoint/foreign-origin.
var ForeignOrigin = &rule.Rule{
	ID:       "endpoint/foreign-origin",
	Title:    "a foreign Origin that is accepted",
	Trigger:  "A request with the Origin of another site is carried out.",
	Message:  "The server carries out a request with the Origin http://evil.example: a web page that its user opens can do the same",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol, rule.Auth},
	OWASP:    "MCP07",
	CWE:      []int{346},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Keep a list of origins that may ask, refuse others with 403, and let requests without Origin pass.",
	Surface: foreignOrigin,
}

func foreignOrigin(p *rule.Pass, s *card.Server) {
	in := probe(s)
	for t := range in.of(wire.OriginEvil) {
		switch {
		case t.accepted():
			p.Report(rule.At(t.at), nil)
		case in.since(wire.V20251125) && t.refused() && t.Status != 403 && !t.gated():
			p.ReportAs("The server refuses a foreign Origin with {got} instead of HTTP 403", rule.At(t.at), rule.Args{"got": t.status()},
				rule.WithSeverity(finding.Info), rule.WithKind("status"))
		}
	}
}
