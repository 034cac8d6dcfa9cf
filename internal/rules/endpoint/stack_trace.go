package endpoint

import (
	"fmt"
	"slices"
	"strings"

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
	Fix:      finding.Manual, FixDescription: "Set the framework to production, and answer with error -32603 and one sentence: the trace belongs in the log.",
	Surface: stackTrace,
}

func stackTrace(p *rule.Pass, s *card.Server) {
	var all []*trial
	var paths []string
	for t := range probe(s).every() {
		if in, found := t.Trace(); found {
			all, paths = append(all, t), append(paths, in...)
		}
	}
	reportAll(p, all, rule.Args{"paths": leaked(paths)})
}

// leaked says how many paths there are and where they begin. It shows no path whole: the report must not be the leak.
func leaked(paths []string) string {
	slices.Sort(paths)
	paths = slices.Compact(paths)
	var roots []string
	for _, p := range paths {
		root := p
		if i := strings.IndexAny(p[1:], `/\`); i >= 0 {
			root = p[:i+1]
		}
		if !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	switch {
	case len(paths) == 0:
		return ""
	case len(paths) == 1:
		return " with a path of its disk (under " + roots[0] + ")"
	}
	return fmt.Sprintf(" with %d paths of its disk (under %s)", len(paths), strings.Join(roots, ", "))
}
