package registry

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// WrongValue is registry/wrong-value.
var WrongValue = &rule.Rule{
	ID:       "registry/wrong-value",
	Title:    "a value that the schema does not have",
	Trigger:  "A member of server.json holds none of the words that may stand there, or a text of another form.",
	Message:  `{field} is "{is}", and should be {want}`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write what the schema allows.",
	Manifest: wrongValue,
}

func wrongValue(p *rule.Pass, f *manifest.File) {
	for _, one := range schemaFaults(p, f) {
		args := rule.Args{"field": one.Field, "is": one.Node.Text(), "want": one.Want}
		switch {
		case one.Field == "name" && one.Node.Parent() == f.Root(), one.Field == "version": // rules of their own
			continue
		case one.Kind == manifest.WrongWord && strings.Contains(one.Want, ","):
			args["want"] = "one of " + one.Want
			p.Report(at(one), args)
		case one.Kind == manifest.WrongWord:
			p.Report(at(one), args)
		case one.Kind == manifest.WrongForm:
			args["want"] = "of the form " + one.Want
			p.Report(at(one), args)
		}
	}
}
