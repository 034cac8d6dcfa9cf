package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// HeaderMismatch is endpoint/header-mismatch.
var HeaderMismatch = &rule.Rule{
	ID:       "endpoint/header-mismatch",
	Title:    "a header that contradicts the body",
	Trigger:  "A modern request whose headers contradict its body is not refused with HTTP 400 and error -32020.",
	Message:  "The server carries out {what}: a gateway that routes by the header decides on another request than the server",
	Severity: finding.Error,
	Tags:     []string{rule.Protocol},
	Aliases:  []string{"sep-2575-http-server-header-mismatch-400", "sep-2243-server-reject-invalid-headers", "sep-2243-server-reject-error-code"},
	CWE:      []int{436},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Compare MCP-Protocol-Version, Mcp-Method and Mcp-Name with the body before you act.",
	Surface: headerMismatch,
}

func headerMismatch(p *rule.Pass, s *card.Server) {
	refusals(p, probe(s), 400, []int{-32020}, wire.VersionMismatch, wire.MethodMismatch, wire.MethodHeaderMissing, wire.NameMismatch)
}
