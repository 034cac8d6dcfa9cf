package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// IgnoredCursor is endpoint/ignored-cursor.
var IgnoredCursor = &rule.Rule{
	ID:       "endpoint/ignored-cursor",
	Title:    "a bad cursor that is ignored",
	Trigger:  "tools/list with a cursor that the server never gave is answered with tools.",
	Message:  "The server answers a cursor that it never gave with {got} instead of error -32602: a client whose cursor is stale reads pages twice",
	Severity: finding.Info,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Refuse a cursor that you can not read with error -32602.",
	Surface: ignoredCursor,
}

func ignoredCursor(p *rule.Pass, s *card.Server) {
	in := probe(s)
	for t := range in.of(wire.CursorUnknown) {
		code, isError := t.Code()
		if t.broken() || !t.Answered() || isError && code == -32602 {
			continue
		}
		severity := finding.Info
		if t.accepted() && paged(s) {
			severity = finding.Warning
		}
		p.Report(rule.At(t.at), rule.Args{"got": t.got()}, rule.WithSeverity(severity))
	}
}

// paged says that the server gives cursors at all: one that does not has no use for a bad one.
func paged(s *card.Server) bool {
	for _, page := range s.Pages {
		if page.Get("nextCursor").Valid() {
			return true
		}
	}
	return false
}
