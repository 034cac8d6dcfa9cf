// Package project is what mcpassay.yaml says of servers: which ones a team wants, and what may be installed. It reads and
// changes the file's text; policy is internal/policy's, which reads the same file and calls this reader.
//
// Source: mcpm-contracts, "Config & lockfile formats"; where we differ is in docs/migrating.md.
package project

import (
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Kind is how a server is had.
type Kind string

// The kinds. Named is a server of which the file says its name alone, and the name is none of the registry's: it counts for
// what a lock must hold, and nothing can install it.
const (
	Registry Kind = "registry"
	Package  Kind = "package"
	Remote   Kind = "url"
	Command  Kind = "command"
	Named    Kind = "named"
)

// Server is one server that a team wants.
type Server struct {
	// Name is the key in the file: the name in the lock and in the clients.
	Name string
	Kind Kind
	// Of is the registry's name of a Registry server: its key, or what `server` says.
	Of string
	// Version is a version or a range, "" for the latest one.
	Version string
	// Type and Identifier are the coordinates of a Package: npm, pypi, oci, nuget, cargo, and a name there.
	Type, Identifier string
	// URL is where a Remote is; Transport is http or sse.
	URL, Transport string
	// Command starts a Command.
	Command string
	// Args are arguments behind those that a record or a package brings.
	Args []string
	// Profiles name the sets of servers that it belongs to, none for all of them.
	Profiles []string
	Env      []Variable
	Headers  []Variable
	// Node is the value of the key, which may be null.
	Node source.Node
}

// Variable is a variable of the environment, or a header. The file never holds a value that is secret.
type Variable struct {
	Name             string
	Required, Secret bool
	// Default is the value where nobody gives one, if Defaulted says that there is one.
	Default   string
	Defaulted bool
	// Value is what it is made of, with references like ${NAME}; "" is the variable of its own name.
	Value string
}

// Text is the value with its references. Where optional says so, one that is not set is what Default says or nothing;
// else a default is written as it is.
func (v *Variable) Text(header, optional bool) client.Text {
	given := v.Defaulted && !v.Secret
	switch {
	case v.Value != "":
		return Text(v.Value)
	case given && !optional:
		return client.Plain(v.Default)
	case given, optional && !v.Required:
		return client.Text{{Variable: v.own(header), Default: v.Default, Defaulted: true}}
	}
	return client.Variable(v.own(header))
}

// own is the variable that it is the value of.
func (v *Variable) own(header bool) string {
	if header {
		return VariableFor(v.Name)
	}
	return v.Name
}

// VariableFor is the variable of the environment that a name of a record or a header stands for: X-Api-Key is X_API_KEY. It is
// in capitals, with "_" for what no such name holds, and "" where nothing is left.
func VariableFor(name string) string {
	if variableName().MatchString(name) {
		return name
	}
	var b strings.Builder
	for _, r := range strings.ToUpper(name) {
		switch {
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	return strings.Trim(b.String(), "_")
}

// Needs are the variables of the environment that must be set for it.
func (v *Variable) Needs(header bool) (names []string) {
	if !v.Required || v.Defaulted {
		return nil
	}
	for _, p := range v.Text(header, false) {
		if p.Variable != "" && !p.Defaulted {
			names = append(names, p.Variable)
		}
	}
	return names
}

// The places that a text of a project file may name: they differ from machine to machine, and are no variables.
const (
	ProjectPlace = "project"
	HomePlace    = "home"
)

// Text reads ${NAME} and ${NAME:-default} as references to variables, ${project} and ${home} as names of places, and all else as
// it stands.
func Text(s string) (out client.Text) {
	at := 0
	for _, r := range client.Refs(s) {
		if r.Nested || r.Form != "${VAR}" && r.Form != "${VAR:-default}" || !variableName().MatchString(r.Name) {
			continue
		}
		out = append(out, client.Plain(s[at:r.Start])...)
		p := client.Part{Variable: r.Name, Defaulted: r.Default}
		if !r.Default && (r.Name == ProjectPlace || r.Name == HomePlace) {
			p = client.Part{Form: r.Form, Name: r.Name}
		}
		if _, def, ok := strings.Cut(strings.TrimSuffix(s[r.Start:r.End], "}"), ":-"); ok && r.Default {
			p.Default = def
		}
		out, at = append(out, p), r.End
	}
	return append(out, client.Plain(s[at:])...)
}

// In says whether the server belongs to a profile: "" is all of them.
func (s *Server) In(profile string) bool {
	if profile == "" || len(s.Profiles) == 0 {
		return true
	}
	for _, p := range s.Profiles {
		if p == profile {
			return true
		}
	}
	return false
}

// Coordinate is a Package as the file writes it, npm:@example/files.
func (s *Server) Coordinate() string { return s.Type + ":" + s.Identifier }

// Install is what may be installed. The zero Install, with URLServers true, refuses nothing.
type Install struct {
	// MinTrust is the least score, per cent of what the checks that ran could reach: 0 to 100.
	MinTrust int
	// MinReleaseAge is how long a version must have been published, 0 for no matter.
	MinReleaseAge       time.Duration
	BlockInstallScripts bool
	URLServers          bool
	// Allow and Deny are patterns of names, coordinates (npm:@example/*) and URLs, in which * is any text. Where Allow
	// has any, what matches none is refused. Deny wins.
	Allow, Deny []string
}

// Allowed says whether one of the names that somebody else gave a server (its name in the registry, its packages'
// coordinates, its URL) is one that Allow lets in. Names of a registry differ by case.
func (i *Install) Allowed(names ...string) bool {
	if len(i.Allow) == 0 {
		return true
	}
	_, ok := match(i.Allow, names, false)
	return ok
}

// Denied gives the pattern of Deny that one of the names matches, whatever their case.
func (i *Install) Denied(names ...string) (pattern string, ok bool) {
	return match(i.Deny, names, true)
}

func match(patterns, names []string, fold bool) (string, bool) {
	for _, p := range patterns {
		for _, n := range names {
			if fold {
				if Glob(strings.ToLower(p), strings.ToLower(n)) {
					return p, true
				}
			} else if Glob(p, n) {
				return p, true
			}
		}
	}
	return "", false
}

// Glob says whether a text is what the pattern means: * is any text, slashes too, and the rest itself. It takes time in
// proportion to both.
func Glob(pattern, s string) bool {
	first, rest, any := strings.Cut(pattern, "*")
	if !any {
		return pattern == s
	}
	s, ok := strings.CutPrefix(s, first)
	if !ok {
		return false
	}
	for {
		part, more, ok := strings.Cut(rest, "*")
		if !ok {
			return strings.HasSuffix(s, rest)
		}
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s, rest = s[i+len(part):], more
	}
}

// Fault is something wrong with the file: where, what, and the next step. Strangers' words in it are safe to print.
type Fault struct {
	At        finding.Span
	Msg, Hint string
}
