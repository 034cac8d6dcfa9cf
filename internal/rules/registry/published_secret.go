package registry

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
)

// PublishedSecret is registry/published-secret.
var PublishedSecret = &rule.Rule{
	ID:       "registry/published-secret",
	Title:    "a secret that would be published",
	Trigger:  "A value or a default of server.json is a credential.",
	Message:  "{field} is {kind}, and everyone can read what is published",
	Severity: finding.Error,
	Tags:     []string{rule.Secret},
	OWASP:    "MCP01",
	CWE:      []int{540, 798},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Take it out, revoke it, and mark the input isSecret.",
	Manifest: publishedSecret,
}

func publishedSecret(p *rule.Pass, f *manifest.File) {
	look := func(n source.Node, name, field string) {
		v, ok := n.Str()
		if !ok {
			return
		}
		for _, hit := range secret.Value(name, v) {
			p.Report(rule.Part(n, hit.Start, hit.End), rule.Args{"field": field, "kind": "a secret (" + hit.Title + ")"}, rule.WithKind(string(hit.Kind)))
		}
	}
	for _, in := range inputs(f) {
		name := in.Get("name").Text()
		if name == "" {
			name = in.Key()
		}
		for _, m := range []string{"value", "default", "placeholder", "description"} {
			look(in.Get(m), name, m)
		}
		for c := range in.Get("choices").Children() {
			look(c, name, "choices")
		}
	}
	transports(f, func(t, _ source.Node, _ bool) {
		n := t.Get("url")
		for _, hit := range secret.URL(n.Text()) {
			p.Report(rule.Part(n, hit.Start, hit.End), rule.Args{"field": "url", "kind": "a URL with a secret (" + hit.Title + ")"}, rule.WithKind(string(hit.Kind)))
		}
	})
	for _, m := range []string{"title", "description"} {
		look(f.Root().Get(m), "", m)
	}
}
