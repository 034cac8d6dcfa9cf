// Package fleet is the servers of all clients of one person: what each client has, scope by scope, where they differ, and
// how the difference goes away. It reads files and nothing else; what it plans is written through internal/flow/edit.
//
// Source: mcpm-contracts, sync; where we differ is in docs/migrating.md.
package fleet

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Disk is what fleet needs of the file system. Its Read follows a link of the user's own as a write would.
type Disk interface {
	load.Disk
	Exists(path string) bool
	Absent(path string) bool
	Expand(c client.Candidate) []string
}

// Options is where to look.
type Options struct {
	Env    client.Env
	Cwd    string
	Limits limits.Set
	// Shown gives the path that reports print.
	Shown func(abs string) string
	// Clients are the ones to look at, all where there are none.
	Clients []*client.Client
	// Lock is what clients are held against beside each other, nil for none.
	Lock *Locked
}

// Scope is one set of files that is compared within itself: those of the user, or those of one project.
type Scope struct {
	// Name is user or project.
	Name string
	// Files are those that were read, in table order.
	Files []*client.File
	// Clients are those that have a file here that could be read; Unreadable those that have one that could not.
	Clients    []*client.Client
	Unreadable []*client.Client
}

// Fleet is what was read.
type Fleet struct {
	*load.Set
	Scopes []*Scope

	o    Options
	disk Disk
	seen map[string]bool
	// locked are the servers of the lock, by name.
	locked map[string]*client.Server
}

// Look reads every file of the user and of the nearest folder above, up to its repository, that has one for a project.
func Look(disk Disk, o Options) *Fleet {
	f := &Fleet{Set: load.NewSet(disk, o.Limits), o: o, disk: disk, seen: map[string]bool{}, locked: o.Lock.entries(o)}
	user := &Scope{Name: client.ScopeUser}
	f.Scopes = []*Scope{user}
	if o.Env.Home == "" {
		f.Incomplete = append(f.Incomplete, load.NoHome)
	}
	for _, c := range client.UserFiles(o.Env) {
		if c.Loc.Scope == client.ScopeUser {
			f.candidate(user, c, o.Env.Display)
		}
	}
	project := &Scope{Name: client.ScopeProject}
	for dir, n := o.Cwd, 0; dir != "" && dir != o.Env.Home && n < o.Limits.WalkUp; n++ {
		for _, c := range client.ProjectCandidates(dir) {
			if c.Loc.Scope == client.ScopeProject && c.Client.Kind == client.Program {
				f.candidate(project, c, o.Shown)
			}
		}
		if len(project.Files)+len(project.Unreadable) > 0 || disk.Exists(filepath.Join(dir, ".git")) || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	if len(project.Files)+len(project.Unreadable) > 0 {
		f.Scopes = append(f.Scopes, project)
	}
	return f
}

func (f *Fleet) candidate(s *Scope, c client.Candidate, shown func(string) string) {
	if c.Loc.Reads == client.ReadsNo || len(f.o.Clients) > 0 && !slices.Contains(f.o.Clients, c.Client) {
		return
	}
	for _, path := range f.disk.Expand(c) {
		if f.seen[path] {
			continue
		}
		f.seen[path] = true
		if f.disk.Absent(path) {
			f.Missing++
			continue
		}
		file, outcome := f.Add(load.Ask{Base: c.Base, Where: client.Where{Path: shown(path), Abs: path, Root: f.o.Cwd, Env: f.o.Env}})
		switch outcome {
		case load.Read:
			f.take(s, file)
		case load.Skipped, load.Incomplete:
			s.Unreadable = add(s.Unreadable, c.Client)
		}
	}
}

func add(list []*client.Client, c *client.Client) []*client.Client {
	if c == nil || slices.Contains(list, c) {
		return list
	}
	return append(list, c)
}

// take counts a file that was read. One that holds other settings and no servers makes its client no party in a project,
// where such a file says nothing of MCP.
func (f *Fleet) take(s *Scope, file *client.File) {
	if file.Client == nil || file.Client == client.Generic || len(f.Files) == 0 || f.Files[len(f.Files)-1] != file {
		return // a document of another kind under a client's name
	}
	if file.Mixed() && len(file.Maps) == 0 && (s.Name == client.ScopeProject || file.Loc.Reads == client.ReadsLegacy) {
		return
	}
	if why := shapeless(file); why != "" {
		f.LeaveOut(file.Path, load.Ask{}, &load.Refusal{Reason: "shape", Detail: why})
		s.Unreadable = add(s.Unreadable, file.Client)
		return
	}
	s.Files = append(s.Files, file)
	s.Clients = add(s.Clients, file.Client)
}

// shapeless says why no client can find servers in a file that parses, "" where it can.
func shapeless(f *client.File) string {
	if root := f.Doc.Root(); root.Valid() && root.Kind() != source.Object {
		return "the file holds " + root.Kind().String() + ", and no settings"
	}
	want := source.Object
	if f.Dialect("").Shape() != client.ShapeMap {
		want = source.Array
	}
	for _, m := range f.Maps {
		if k := m.Node.Kind(); m.Wanted && k != want && k != source.Null {
			return m.Key + " is " + k.String() + ", and " + f.Client.Name + " reads " + want.String() + " there"
		}
	}
	return ""
}

// Entry is a server of one client.
type Entry struct {
	Client *client.Client
	Server *client.Server
}

// Entries are the servers that clients of the scope read from it, by client in table order. A file that several clients
// read counts for each that has a file of its own here. Malformed are the names of entries that none can start.
func (s *Scope) Entries() (all []Entry, malformed []Bad) {
	for _, c := range s.Clients {
		for _, f := range s.Files {
			for _, m := range f.Maps {
				if m.Project != "" || !reads(c, f, m) {
					continue
				}
				for n := range m.Node.Children() {
					if n.Kind() != source.Object && n.Kind() != source.Null {
						malformed = append(malformed, Bad{Client: c, Name: n.Key(), File: f})
					}
				}
				for _, v := range f.Servers {
					if v.Node.Parent() != m.Node || v.Hidden || v.Transport == client.Builtin {
						continue
					}
					switch {
					case v.Command.Value == "" && v.URL.Value == "" && !switchOnly(v):
						malformed = append(malformed, Bad{Client: c, Name: v.Name, File: f})
					case v.Command.Value != "" || v.URL.Value != "":
						all = append(all, Entry{c, v})
					}
				}
			}
		}
	}
	return all, malformed
}

// Bad is an entry that can not be compared.
type Bad struct {
	Client *client.Client
	Name   string
	File   *client.File
}

// switchOnly says that an entry does nothing but switch one of another layer on or off.
func switchOnly(s *client.Server) bool {
	if !s.File.Client.Switches || s.Node.Empty() {
		return false
	}
	for c := range s.Node.Children() {
		if k := c.Key(); k != "enabled" && k != "disabled" {
			return false
		}
	}
	return true
}

// reads says whether a client reads a place of a file: its own file, or one whose path and root key it reads too.
func reads(c *client.Client, f *client.File, m client.Map) bool {
	if f.Client == c {
		return m.Wanted
	}
	if !slices.Contains(f.Readers, c) {
		return false
	}
	for _, match := range client.ProjectFile(filepath.ToSlash(f.Abs)) {
		if match.Client == c && match.Loc.Reads != client.ReadsNo {
			return slices.ContainsFunc(c.Roots(match.Loc), func(r client.Root) bool { return strings.TrimPrefix(r.At, "/") == m.Key })
		}
	}
	return false
}
