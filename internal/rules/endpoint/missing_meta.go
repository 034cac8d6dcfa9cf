package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MissingMeta is endpoint/missing-meta.
var MissingMeta = &rule.Rule{
	ID:       "endpoint/missing-meta",
	Title:    "a request without _meta that is accepted",
	Trigger:  "A modern request without what _meta must hold is not refused with HTTP 400 and error -32602.",
	Message:  "The server carries out {what}: it guesses which revision and which capabilities the client has",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Aliases:  []string{"sep-2575-http-server-meta-invalid-400", "sep-2575-request-meta-invalid-missing-meta"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Demand protocolVersion and clientCapabilities in the _meta of every request.",
	Surface: missingMeta,
}

func missingMeta(p *rule.Pass, s *card.Server) {
	refusals(p, probe(s), 400, []int{-32602}, wire.MetaMissing, wire.CapabilitiesMissing)
}
