package registry

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MissingField is registry/missing-field.
var MissingField = &rule.Rule{
	ID:       "registry/missing-field",
	Title:    "a manifest without a member that it must have",
	Trigger:  "server.json lacks a member that the schema of its date requires.",
	Message:  "{place} has no {field}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Add it.",
	Manifest: missingField,
}

func missingField(p *rule.Pass, f *manifest.File) {
	for _, one := range schemaFaults(p, f) {
		if one.Kind == manifest.Missing {
			p.Report(at(one), rule.Args{"field": one.Field, "place": partOf(one.Node)})
		}
	}
}
