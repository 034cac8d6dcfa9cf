package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ForeignHost is endpoint/foreign-host.
var ForeignHost = &rule.Rule{
	ID:       "endpoint/foreign-host",
	Title:    "a foreign Host that is accepted",
	Trigger:  "A server on this machine carries out a request whose Host is another name.",
	Message:  "The server on this machine answers to the name evil.example: a web page can point its own name here and use every tool (DNS rebinding)",
	Severity: finding.Error,
	Tags:     []string{rule.Protocol, rule.Auth},
	Aliases:  []string{"localhost-host-rebinding-rejected", "dns-rebinding-protection"},
	OWASP:    "MCP07",
	CWE:      []int{350, 346},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Serve localhost, 127.0.0.1 and [::1] with your port, and refuse every other Host with 403.",
	Surface: foreignHost,
}

func foreignHost(p *rule.Pass, s *card.Server) {
	var all []*trial
	for t := range probe(s).of(wire.HostEvil, wire.HostOriginEvil) {
		if t.accepted() {
			all = append(all, t)
		}
	}
	reportAll(p, all, nil)
}
