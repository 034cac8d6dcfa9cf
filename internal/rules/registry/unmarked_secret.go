package registry

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
)

// UnmarkedSecret is registry/unmarked-secret.
var UnmarkedSecret = &rule.Rule{
	ID:       "registry/unmarked-secret",
	Title:    "a secret that is not marked as one",
	Trigger:  "An input of server.json is called like a secret, and does not say isSecret.",
	Message:  "{names} {is} called like a secret and not marked isSecret: clients show what is typed, and keep it in plain text",
	Severity: finding.Warning,
	Tags:     []string{rule.Secret},
	OWASP:    "MCP01",
	CWE:      []int{312},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: `Add "isSecret": true.`,
	Manifest: unmarkedSecret,
}

func unmarkedSecret(p *rule.Pass, f *manifest.File) {
	var names []string
	var first source.Node
	for _, in := range inputs(f) {
		name := in.Get("name").Text()
		if name == "" {
			name = in.Key()
		}
		if yes, _ := f.Get(in, "isSecret").Bool(); yes || in.Get("value").Valid() || in.Get("choices").Valid() || !secret.SecretName(name) || in.Get("type").Text() == "positional" || in.Get("format").Text() == "filepath" {
			continue
		}
		if !first.Valid() {
			first = in
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if first.Valid() {
		is := "is"
		if len(names) > 1 {
			is = "are"
		}
		p.Report(rule.At(first), rule.Args{"names": rule.List(names, p.Limits.ShownNames), "is": is})
	}
}
