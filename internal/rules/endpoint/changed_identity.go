package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ChangedIdentity is endpoint/changed-identity.
var ChangedIdentity = &rule.Rule{
	ID:       "endpoint/changed-identity",
	Title:    "a host that changes while it is asked",
	Trigger:  "Between two requests the name resolved to other addresses, or the server showed another certificate.",
	Message:  "The server changed while it was asked: {detail}",
	Severity: finding.Info,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Give the same name and version from every process that answers under one address.",
	Surface: changedIdentity,
}

func changedIdentity(p *rule.Pass, s *card.Server) {
	for f, at := range faults(s, wire.AddressesChanged, wire.CertificateChanged) {
		severity := finding.Info
		if f.Kind == wire.CertificateChanged {
			severity = finding.Warning
		}
		p.Report(rule.At(at), args(f), rule.WithKind(string(f.Kind)), rule.WithSeverity(severity))
	}
}
