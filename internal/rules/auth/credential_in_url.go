package auth

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// CredentialInURL is auth/credential-in-url.
var CredentialInURL = &rule.Rule{
	ID:       "auth/credential-in-url",
	Title:    "a URL carries a credential",
	Trigger:  "A URL in an entry carries a literal credential: before its host, in its query, its path or its fragment.",
	Message:  `Server "{name}" has a credential in a URL ({place}): {what}, {length} characters`,
	Severity: finding.Error,
	Tags:     []string{rule.Secret, rule.Auth},
	Aliases:  []string{"WRD-AUTH-URL-CREDENTIAL"},
	OWASP:    "MCP01",
	CWE:      []int{598, 522},
	Since:    "0.1.0",
	Fix:      finding.Unsafe, FixDescription: "Move the credential to an environment variable and refer to it as the client does.",
	Fault:  "url-secret",
	Server: func(p *rule.Pass, s *client.Server) { report(p, s, true) },
}
