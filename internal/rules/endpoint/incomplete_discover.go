package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// IncompleteDiscover is endpoint/incomplete-discover.
var IncompleteDiscover = &rule.Rule{
	ID:       "endpoint/incomplete-discover",
	Title:    "server/discover without what clients need",
	Trigger:  "server/discover is refused, or its result lacks the versions or the capabilities.",
	Message:  "The answer to server/discover has no {missing}: a client of 2026-07-28 does not know {unknown}",
	Severity: finding.Error,
	Tags:     []string{rule.Protocol},
	Aliases:  []string{"sep-2575-server-implements-discover"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Answer with supportedVersions, capabilities, resultType, ttlMs and cacheScope.",
	Surface: incompleteDiscover,
}

func incompleteDiscover(p *rule.Pass, s *card.Server) {
	in := probe(s)
	for t := range in.of(wire.Discover) {
		result := t.result()
		if t.broken() || t.gated() || !in.modern && result.Kind() != source.Object {
			continue // an older server need not know it
		}
		if result.Kind() != source.Object {
			p.ReportAs("The server answers server/discover with {got}: a client of 2026-07-28 takes it for one of the old protocol", rule.At(t.at),
				rule.Args{"got": t.got()}, rule.WithKind("refused"))
			continue
		}
		if n := result.Get("supportedVersions"); n.Kind() != source.Array || n.Len() == 0 {
			p.Report(rule.At(t.at), rule.Args{"missing": "supportedVersions", "unknown": "which revision to speak"}, rule.WithKind("supportedVersions"))
		}
		if result.Get("capabilities").Kind() != source.Object {
			p.Report(rule.At(t.at), rule.Args{"missing": "capabilities", "unknown": "what it may ask for"}, rule.WithKind("capabilities"))
		}
	}
}
