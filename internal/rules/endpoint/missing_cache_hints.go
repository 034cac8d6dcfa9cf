package endpoint

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// MissingCacheHints is endpoint/missing-cache-hints.
var MissingCacheHints = &rule.Rule{
	ID:       "endpoint/missing-cache-hints",
	Title:    "a result without what 2026-07-28 requires",
	Trigger:  "A result under 2026-07-28 has no resultType, or a list has no ttlMs or cacheScope, or its pages differ in cacheScope.",
	Message:  "The server answers under 2026-07-28 without {names}",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Give resultType with every result, and ttlMs and cacheScope with lists, server/discover and resources/read.",
	Surface: missingCacheHints,
}

func missingCacheHints(p *rule.Pass, s *card.Server) {
	words := map[wire.FaultKind]string{wire.MissingResultType: "resultType", wire.MissingTTL: "ttlMs",
		wire.MissingCacheScope: "cacheScope", wire.MixedCacheScope: "one cacheScope for all pages"}
	var names []string
	var first source.Node
	for f, at := range faults(s, wire.MissingResultType, wire.MissingTTL, wire.MissingCacheScope, wire.MixedCacheScope) {
		if !first.Valid() {
			first = at
		}
		if !slices.Contains(names, words[f.Kind]) {
			names = append(names, words[f.Kind])
		}
	}
	if first.Valid() {
		p.Report(rule.At(first), rule.Args{"names": strings.Join(names, ", ")})
	}
}
