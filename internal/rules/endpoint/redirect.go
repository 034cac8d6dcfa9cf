package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Redirect is endpoint/redirect.
var Redirect = &rule.Rule{
	ID:       "endpoint/redirect",
	Title:    "an answer that leads elsewhere",
	Trigger:  "The server answers with a redirect. It is not followed.",
	Message:  "The server sends clients on to {target} (HTTP {status}): configure that URL if it is the one you mean",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	OWASP:    "MCP07",
	CWE:      []int{601},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Answer at the address that people configure, or have them configure the other.",
	Surface: report(wire.Redirect),
}
