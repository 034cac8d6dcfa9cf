package registry

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// UnknownSchema is registry/unknown-schema.
var UnknownSchema = &rule.Rule{
	ID:       "registry/unknown-schema",
	Title:    "a $schema that the registry does not have",
	Trigger:  "The $schema of server.json is none of the dated ones.",
	Message:  "{is} is no schema that the registry has{near}: it is judged as one of {date}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write the address of the current schema.",
	Manifest: unknownSchema,
}

func unknownSchema(p *rule.Pass, f *manifest.File) {
	if f.Revision != manifest.Unknown {
		return
	}
	args := rule.Args{"is": f.Schema.Text(), "date": manifest.Current.String(), "near": ""}
	if strings.Contains(f.Schema.Text(), "/draft/") {
		args["near"] = " (the draft may change at any time)"
	}
	if f.Schema.Kind() != source.String {
		args["is"] = f.Schema.Kind().String()
	}
	p.Report(rule.At(f.Schema), args, rule.WithFix(finding.Manual, "write "+manifest.Current.URL()))
}
