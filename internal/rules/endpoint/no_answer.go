package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// NoAnswer is endpoint/no-answer.
var NoAnswer = &rule.Rule{
	ID:       "endpoint/no-answer",
	Title:    "a request that is never answered",
	Trigger:  "A request of a probe gets neither a response nor an error.",
	Message:  "The server never answers {what}: a client waits until it gives up",
	Severity: finding.Error,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Answer every request that has an id: with error -32601 where the method is unknown, with -32603 where something failed.",
	Surface: noAnswer,
}

func noAnswer(p *rule.Pass, s *card.Server) {
	var due, bad []*trial
	for t := range probe(s).every() {
		switch {
		case !t.silent() || t.died():
		case t.kind() == request:
			due = append(due, t)
		default:
			bad = append(bad, t)
		}
	}
	reportAll(p, due, nil)
	reportAll(p, bad, nil, rule.WithKind("bad messages"), rule.WithSeverity(finding.Warning))
}
