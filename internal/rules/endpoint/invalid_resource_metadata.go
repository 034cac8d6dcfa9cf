package endpoint

import (
	"net/url"
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// InvalidResourceMetadata is endpoint/invalid-resource-metadata.
var InvalidResourceMetadata = &rule.Rule{
	ID:       "endpoint/invalid-resource-metadata",
	Title:    "resource metadata that no client follows",
	Trigger:  "The resource metadata names no authorization server, or is for another resource than the endpoint.",
	Message:  "The resource metadata at {path} {fault}: {effect}",
	Severity: finding.Error,
	Tags:     []string{rule.Discovery, rule.Auth},
	OWASP:    "MCP07",
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Set resource to the URL that people put into their configs, and authorization_servers to at least one issuer.",
	Surface: invalidResourceMetadata,
}

func invalidResourceMetadata(p *rule.Pass, s *card.Server) {
	in := probe(s)
	endpoint := in.endpoint()
	for t, m := range in.documents(wire.ResourceAtPath, wire.ResourceAtRoot) {
		servers, _ := m["authorization_servers"].([]any)
		resource := word(m, "resource")
		report := func(kind, fault, effect string) {
			p.Report(rule.At(t.at), rule.Args{"path": t.Detail, "fault": fault, "effect": effect}, rule.WithKind(kind+" "+string(t.Trial)))
		}
		if len(servers) == 0 || slices.ContainsFunc(servers, func(v any) bool { return !address(v) }) {
			report("servers", "names no authorization server that can be reached", "a client has nowhere to log in")
		}
		switch {
		case resource == "":
			report("resource", "names no resource", "a client refuses it")
		case !covers(resource, endpoint):
			report("resource", "is for "+resource, "a client that was sent here for another URL refuses it")
		}
	}
}

// address says that a value is the address of an authorization server.
func address(v any) bool {
	text, _ := v.(string)
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}
