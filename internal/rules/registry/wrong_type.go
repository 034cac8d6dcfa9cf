package registry

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// WrongType is registry/wrong-type.
var WrongType = &rule.Rule{
	ID:       "registry/wrong-type",
	Title:    "a member of the wrong type",
	Trigger:  "A member of server.json holds another type than its schema says.",
	Message:  "{field} is {is}, and should be {want}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write the type that the schema has.",
	Manifest: wrongType,
}

func wrongType(p *rule.Pass, f *manifest.File) {
	for _, one := range schemaFaults(p, f) {
		if one.Kind == manifest.WrongType {
			p.Report(at(one), rule.Args{"field": one.Field, "is": one.Node.Kind().String(), "want": one.Want})
		}
	}
}
