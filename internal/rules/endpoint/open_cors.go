package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// OpenCORS is endpoint/open-cors.
var OpenCORS = &rule.Rule{
	ID:       "endpoint/open-cors",
	Title:    "answers that every web page may read",
	Trigger:  "A server on this machine lets every origin read its answers.",
	Message:  "The server on this machine lets {origins} read its answers (Access-Control-Allow-Origin)",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol, rule.Auth},
	OWASP:    "MCP07",
	CWE:      []int{942},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Send the header to origins that you know, or not at all: clients that are no web pages need none.",
	Surface: openCORS,
}

func openCORS(p *rule.Pass, s *card.Server) {
	in := probe(s)
	if asked := in.one(wire.OriginEvil); !in.loopback() || asked == nil || !asked.accepted() {
		return // a public service may be meant for every page, and a refusal for each to read
	}
	for t := range in.of(wire.OriginEvil, wire.VerbOptions) {
		origins := map[string]string{"*": "every web page", "http://evil.example": "the web page that asked"}[t.Header.Get("access-control-allow-origin")]
		if origins != "" {
			p.Report(rule.At(t.at), rule.Args{"origins": origins})
			return
		}
	}
}
