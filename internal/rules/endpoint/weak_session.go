package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// WeakSession is endpoint/weak-session.
var WeakSession = &rule.Rule{
	ID:       "endpoint/weak-session",
	Title:    "a session id that can be guessed",
	Trigger:  "The ids of sessions are short, or resemble each other.",
	Message:  "The ids of sessions can be guessed ({why}): who guesses one can join the session",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol, rule.Auth},
	OWASP:    "MCP07",
	CWE:      []int{330, 334},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Take 128 bits from the system's generator, such as crypto.randomUUID().",
	Surface: weakSession,
}

func weakSession(p *rule.Pass, s *card.Server) {
	for t := range probe(s).every() {
		for _, f := range t.Faults {
			if f.Kind == wire.WeakSession {
				p.Report(rule.At(t.at), rule.Args{"why": f.Detail})
				return
			}
		}
	}
}
