package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// RootMetadataOnly is endpoint/root-metadata-only.
var RootMetadataOnly = &rule.Rule{
	ID:       "endpoint/root-metadata-only",
	Title:    "resource metadata at the root alone",
	Trigger:  "The resource metadata stands at the root of the host and not where RFC 9728 puts that of the endpoint.",
	Message:  "The resource metadata stands at the root alone, and not at {path}: a client that asks as RFC 9728 says finds none",
	Severity: finding.Warning,
	Tags:     []string{rule.Discovery, rule.Auth},
	OWASP:    "MCP07",
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Serve the document at both addresses, the one of the path with resource equal to the endpoint.",
	Surface: rootMetadataOnly,
}

func rootMetadataOnly(p *rule.Pass, s *card.Server) {
	in := probe(s)
	at, root := in.one(wire.ResourceAtPath), in.one(wire.ResourceAtRoot)
	if at == nil || root == nil || !in.served(root) || at.Status < 400 || at.Status > 499 || at.gated() || at.Detail == root.Detail {
		return
	}
	severity := finding.Warning
	if _, named := in.challenge(); named { // most clients look there first
		severity = finding.Info
	}
	p.Report(rule.At(at.at), rule.Args{"path": at.Detail}, rule.Also(rule.At(root.at), "the one at the root"), rule.WithSeverity(severity))
}
