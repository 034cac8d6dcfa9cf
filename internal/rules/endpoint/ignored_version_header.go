package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// IgnoredVersionHeader is endpoint/ignored-version-header.
var IgnoredVersionHeader = &rule.Rule{
	ID:       "endpoint/ignored-version-header",
	Title:    "a version header that nobody reads",
	Trigger:  "A request whose MCP-Protocol-Version names no published revision is not refused with 400.",
	Message:  "The server answers a request of revision 1999-01-01 with {got} instead of HTTP 400: a client and a server that disagree do not notice",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Compare the header with the revisions that you support: 400 for any other, 2025-03-26 where it is missing.",
	Surface: ignoredVersionHeader,
}

func ignoredVersionHeader(p *rule.Pass, s *card.Server) {
	in := probe(s)
	for t := range in.of(wire.VersionHeaderUnknown) {
		if in.modern || !in.since(wire.V20250618) || t.broken() || t.Status == 400 || t.gated() {
			continue
		}
		severity := finding.Warning
		if t.refused() {
			severity = finding.Info
		}
		p.Report(rule.At(t.at), rule.Args{"got": t.status()}, rule.WithSeverity(severity))
	}
}
