package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// StackTrace is endpoint/stack-trace.
var StackTrace = &rule.Rule{
	ID:       "endpoint/stack-trace",
	Title:    "a stack trace for strangers",
	Trigger:  "An answer holds a stack trace.",
	Message:  "The answer to {what} shows a stack trace{paths}: strangers learn what the server is made of, and where it lies",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	CWE:      []int{209},
	Since:    "0.1.0",
	Surface:  stackTrace,
}

func stackTrace(p *rule.Pass, s *card.Server) {
	var all []*trial
	var paths []string
	for t := range probe(s).every() {
		if trace := t.trace(p.Limits.TrialBody); trace.found {
			all = append(all, t)
			paths = append(paths, trace.paths...)
		}
	}
	reportAll(p, all, rule.Args{"paths": leaked(paths)})
}
