package config

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// HTTPNoTLS is mcp-security/http-no-tls.
var HTTPNoTLS = &rule.Rule{
	ID:       "mcp-security/http-no-tls",
	Title:    "the server is reached over http",
	Trigger:  "The server's URL is http:// and its host is not this machine.",
	Message:  `Server "{name}" uses HTTP without TLS`,
	Severity: finding.Warning,
	Tags:     []string{rule.Auth},
	OWASP:    "MCP07",
	CWE:      []int{319},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Use the https:// address of the server.",
	Fault:  "cleartext",
	Server: httpNoTLS,
}

func httpNoTLS(p *rule.Pass, s *client.Server) {
	if !strings.HasPrefix(strings.ToLower(strings.TrimSpace(s.URL.Value)), "http:") {
		return // ws:// is auth/cleartext-transport's
	}
	_, reach := client.Cleartext(s.URL.Value)
	if reach < client.Network {
		return
	}
	opts := []rule.Option{rule.WithFix(finding.Manual, "use the https:// address of the server")}
	if reach == client.Network && !s.SendsCredential() {
		opts = append(opts, rule.WithSeverity(finding.Info))
	}
	p.Report(rule.At(s.URL.Node), rule.Args{"name": s.Name}, opts...)
}
