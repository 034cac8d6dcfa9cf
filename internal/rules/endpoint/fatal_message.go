package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// FatalMessage is endpoint/fatal-message.
var FatalMessage = &rule.Rule{
	ID:       "endpoint/fatal-message",
	Title:    "a message that ends the server",
	Trigger:  "A request or a line of a probe ends the server.",
	Message:  "The server ends on {what}: one stray message, and every client loses it",
	Severity: finding.Error,
	Tags:     []string{rule.Protocol},
	CWE:      []int{248},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Read line by line, and answer what is no JSON with error -32700, or skip it.",
	Surface: fatalMessage,
}

func fatalMessage(p *rule.Pass, s *card.Server) {
	var all []*trial
	spoke := false
	for t := range probe(s).every() {
		spoke = spoke || !t.died() && t.Trial != wire.InputClosed
		if t.died() && t.Trial != wire.InputClosed {
			all = append(all, t)
		}
	}
	if spoke { // a server that no message came back from did not start: nothing is known of what ends it
		reportAll(p, all, nil)
	}
}
