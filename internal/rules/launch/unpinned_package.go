package launch

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// UnpinnedPackage is launch/unpinned-package.
var UnpinnedPackage = &rule.Rule{
	ID:       "launch/unpinned-package",
	Title:    "a package without an exact version",
	Trigger:  "An entry runs a package, an image or a repository of which a new version can take the place of the one that was tried.",
	Message:  "{count} packages are not pinned to one version: {names}",
	One:      "{names} is not pinned to one version",
	Severity: finding.Warning,
	Tags:     []string{rule.Launch, rule.Supply},
	Aliases:  []string{"WRD-SUP-NPX-UNPINNED", "WRD-SUP-UVX-UNPINNED", "WRD-SUP-PIP-UNPINNED", "WRD-SUP-LATEST-TAG"},
	OWASP:    "MCP04",
	CWE:      []int{1357, 494},
	Since:    "0.1.0",
	Each:     unpinnedPackage,
}

func unpinnedPackage(p *rule.Pass, s *client.Server, g *rule.Gather) {
	if s.Hidden || s.File.Dead() {
		return
	}
	for _, l := range s.Launches() {
		offline, looked := -1, false
		for _, pkg := range l.Packages {
			// A version that a variable fills in is decided elsewhere.
			if !pkg.Pin.Floating() || strings.ContainsAny(pkg.Version, "${%") {
				continue
			}
			if pkg.Ecosystem == "npm" && l.Main() {
				if !looked {
					offline, looked = noInstall(s), true
				}
				if offline >= 0 && offline < pkg.Arg {
					continue
				}
			}
			g.Add(s, nameOf(pkg), placeOf(l, pkg))
		}
	}
}

// noInstall is the word of the launch line behind which npx fetches nothing, or -1: it runs what the project's lock file
// has put there, or fails.
func noInstall(s *client.Server) int {
	for i := range 1 + len(s.Args) {
		if w := s.Word(i).Value; w == "--no-install" || w == "--no" {
			return i
		}
	}
	return -1
}

// nameOf is a package for a message. Its address may hold a credential.
func nameOf(pkg launch.Package) string {
	if pkg.Ecosystem == "git" || pkg.Ecosystem == "url" {
		return secret.Mask(pkg.Name)
	}
	return secret.Mask(pkg.Spec)
}

func placeOf(l *client.Launch, pkg launch.Package) rule.Place {
	w := l.Word(pkg.Arg)
	if pkg.Arg >= 0 && l.Main() && pkg.End > pkg.Start {
		return rule.Part(w.Node, pkg.Start, pkg.End)
	}
	return rule.At(w.Node)
}
