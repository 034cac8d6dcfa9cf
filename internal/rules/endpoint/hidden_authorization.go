package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// HiddenAuthorization is endpoint/hidden-authorization.
var HiddenAuthorization = &rule.Rule{
	ID:       "endpoint/hidden-authorization",
	Title:    "a locked door without a sign",
	Trigger:  "The server wants credentials, and says nowhere how to get them.",
	Message:  "The server answers 401 {header}, and publishes no resource metadata: a client can not find out where to log in",
	Severity: finding.Warning,
	Tags:     []string{rule.Discovery, rule.Auth},
	OWASP:    "MCP07",
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Publish the resource metadata (RFC 9728), and name it in WWW-Authenticate.",
	Surface: hiddenAuthorization,
}

func hiddenAuthorization(p *rule.Pass, s *card.Server) {
	in := probe(s)
	if _, named := in.challenge(); named || in.served(in.one(wire.ResourceAtPath)) || in.served(in.one(wire.ResourceAtRoot)) {
		return
	}
	for t := range in.every() {
		if t.Status != 401 || t.kind() == document {
			continue
		}
		header := "with a WWW-Authenticate that names none"
		if t.Header.Get("www-authenticate") == "" {
			header = "without WWW-Authenticate"
		}
		p.Report(rule.At(t.at), rule.Args{"header": header})
		return
	}
}
