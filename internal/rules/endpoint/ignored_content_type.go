package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// IgnoredContentType is endpoint/ignored-content-type.
var IgnoredContentType = &rule.Rule{
	ID:       "endpoint/ignored-content-type",
	Title:    "a body of any type",
	Trigger:  "A request whose Content-Type is text/plain is carried out.",
	Message:  "The server carries out a request of type text/plain: a web page can send one without asking the browser first",
	Severity: finding.Info,
	Tags:     []string{rule.Protocol, rule.Auth},
	OWASP:    "MCP07",
	CWE:      []int{352},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Refuse another type than application/json with 415.",
	Surface: ignoredContentType,
}

func ignoredContentType(p *rule.Pass, s *card.Server) {
	in := probe(s)
	for t := range in.of(wire.ContentType) {
		if !t.accepted() {
			continue
		}
		severity := finding.Info
		if origin := in.one(wire.OriginEvil); in.loopback() && origin != nil && origin.accepted() {
			severity = finding.Warning
		}
		p.Report(rule.At(t.at), nil, rule.WithSeverity(severity))
	}
}
