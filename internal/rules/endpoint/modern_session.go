package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ModernSession is endpoint/modern-session.
var ModernSession = &rule.Rule{
	ID:       "endpoint/modern-session",
	Title:    "a session in an era without sessions",
	Trigger:  "A modern request with a session id is refused, or a modern answer gives one.",
	Message:  "The server gives out a session id under 2026-07-28: a client ignores it, and what the server keeps for it is lost",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Give no Mcp-Session-Id to requests of this era, and do not read it.",
	Surface: modernSession,
}

func modernSession(p *rule.Pass, s *card.Server) {
	in := probe(s)
	if !in.modern {
		return
	}
	var given []*trial
	for t := range in.every() {
		if t.Session && t.Trial != wire.VersionMismatch { // whose header is of the old protocol
			given = append(given, t)
		}
	}
	reportAll(p, given, nil)
	for t := range in.of(wire.SessionIgnored) {
		if t.refused() && !t.gated() {
			p.ReportAs("The server refuses {what} with {got}, which servers of 2026-07-28 ignore: gateways add one", rule.At(t.at),
				rule.Args{"what": t.words(), "got": t.got()}, rule.WithKind("refused"))
		}
	}
}
