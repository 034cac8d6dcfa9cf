package registry

import (
	"net/url"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// ForeignHost is registry/foreign-host.
var ForeignHost = &rule.Rule{
	ID:       "registry/foreign-host",
	Title:    "a package from a host that the registry does not take",
	Trigger:  "A package of server.json is at a host, or names a base URL, that the registry does not take.",
	Message:  "{host} is none that the registry takes for {type}: {known}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema, rule.Supply},
	OWASP:    "MCP04",
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Publish the package where the registry looks.",
	Manifest: foreignHost,
}

func foreignHost(p *rule.Pass, f *manifest.File) {
	for _, one := range f.Packages() {
		kind := manifest.KindOf(f.Type(one))
		if kind == nil {
			continue
		}
		tell := func(n source.Node, host string, known []string) {
			p.Report(rule.At(n), rule.Args{"host": host, "type": kind.Name, "known": strings.Join(known, ", ")})
		}
		base, id := f.Get(one, "registryBaseUrl"), f.Get(one, "identifier")
		if filled(base) && kind.Bases != nil && !slices.Contains(kind.Bases, base.Text()) {
			tell(base, base.Text(), kind.Bases)
		}
		if !filled(id) {
			continue
		}
		switch kind.Name {
		case "oci":
			if host, _, _ := manifest.Image(id.Text()); !kind.Takes(host) {
				tell(id, host, kind.Hosts)
			}
		case "mcpb":
			u, err := url.Parse(id.Text())
			switch {
			case err != nil || u.Host == "":
				p.ReportAs("The identifier of a bundle is the https:// address of its file, and {is} is none", rule.At(id), rule.Args{"is": id.Text()})
			case u.Scheme != "https":
				p.ReportAs("The bundle is fetched over {scheme}, and the registry takes only https", rule.At(id), rule.Args{"scheme": u.Scheme})
			case !kind.Takes(strings.ToLower(u.Host)):
				tell(id, u.Host, kind.Hosts)
			}
		}
	}
}
