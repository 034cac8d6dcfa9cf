package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// DeadSession is endpoint/dead-session.
var DeadSession = &rule.Rule{
	ID:       "endpoint/dead-session",
	Title:    "a dead session that is not said to be dead",
	Trigger:  "A request in a session that was ended, or that never was, is not answered with 404.",
	Message:  "The server answers {what} with {got} instead of HTTP 404: after a restart of the server no client begins a new session",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Aliases:  []string{"server-session-terminated-returns-404"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Look the id up first: answer 404 where it is not found, 400 only where there is none.",
	Surface: deadSession,
}

func deadSession(p *rule.Pass, s *card.Server) {
	in := probe(s)
	if in.modern || !in.sessions() || !in.since(wire.V20250326) {
		return
	}
	var by grouped[string]
	for t := range in.of(wire.SessionBogus, wire.SessionEnded) {
		ended := in.one(wire.SessionDelete)
		if t.Trial == wire.SessionEnded && (ended == nil || ended.Status < 200 || ended.Status > 299) {
			continue // clients may not end sessions here
		}
		if !t.broken() && t.Status != 404 && !t.gated() {
			by.add(t.status(), t)
		}
	}
	for _, got := range by.keys {
		reportAll(p, by.by[got], rule.Args{"got": got}, rule.WithKind(got))
	}
}
