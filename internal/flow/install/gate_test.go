package install

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

var now = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func subject(change ...func(*Subject)) Subject {
	published := now.Add(-48 * time.Hour)
	s := Subject{Server: project.Server{Name: "files", Kind: project.Registry, Of: "io.github.example/files"}, Type: pkg.NPM, Identifier: "@example/files", Score: 31, Reach: 62,
		Record: &registry.Record{Name: "io.github.example/files", Version: "1.0.0", Official: registry.Official{Status: registry.Active, Published: published}}, Pin: &pkg.Pin{Published: published}}
	for _, c := range change {
		c(&s)
	}
	return s
}

// mcpm-contracts: install is refused on --min-trust, --min-release-age and a server that the registry marks deleted; its facts
// say that allow, deny and install scripts were never held in one place.
func TestEveryGate(t *testing.T) {
	open := project.Install{URLServers: true}
	with := func(change func(*project.Install)) project.Install {
		in := open
		change(&in)
		return in
	}
	none := func(*Subject) {}
	url := func(s *Subject) {
		s.Type, s.Identifier, s.Pin, s.Record, s.URL, s.Score, s.Reach = "", "", nil, nil, "https://mcp.example.com/mcp", 0, 0
		s.Server = project.Server{Name: "search", Kind: project.Remote, URL: s.URL}
	}
	for _, c := range []struct {
		name   string
		in     project.Install
		change func(*Subject)
		want   string // gates, in order
	}{
		{"nothing is asked for", open, none, ""},
		{"deleted blocks everywhere", open, func(s *Subject) { s.Record.Official.Status = registry.Gone }, "deleted"},
		{"deprecated does not", open, func(s *Subject) { s.Record.Official.Status = registry.Deprecated }, ""},
		{"trust is per cent of what can be reached", with(func(i *project.Install) { i.MinTrust = 50 }), none, ""},
		{"one more is too much", with(func(i *project.Install) { i.MinTrust = 51 }), none, "min-trust"},
		{"nothing to judge by", with(func(i *project.Install) { i.MinTrust = 1 }), url, "min-trust"},
		{"a program of the team's own", with(func(i *project.Install) { i.MinTrust, i.MinReleaseAge, i.BlockInstallScripts = 1, time.Hour, true }), func(s *Subject) {
			*s = Subject{Server: project.Server{Name: "own", Kind: project.Command, Command: "node"}}
		}, ""},
		{"old enough", with(func(i *project.Install) { i.MinReleaseAge = 48 * time.Hour }), none, ""},
		{"the package is younger than the record", with(func(i *project.Install) { i.MinReleaseAge = 24 * time.Hour }), func(s *Subject) { s.Pin.Published = now.Add(-time.Hour) }, "release-age"},
		{"the record is younger than the package", with(func(i *project.Install) { i.MinReleaseAge = 24 * time.Hour }), func(s *Subject) { s.Record.Official.Published = now.Add(-time.Hour) }, "release-age"},
		{"published in the future", with(func(i *project.Install) { i.MinReleaseAge = time.Second }), func(s *Subject) { s.Record.Official.Published = now.Add(time.Hour) }, "release-age"},
		{"nobody says when", with(func(i *project.Install) { i.MinReleaseAge = time.Second }), func(s *Subject) { s.Record.Official.Published = time.Time{} }, "release-age"},
		{"a package alone, of no known age", with(func(i *project.Install) { i.MinReleaseAge = time.Second }), func(s *Subject) { s.Record, s.Pin = nil, &pkg.Pin{} }, "release-age"},
		{"an address has no release", with(func(i *project.Install) { i.MinReleaseAge = time.Hour }), url, ""},
		{"install scripts", with(func(i *project.Install) { i.BlockInstallScripts = true }), func(s *Subject) { s.Pin.InstallScripts = []string{"postinstall"} }, "install-scripts"},
		{"install scripts that nobody could ask for", with(func(i *project.Install) { i.BlockInstallScripts = true }), func(s *Subject) { s.Pin = nil }, "install-scripts"},
		{"a source that builds", with(func(i *project.Install) { i.BlockInstallScripts = true }), func(s *Subject) {
			s.Type, s.Pin = pkg.PyPI, &pkg.Pin{Files: []pkg.File{{Name: "x-1.0.tar.gz"}}}
		}, "install-scripts"},
		{"a wheel", with(func(i *project.Install) { i.BlockInstallScripts = true }), func(s *Subject) {
			s.Type, s.Pin = pkg.PyPI, &pkg.Pin{Files: []pkg.File{{Name: "x-1.0-py3-none-any.whl"}, {Name: "x-1.0.tar.gz"}}}
		}, ""},
		{"urls", with(func(i *project.Install) { i.URLServers = false }), url, "url-servers"},
		{"denied by its package", with(func(i *project.Install) { i.Deny = []string{"NPM:@EXAMPLE/*"} }), none, "deny"},
		{"denied by the name here", with(func(i *project.Install) { i.Deny = []string{"files"} }), none, "deny"},
		{"allowed by its name in the registry", with(func(i *project.Install) { i.Allow = []string{"io.github.example/*"} }), none, ""},
		{"a name that anybody can give is not what allows", with(func(i *project.Install) { i.Allow = []string{"files"} }), none, "allow"},
		{"allowed and denied", with(func(i *project.Install) { i.Allow, i.Deny = []string{"*"}, []string{"*files"} }), none, "deny"},
		{"an address that is allowed", with(func(i *project.Install) { i.Allow = []string{"https://mcp.example.com/*"} }), url, ""},
		{"all of them", project.Install{MinTrust: 100, MinReleaseAge: 72 * time.Hour, BlockInstallScripts: true, Allow: []string{"x"}, Deny: []string{"*"}}, func(s *Subject) {
			s.Record.Official.Status, s.Pin.InstallScripts, s.URL = registry.Gone, []string{"preinstall"}, "https://x.example"
		}, "deleted deny allow url-servers min-trust release-age install-scripts"},
	} {
		var got []string
		for _, b := range Gates(c.in, subject(c.change), now) {
			got = append(got, string(b.Gate))
			if b.Server == "" || b.Detail == "" || b.Hint == "" {
				t.Errorf("%s: %+v", c.name, b)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: blocked by %q, want %q", c.name, got, c.want)
		}
	}
}
