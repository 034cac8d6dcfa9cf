package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ForeignEndpoint is endpoint/foreign-endpoint.
var ForeignEndpoint = &rule.Rule{
	ID:       "endpoint/foreign-endpoint",
	Title:    "an endpoint on another host",
	Trigger:  "The endpoint event of the old HTTP+SSE transport leads to another origin.",
	Message:  "The server sends messages to {target}, which is another origin than the one that was named",
	Severity: finding.Error,
	Tags:     []string{rule.Protocol, rule.Auth},
	OWASP:    "MCP07",
	CWE:      []int{601},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Name an endpoint of the same origin in the endpoint event.",
	Surface: report(wire.ForeignEndpoint),
}
