package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// RepeatedCursor is endpoint/repeated-cursor.
var RepeatedCursor = &rule.Rule{
	ID:       "endpoint/repeated-cursor",
	Title:    "pages that never end",
	Trigger:  "A page of a list names a cursor that was followed before.",
	Message:  "The pages of {during} never end: the cursor {detail} comes again",
	Severity: finding.Error,
	Tags:     []string{rule.Protocol},
	CWE:      []int{835},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Leave nextCursor out of the last page.",
	Surface: repeatedCursor,
}

func repeatedCursor(p *rule.Pass, s *card.Server) {
	report(wire.RepeatedCursor)(p, s)
	if s.Saved { // what its pages did was noted as it happened
		return
	}
	type key struct {
		list   wire.ListKind
		cursor string
	}
	seen := map[key]source.Node{}
	for _, page := range s.Pages {
		n := page.Get("nextCursor")
		cursor, ok := n.Str()
		for _, list := range wire.Lists() {
			if !ok || !page.Get(list.String()).Valid() {
				continue
			}
			if first, again := seen[key{list, cursor}]; again {
				p.Report(rule.At(n), rule.Args{"during": list.Method(), "detail": cursor}, rule.Also(rule.At(first), "the first time"), rule.WithKind(list.Method()))
			}
			seen[key{list, cursor}] = n
		}
	}
}
