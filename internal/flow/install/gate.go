// Package install puts servers into a project and into the clients of who works on it: what may be installed and what may
// not, what a project file and a lock come to, what clients already have. It asks registries and writes files through
// interfaces of its own.
//
// Source: mcpm-contracts; where we differ is in docs/migrating.md.
package install

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// Subject is one server that somebody wants to install, and what is known of it.
type Subject struct {
	Server project.Server
	// Record is its record in the MCP registry, nil for a server without one.
	Record *registry.Record
	// Type and Identifier are the package that is started, "" for a server that is reached.
	Type       pkg.Type
	Identifier string
	// Pin is what the package's registry says, nil where nothing could be had.
	Pin *pkg.Pin
	// URL is where it is reached, "" for one that is started.
	URL string
	// Score of Reach is what the checks that ran made of the record; Reach is 0 where none ran.
	Score, Reach int
}

// Gate is one reason for which a server is not installed.
type Gate string

// The gates. They are part of the contract: a later version adds others.
const (
	Deleted Gate = "deleted"
	Deny    Gate = "deny"
	Allow   Gate = "allow"
	URLs    Gate = "url-servers"
	Trust   Gate = "min-trust"
	Age     Gate = "release-age"
	Scripts Gate = "install-scripts"
	// Uncovered is a server that the lock does not hold as it is asked for, Unverified one of which something could not be
	// asked, Variables one that lacks a variable, Shadowed one whose tools pass for another's.
	Uncovered  Gate = "uncovered"
	Unverified Gate = "could-not-verify"
	Variables  Gate = "missing-variable"
	Shadowed   Gate = "shadowed"
)

// Block says that a gate is shut: what it saw, and what to do.
type Block struct {
	Server string `json:"server"`
	Gate   Gate   `json:"gate"`
	Detail string `json:"detail"`
	Hint   string `json:"hint"`
}

// Gates holds a server to what a project says of installing. It is one function for add, up and update. What could not be
// asked is no pass: a gate that is armed stays shut.
func Gates(in project.Install, s Subject, now time.Time) (blocks []Block) {
	block := func(g Gate, hint, format string, args ...any) {
		blocks = append(blocks, Block{s.Server.Name, g, fmt.Sprintf(format, args...), hint})
	}
	if s.Record != nil && s.Record.Deleted() {
		block(Deleted, "mcpassay search finds another; do not run what is installed of it", "%s %s was deleted from the registry: %s", s.Record.Name, s.Record.Version,
			cmp.Or(s.Record.Official.Message, "the registry gives no reason"))
	}
	given := s.names()
	if pattern, ok := in.Denied(append(given, s.Server.Name)...); ok {
		block(Deny, "install.deny of mcpassay.yaml says so", "it is denied by %q", pattern)
	}
	if !in.Allowed(given...) {
		block(Allow, "install.allow of mcpassay.yaml lists what is", "it is not among what is allowed")
	}
	if s.URL != "" && !in.URLServers {
		block(URLs, "install.allowUrlServers of mcpassay.yaml says so", "it runs elsewhere, and such servers are not allowed")
	}
	own := s.Server.Kind == project.Command // a program of the team's own, and no package
	if in.MinTrust > 0 && !own {
		switch {
		case s.Reach <= 0:
			block(Trust, "install.minTrust of mcpassay.yaml, or --min-trust, asks for a record of the registry", "there is no record by which it could be judged")
		case 100*s.Score < in.MinTrust*s.Reach:
			block(Trust, "mcpassay why "+s.Server.Name+" says what it is made of", "its score is %d of %d (%d %%), and %d %% is asked for", s.Score, s.Reach, 100*s.Score/s.Reach, in.MinTrust)
		}
	}
	if in.MinReleaseAge > 0 && (s.Record != nil || s.Identifier != "") {
		s.age(in.MinReleaseAge, now, block)
	}
	if in.BlockInstallScripts && (s.Type == pkg.NPM || s.Type == pkg.PyPI) {
		switch {
		case s.Pin == nil:
			block(Scripts, "try again where its registry can be asked", "nothing is known of its install scripts")
		case len(s.Pin.InstallScripts) > 0:
			block(Scripts, "install.blockInstallScripts of mcpassay.yaml says so", "it runs code when it is installed: %s", strings.Join(s.Pin.InstallScripts, ", "))
		case s.Type == pkg.PyPI && !slices.ContainsFunc(s.Pin.Files, func(f pkg.File) bool { return strings.HasSuffix(f.Name, ".whl") }):
			block(Scripts, "install.blockInstallScripts of mcpassay.yaml says so", "it has no wheel, and its source runs code when it is installed")
		}
	}
	return blocks
}

// age holds the youngest of what is known to have been published to an age.
func (s *Subject) age(least time.Duration, now time.Time, block func(Gate, string, string, ...any)) {
	var youngest time.Time
	known := s.Record == nil
	if s.Record != nil && !s.Record.Official.Published.IsZero() {
		youngest, known = s.Record.Official.Published, true
	}
	if s.Identifier != "" {
		switch {
		case s.Pin != nil && !s.Pin.Published.IsZero():
			if s.Pin.Published.After(youngest) {
				youngest = s.Pin.Published
			}
		case s.Record == nil:
			known = false
		}
	}
	const hint = "wait, or take an older version: NAME@VERSION"
	switch age := now.Sub(youngest); {
	case !known || youngest.IsZero():
		block(Age, "install.minReleaseAge of mcpassay.yaml asks for it", "nobody says when it was published")
	case age < 0:
		block(Age, hint, "it was published in the future: %s", youngest.UTC().Format(time.RFC3339))
	case age < least:
		block(Age, hint, "it was published %v ago, and %v is asked for", age.Round(time.Minute), least)
	}
}

// names are what others call the server: its name in the registry, its package, its address.
func (s *Subject) names() (all []string) {
	if s.Record != nil {
		all = append(all, s.Record.Name)
	} else if s.Server.Of != "" {
		all = append(all, s.Server.Of)
	}
	if s.Identifier != "" {
		all = append(all, string(s.Type)+":"+s.Identifier)
	}
	if s.URL != "" {
		all = append(all, s.URL)
	}
	if s.Server.Kind == project.Command {
		all = append(all, s.Server.Command)
	}
	return all
}
