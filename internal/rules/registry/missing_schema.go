package registry

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MissingSchema is registry/missing-schema.
var MissingSchema = &rule.Rule{
	ID:       "registry/missing-schema",
	Title:    "a manifest that does not say what it is written for",
	Trigger:  "server.json has no $schema.",
	Message:  "There is no $schema, and the registry refuses a manifest without one: it is judged as one of {date}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Add the address of the current schema.",
	Manifest: missingSchema,
}

func missingSchema(p *rule.Pass, f *manifest.File) {
	if f.Revision == manifest.Unsaid {
		p.Report(whole(f), rule.Args{"date": manifest.Current.String()}, rule.WithFix(finding.Manual, `add "$schema": "`+manifest.Current.URL()+`"`))
	}
}
