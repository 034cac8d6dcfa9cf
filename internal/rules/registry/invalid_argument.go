package registry

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// InvalidArgument is registry/invalid-argument.
var InvalidArgument = &rule.Rule{
	ID:       "registry/invalid-argument",
	Title:    "an argument that no command line can be made of",
	Trigger:  "The name of a named argument holds a value, or its value begins with its name.",
	Message:  "{field} {why}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Put the flag into name, and its value into value.",
	Manifest: invalidArgument,
}

func invalidArgument(p *rule.Pass, f *manifest.File) {
	for _, one := range f.Packages() {
		if id := f.Get(one, "identifier"); strings.ContainsAny(id.Text(), " \t\r\n") {
			p.Report(rule.At(id), rule.Args{"field": "identifier", "why": "holds a space"})
		}
		for _, list := range []string{"runtimeArguments", "packageArguments"} {
			for _, a := range f.Items(one, list) {
				name := a.Get("name")
				if a.Get("type").Text() != "named" || !filled(name) {
					continue
				}
				if strings.ContainsAny(name.Text(), "<> $") {
					p.Report(rule.At(name), rule.Args{"field": "name", "why": "holds more than the name of a flag: its value has members of its own"})
				}
				for _, m := range []string{"value", "default"} {
					if v := a.Get(m); filled(v) && strings.HasPrefix(v.Text(), name.Text()) {
						p.Report(rule.At(v), rule.Args{"field": m, "why": "begins with the name of its flag, which stands on the command line already"})
					}
				}
			}
		}
	}
}
