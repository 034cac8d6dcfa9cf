package registry

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/text"
)

// UnknownPackageType is registry/unknown-package-type.
var UnknownPackageType = &rule.Rule{
	ID:       "registry/unknown-package-type",
	Title:    "a type of package that the registry does not know",
	Trigger:  "The registryType of a package is none that the registry takes.",
	Message:  `registryType "{type}" is none that the registry takes: {known}{near}`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write one that it takes.",
	Manifest: unknownPackageType,
}

func unknownPackageType(p *rule.Pass, f *manifest.File) {
	var known []string
	for _, k := range manifest.Kinds() {
		known = append(known, k.Name)
	}
	for _, one := range f.Packages() {
		n := f.Get(one, "registryType")
		kind, ok := n.Str()
		if !ok || manifest.KindOf(kind) != nil {
			continue
		}
		near := ""
		if hits := text.Nearest(kind, known, 1); len(hits) > 0 {
			near = ". Did you mean " + hits[0] + "?"
		}
		p.Report(rule.At(n), rule.Args{"type": kind, "known": strings.Join(known, ", "), "near": near})
	}
}
