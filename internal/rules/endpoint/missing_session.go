package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MissingSession is endpoint/missing-session.
var MissingSession = &rule.Rule{
	ID:       "endpoint/missing-session",
	Title:    "a missing session that is not said to be missing",
	Trigger:  "A server that demands a session refuses a request without one with another status than 400.",
	Message:  "The server answers a request without its session with {got} instead of HTTP 400: a client begins a new session, or gives up",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Answer 400 where Mcp-Session-Id is missing, 404 where it is unknown.",
	Surface: missingSession,
}

func missingSession(p *rule.Pass, s *card.Server) {
	in := probe(s)
	if in.modern || !in.sessions() || !in.since(wire.V20250326) {
		return
	}
	for t := range in.of(wire.SessionMissing) {
		if t.refused() && t.Status != 400 && !t.gated() {
			p.Report(rule.At(t.at), rule.Args{"got": t.status()})
		}
	}
}
