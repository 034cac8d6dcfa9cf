package registry

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
)

// RepeatedEntry is registry/repeated-entry.
var RepeatedEntry = &rule.Rule{
	ID:       "registry/repeated-entry",
	Title:    "the same package or remote twice",
	Trigger:  "server.json names one package or one remote twice.",
	Message:  "{what} is named twice",
	Severity: finding.Warning,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Name it once.",
	Manifest: repeatedEntry,
}

func repeatedEntry(p *rule.Pass, f *manifest.File) {
	seen := map[string]bool{}
	once := func(n source.Node, key, what string) {
		if seen[key] {
			p.Report(rule.At(n), rule.Args{"what": what})
		}
		seen[key] = true
	}
	for _, one := range f.Packages() {
		if id := f.Get(one, "identifier"); filled(id) {
			name := f.Type(one) + " " + id.Text() + " " + f.Get(one, "version").Text()
			once(id, name+" "+f.Get(one, "transport").Get("type").Text(), strings.TrimSpace(name))
		}
	}
	for _, r := range f.Remotes() {
		if n := r.Get("url"); filled(n) {
			once(n, r.Get("type").Text()+" "+n.Text(), secret.MaskURL(n.Text()))
		}
	}
}
