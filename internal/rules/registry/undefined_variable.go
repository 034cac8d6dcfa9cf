package registry

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// UndefinedVariable is registry/undefined-variable.
var UndefinedVariable = &rule.Rule{
	ID:       "registry/undefined-variable",
	Title:    "a URL with a variable that nothing defines",
	Trigger:  "A {variable} in a URL of server.json is not defined.",
	Message:  "The url has {name}, and nothing defines it: {where}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Define it, or write what it stands for.",
	Manifest: undefinedVariable,
}

func undefinedVariable(p *rule.Pass, f *manifest.File) {
	transports(f, func(t, owner source.Node, remote bool) {
		n := t.Get("url")
		known := map[string]bool{}
		where := "name it in environmentVariables, or as the name or valueHint of an argument"
		if remote {
			where = "name it in variables"
			for _, v := range variables(f, owner) {
				known[v.Key()] = true
			}
		} else {
			for _, list := range []string{"environmentVariables", "runtimeArguments", "packageArguments"} {
				for _, in := range f.Items(owner, list) {
					known[in.Get("name").Text()] = true
					known[f.Get(in, "valueHint").Text()] = true
				}
			}
		}
		if remote && f.Judged() < manifest.R20251211 {
			return // the URLs of that time have no variables
		}
		for _, v := range manifest.Variables(n.Text()) {
			if !known[v] {
				p.Report(rule.At(n), rule.Args{"name": "{" + v + "}", "where": where}, rule.WithKind(v))
			}
		}
	})
}
