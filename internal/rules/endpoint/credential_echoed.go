package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// CredentialEchoed is endpoint/credential-echoed.
var CredentialEchoed = &rule.Rule{
	ID:       "endpoint/credential-echoed",
	Title:    "a credential in an answer",
	Trigger:  "An answer holds the credential that the request came with.",
	Message:  "The server repeats the credential that it was asked with ({during})",
	Severity: finding.Error,
	Tags:     []string{rule.Secret, rule.Auth},
	OWASP:    "MCP01",
	CWE:      []int{200, 532},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Leave the header fields of the request out of every answer and error.",
	Surface: report(wire.CredentialEchoed),
}
