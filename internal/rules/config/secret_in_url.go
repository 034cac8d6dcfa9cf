package config

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// SecretInURL is mcp-security/secret-in-url.
var SecretInURL = &rule.Rule{
	ID:       "mcp-security/secret-in-url",
	Title:    "a secret in the query of a URL is committed",
	Trigger:  "The server's URL has a query parameter whose name says that it is a secret, with a literal value, and git tracks the file.",
	Message:  `Server "{name}" has a secret in the URL query string`,
	Severity: finding.Error,
	Tags:     []string{rule.Secret},
	OWASP:    "MCP01",
	CWE:      []int{598, 798},
	Since:    "0.1.0",
	Fix:      finding.Unsafe, FixDescription: "Move the value to an environment variable and refer to it as the client does.",
	Needs:  []rule.Need{rule.NeedGit},
	Fault:  "url-secret",
	Server: func(p *rule.Pass, s *client.Server) { reportTracked(p, s, secretInURL) },
}
