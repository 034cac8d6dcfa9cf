// Package trust is what is known of a configured server beyond its config: the packages that it starts, what their registries
// and the MCP registry say of them, what is known of their faults, and what all that comes to. It is data and arithmetic: a
// flow collects, rules judge.
package trust

import (
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// Server is one entry of a config, and what was found out about it.
type Server struct {
	Entry *client.Server `json:"-"`
	// Packages are what its launch line downloads or starts, each once.
	Packages []*Package `json:"packages"`
	// Address is where it is reached, "" for one that runs here; Word is the string that it stands in.
	Address string     `json:"-"`
	Word    client.Str `json:"-"`
	// Record is what the MCP registry lists it as, nil for nothing.
	Record *Record `json:"record"`
	// Unread says that the launch line holds more than was read.
	Unread bool `json:"-"`
}

// Package is one package of a launch line. Strings are strangers' words.
type Package struct {
	// Type is "" for what no registry of packages has: a repository, an archive, a Go module.
	Type pkg.Type `json:"type"`
	// Ecosystem and Name are as the launch line has them; Want is the version, range or tag, "" for none.
	Ecosystem string     `json:"-"`
	Name      string     `json:"name"`
	Want      string     `json:"-"`
	Spec      string     `json:"-"`
	Pin       launch.Pin `json:"-"`
	// Word is the string that it stands in, at Start to End of its text, 0 and 0 for all of it.
	Word       client.Str `json:"-"`
	Start, End int        `json:"-"`
	// Elsewhere says that the launch line takes it from a registry of its own: what others say of the name is about another one.
	Elsewhere bool `json:"-"`

	// Version is what Want means now, "" where nobody knows. Published is when it came out, Withdrawn why nobody should use it,
	// Scripts the names of what runs when it is installed.
	Version   string    `json:"version"`
	Published time.Time `json:"published"`
	// Age is how long ago that was, nil where nobody says when.
	Age       *time.Duration `json:"-"`
	Withdrawn string         `json:"withdrawn"`
	Scripts   []string       `json:"scripts"`
	// Absent says that the registry has no such package, or no such version of it.
	Absent bool `json:"absent"`
	// Digests are by what its bytes are known; Changed says that a lock knows them by others.
	Digests []string `json:"-"`
	Changed string   `json:"changed"`
	// Signed is what is known of who made it.
	Signed Signed `json:"-"`
	// Advisories are what is known against this version.
	Advisories []Advisory `json:"advisories"`
	// Like is a package that it could be taken for, nil for none.
	Like *Like `json:"like"`
}

// Signed is a check of provenance: State is Pass, Fail or NotRun.
type Signed struct{ State, Detail string }

// Advisory is one known fault of a version.
type Advisory struct {
	ID      string   `json:"id"`
	Aliases []string `json:"aliases"`
	Summary string   `json:"summary"`
	// Level is critical, high, medium or low; Malicious says that the package is no honest one.
	Level     string `json:"level"`
	Malicious bool   `json:"malicious"`
	// Fixed is the version with which it ends, "" for none that is known.
	Fixed string `json:"fixed"`
}

// Like is a package that the registry lists, and the server that it is of. Form says that it has the same letters.
type Like struct {
	Name string `json:"name"`
	Of   string `json:"of"`
	Form bool   `json:"form"`
}

// Record is what the MCP registry says of a server.
type Record struct {
	Name      string          `json:"name"`
	Version   string          `json:"version"`
	Status    registry.Status `json:"status"`
	Message   string          `json:"message"`
	Published time.Time       `json:"published"`
	Age       *time.Duration  `json:"-"`
	// Others are further servers that the registry lists with the same package or address.
	Others []string `json:"others"`
	// Said is what was found in its words.
	Said []Finding `json:"said"`
}

// Of is what an entry names: nothing is known of it yet. Nothing that it answers hangs on what the entry keeps.
func Of(s *client.Server) *Server {
	out := &Server{Entry: s, Packages: []*Package{}}
	if s.URL.Value != "" && (s.Transport != client.Stdio || s.Command.Value == "") {
		out.Address, out.Word = s.URL.Value, s.URL
		return out
	}
	for _, l := range s.Launches() {
		out.Unread = out.Unread || l.Truncated
		if url, arg, ok := l.Bridge(); ok && out.Address == "" {
			out.Address, out.Word = url, l.Word(arg)
		}
		for _, p := range l.Packages {
			out.add(l, p)
		}
	}
	s.Forget()
	return out
}

func (s *Server) add(l *client.Launch, p launch.Package) {
	one := &Package{Type: types[p.Ecosystem], Ecosystem: p.Ecosystem, Name: p.Name, Want: p.Version, Spec: p.Spec, Pin: p.Pin, Word: l.Word(p.Arg), Start: p.Start, End: p.End}
	if strings.ContainsAny(p.Name+p.Version, "${}%") { // what it is, only the client knows
		one.Type = ""
	}
	one.Elsewhere = slices.ContainsFunc(l.Argv, func(w string) bool {
		flag, _, _ := strings.Cut(w, "=")
		return slices.Contains(elsewhere, flag)
	})
	for _, have := range s.Packages {
		if have.Ecosystem == one.Ecosystem && have.Name == one.Name && have.Want == one.Want {
			return
		}
	}
	s.Packages = append(s.Packages, one)
}

// elsewhere are the flags with which a runner is told where its packages are.
var elsewhere = []string{"--registry", "--index-url", "--default-index", "--index", "--extra-index-url", "--find-links", "--source", "--add-source"}

// types are the registries of packages for what launch lines name.
var types = map[string]pkg.Type{"npm": pkg.NPM, "pypi": pkg.PyPI, "oci": pkg.OCI, "nuget": pkg.NuGet}

// Coordinate is the package as the index of the MCP registry has it.
func (p *Package) Coordinate() registry.Coordinate {
	return registry.Coordinate{Type: string(p.Type), Identifier: registry.BareIdentifier(string(p.Type), p.Name)}
}

// Kind says what a server is: package, remote, or program for one that is started from this machine's files.
func (s *Server) Kind() string {
	switch {
	case s.Address != "":
		return "remote"
	case len(s.Packages) > 0:
		return "package"
	}
	return "program"
}
