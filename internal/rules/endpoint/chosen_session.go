package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ChosenSession is endpoint/chosen-session.
var ChosenSession = &rule.Rule{
	ID:       "endpoint/chosen-session",
	Title:    "a session id that the client chooses",
	Trigger:  "The server takes the session id that came with initialize for that of the new session.",
	Message:  "The server gives a new session the id that the client made up: who plants an id in a client can join its session",
	Severity: finding.Error,
	Tags:     []string{rule.Protocol, rule.Auth},
	OWASP:    "MCP07",
	CWE:      []int{384},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Make an id of your own for every initialize, and ignore one that comes with it.",
	Surface: chosenSession,
}

func chosenSession(p *rule.Pass, s *card.Server) {
	for t := range probe(s).of(wire.InitializeFixed) {
		if t.Faults.Has(wire.SessionFixed) {
			p.Report(rule.At(t.at), nil)
		}
	}
}
