// Package registry holds two families of rules. Those on server.json, with which a server is published to the MCP registry: what its
// dated schema and the registry's own checks ask, and whether it says the same as the package that it is about. And those on what
// registries and databases say of configured servers, which run in the audit verb. One file and one page a rule.
package registry

import (
	"embed"

	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Pages are the rules' pages.
//
//go:embed *.md
var Pages embed.FS

// place is where a package stands in the config.
func place(p *trust.Package) rule.Place {
	if p.End > p.Start {
		return rule.Part(p.Word.Node, p.Start, p.End)
	}
	return rule.At(p.Word.Node)
}

// called is a package with its version, for a message.
func called(p *trust.Package) string {
	if p.Version == "" {
		return p.Name
	}
	return p.Name + " " + p.Version
}

// entry is where a record is reported: at the package or the address that it was found by.
func entry(s *trust.Server) rule.Place {
	switch {
	case s.Address != "" && s.Word.Set():
		return rule.At(s.Word.Node)
	case len(s.Packages) > 0:
		return place(s.Packages[0])
	}
	return rule.Key(s.Entry.Node)
}

// registryOf is whose registry a type of packages has, for a message.
func registryOf(t pkg.Type) string {
	if name := map[pkg.Type]string{pkg.NPM: "npm", pkg.PyPI: "PyPI", pkg.NuGet: "NuGet"}[t]; name != "" {
		return name
	}
	return "its registry"
}
