package registry

import (
	"net/url"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// InvalidURL is registry/invalid-url.
var InvalidURL = &rule.Rule{
	ID:       "registry/invalid-url",
	Title:    "an address that the registry refuses",
	Trigger:  "websiteUrl or the address of an icon is not https, or the repository is none of its source.",
	Message:  "{field} {why}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write an address that the registry takes.",
	Manifest: invalidURL,
}

func invalidURL(p *rule.Pass, f *manifest.File) {
	root := f.Root()
	report := func(n source.Node, field, why string) { p.Report(rule.At(n), rule.Args{"field": field, "why": why}) }
	https := func(n source.Node, field string) {
		s, ok := n.Str()
		if !ok {
			return
		}
		switch u, err := url.Parse(s); {
		case err != nil, !u.IsAbs(), u.Host == "" && u.Scheme == "https":
			report(n, field, "is no absolute URL")
		case u.Scheme != "https":
			report(n, field, "is not https")
		case strings.ContainsAny(s, "\"'<> \t\r\n"):
			report(n, field, "holds a character that a URL does not have: write it as %XX")
		}
	}
	https(f.Get(root, "websiteUrl"), "websiteUrl")
	for _, i := range f.Items(root, "icons") {
		https(i.Get("src"), "src")
	}
	repo := root.Get("repository")
	address, source := repo.Get("url"), repo.Get("source")
	if filled(address) && filled(source) {
		switch good, known := manifest.GoodRepository(source.Text(), address.Text()); {
		case !known:
			report(source, "source", "is none that the registry knows: github, gitlab")
		case !good:
			report(address, "url", "is no repository of "+source.Text()+": write https://"+source.Text()+".com/OWNER/NAME")
		}
	}
	if sub := repo.Get("subfolder"); filled(sub) && !manifest.GoodSubfolder(sub.Text()) {
		report(sub, "subfolder", "is no clean path below the repository")
	}
}
