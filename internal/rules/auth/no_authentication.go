package auth

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// NoAuthentication is auth/no-authentication.
var NoAuthentication = &rule.Rule{
	ID:    "auth/no-authentication",
	Title: "a remote server that asks nobody who they are",
	Trigger: "The server is on a public network at an http:// address, which MCP's OAuth does not allow, and the entry has no " +
		"header, no field and no part of the URL that could carry a credential.",
	Message:  `Server "{name}" is reached at {host} without authentication`,
	Severity: finding.Warning,
	Tags:     []string{rule.Auth},
	Aliases:  []string{"WRD-AUTH-NOAUTH"},
	OWASP:    "MCP07",
	CWE:      []int{306},
	Since:    "0.1.0",
	Server:   noAuthentication,
}

func noAuthentication(p *rule.Pass, s *client.Server) {
	host, reach := client.Cleartext(s.URL.Value)
	if reach != client.Public || s.Disabled || s.Hidden || len(client.Refs(s.URL.Value)) > 0 || strings.ContainsAny(s.URL.Value, "?#@{<") {
		return
	}
	if s.HeadersNode.Len() > 0 || s.SendsCredential() || authField(s) {
		return
	}
	p.Report(rule.At(s.URL.Node), rule.Args{"name": s.Name, "host": host})
}

// authField says that the entry has another field about authentication, whatever its client calls it.
func authField(s *client.Server) bool {
	for n := range s.Node.Children() {
		if key := strings.ToLower(n.Key()); secret.SecretName(n.Key()) || strings.Contains(key, "auth") || strings.Contains(key, "header") {
			return true
		}
	}
	return false
}
