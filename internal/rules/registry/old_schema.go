package registry

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// OldSchema is registry/old-schema.
var OldSchema = &rule.Rule{
	ID:       "registry/old-schema",
	Title:    "a manifest for an older schema",
	Trigger:  "The $schema of server.json is a dated one, and not the current.",
	Message:  "The schema of {date} is not the current one, {current}: {changes}",
	Severity: finding.Warning,
	Tags:     []string{rule.Schema, rule.Portability},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write the address of the current schema, and what it changed.",
	Manifest: oldSchema,
}

func oldSchema(p *rule.Pass, f *manifest.File) {
	if f.Revision == manifest.Current || f.Revision == manifest.Unsaid || f.Revision == manifest.Unknown {
		return
	}
	changes := f.Revision.Changes()
	words := "only the date differs"
	if len(changes) > 0 {
		words = "since then " + strings.Join(changes, "; ")
	}
	p.Report(rule.At(f.Schema), rule.Args{"date": f.Revision.String(), "current": manifest.Current.String(), "changes": words},
		rule.WithFix(finding.Manual, "write "+manifest.Current.URL()))
}
