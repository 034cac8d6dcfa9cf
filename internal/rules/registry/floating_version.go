package registry

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// FloatingVersion is registry/floating-version.
var FloatingVersion = &rule.Rule{
	ID:       "registry/floating-version",
	Title:    "a version that is none",
	Trigger:  `A version of server.json is a range or "latest", or an image has no tag.`,
	Message:  `"{version}" is {what}, and the registry takes only one version`,
	Severity: finding.Error,
	Tags:     []string{rule.Supply, rule.Schema},
	OWASP:    "MCP04",
	CWE:      []int{1357},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write the one version that was published.",
	Manifest: floatingVersion,
}

func floatingVersion(p *rule.Pass, f *manifest.File) {
	look := func(n source.Node) {
		v, ok := n.Str()
		switch {
		case !ok:
		case strings.EqualFold(strings.TrimSpace(v), "latest"):
			p.Report(rule.At(n), rule.Args{"version": v, "what": "a word for whatever is newest"})
		case strings.TrimSpace(v) == "":
			p.Report(rule.At(n), rule.Args{"version": v, "what": "no version"})
		case manifest.LooksRange(v):
			p.Report(rule.At(n), rule.Args{"version": v, "what": "a range"})
		}
	}
	look(f.Root().Get("version"))
	for _, one := range f.Packages() {
		look(f.Get(one, "version"))
		id := f.Get(one, "identifier")
		if f.Type(one) != "oci" || !filled(id) || f.Get(one, "version").Valid() {
			continue
		}
		if _, tag, pinned := manifest.Image(id.Text()); !pinned && (tag == "" || tag == "latest") {
			p.ReportAs("The image {image} has no tag of a version: what it is changes with every push", rule.At(id), rule.Args{"image": id.Text()}, rule.WithSeverity(finding.Warning))
		}
	}
}
