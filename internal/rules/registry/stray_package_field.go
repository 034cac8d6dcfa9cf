package registry

import (
	"maps"
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// StrayPackageField is registry/stray-package-field.
var StrayPackageField = &rule.Rule{
	ID:       "registry/stray-package-field",
	Title:    "a package with what its type does not have",
	Trigger:  "A package of server.json has a member that the registry refuses for its type.",
	Message:  "A package of type {type} has no {field}: {why}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Take it out.",
	Manifest: strayPackageField,
}

func strayPackageField(p *rule.Pass, f *manifest.File) {
	if f.Judged() < manifest.R20251011 {
		return // those were other members then
	}
	for _, one := range f.Packages() {
		kind := manifest.KindOf(f.Type(one))
		if kind == nil {
			continue
		}
		for _, m := range slices.Sorted(maps.Keys(kind.Never)) {
			if n := f.Get(one, m); filled(n) {
				p.Report(rule.Key(n), rule.Args{"type": kind.Name, "field": m, "why": kind.Never[m]})
			}
		}
	}
}
