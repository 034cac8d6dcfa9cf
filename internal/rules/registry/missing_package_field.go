package registry

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MissingPackageField is registry/missing-package-field.
var MissingPackageField = &rule.Rule{
	ID:       "registry/missing-package-field",
	Title:    "a package without what its type needs",
	Trigger:  "A package of server.json lacks a member that its type needs.",
	Message:  "A package of type {type} needs {field}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema, rule.Supply},
	OWASP:    "MCP04",
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Add it.",
	Manifest: missingPackageField,
}

func missingPackageField(p *rule.Pass, f *manifest.File) {
	for _, one := range f.Packages() {
		kind := manifest.KindOf(f.Type(one))
		if kind == nil {
			continue
		}
		for _, field := range kind.Must {
			if field == "version" && f.Judged() <= manifest.R20250929 {
				continue // the schema of that time asks for it of all
			}
			if !f.Get(one, field).Valid() {
				p.Report(rule.At(f.Get(one, "registryType")), rule.Args{"type": kind.Name, "field": field}, rule.WithKind(field))
			}
		}
	}
}
