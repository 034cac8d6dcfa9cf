package fleet

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/flow/edit"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
)

// Want is a server that clients are to have. Specs are ways to say it, the best first: a client is told the first one that
// it has words for. They differ in how a value that nobody set is spelt, and all have one name. With Held only who has a
// server of that name is given it.
type Want struct {
	Specs []client.Spec
	Held  bool
	// Bare says that the launch is all there is to it: neither a folder nor a file of variables belongs to it.
	Bare bool
}

// Name is the server's.
func (w Want) Name() string { return w.Specs[0].Name }

// Left is a server that a client is not given, and why.
type Left struct {
	Client *client.Client
	Name   string
	Why    string
	// Other says that the client has another server of that name, which is someone's.
	Other bool
}

// Given is what clients are to be given: Plans for files that change, Same for how many entries are right already.
type Given struct {
	Plans []*Plan
	Left  []Left
	Same  int
}

// Give plans that the clients of a scope get servers. A client that was asked for by name and has no file gets one. Where one
// has another server of a name it is left, unless replace says that it goes. What a client reads from the file of another
// one is written once. Values of variables and headers, and the switch of an entry, stay.
func (f *Fleet) Give(scope string, wants []Want, replace bool) (g Given) {
	s := f.scope(scope)
	if s == nil {
		s = &Scope{Name: scope}
	}
	plans := map[*client.File]*Plan{}
	entries, _ := s.Entries()
	for _, c := range f.parties(s) {
		t := f.file(s, c)
		if t == nil {
			if t = f.fresh(scope, c); t == nil {
				for _, w := range wants {
					g.Left = append(g.Left, Left{Client: c, Name: w.Name(), Why: c.Name + " reads no such file of servers"})
				}
				continue
			}
		}
		if t.Err != nil || t.Doc == nil && slices.Contains(s.Files, t) {
			continue // said as unread
		}
		for _, w := range wants {
			own := entry(entries, c, w.Name())
			if own == nil && w.Held {
				continue
			}
			spec, err := w.in(t.Dialect(f.o.Env.OS))
			if err != nil {
				g.Left = append(g.Left, Left{Client: c, Name: w.Name(), Why: err.Error()})
				continue
			}
			into := t
			if own != nil {
				if into = own.File; own.File != t && into.Client != c {
					if spec, err = w.in(into.Dialect(f.o.Env.OS)); err != nil {
						g.Left = append(g.Left, Left{Client: c, Name: w.Name(), Why: err.Error()})
						continue
					}
				}
				mine := own.Spec()
				if was, is := what(mine), what(spec); was != is && !replace {
					g.Left = append(g.Left, Left{Client: c, Name: w.Name(), Why: fmt.Sprintf("%s has another server of this name: %s, and not %s", c.Name, was, is), Other: true})
					continue
				}
				if away := own.Elsewhere(into.Project, "", ""); w.Bare && scope == client.ScopeProject && len(away) > 0 {
					g.Left = append(g.Left, Left{Client: c, Name: w.Name(), Why: fmt.Sprintf("%s is told %s, by which something else may run than is locked: take that out of %s", c.Name, strings.Join(away, " and "), into.Path), Other: true})
					continue
				}
				spec = kept(spec, mine)
				if spec.Equal(mine) {
					g.Same++
					continue
				}
			}
			p := plans[into]
			if p == nil {
				p = &Plan{File: into}
				plans[into] = p
				g.Plans = append(g.Plans, p)
			}
			if !slices.ContainsFunc(p.Steps, func(s edit.Step) bool { return s.Spec.Name == spec.Name }) {
				p.Steps = append(p.Steps, edit.Step{Spec: spec})
			}
		}
	}
	return g
}

// in is the first way to say it that a client has words for.
func (w Want) in(d client.Dialect) (spec client.Spec, err error) {
	for _, spec := range w.Specs {
		if _, _, bad := d.Entry(spec); bad == nil {
			return spec, nil
		} else if err == nil {
			err = bad
		}
	}
	return w.Specs[0], err
}

// parties are the clients that are written to: those that were asked for, else those that have a file.
func (f *Fleet) parties(s *Scope) []*client.Client {
	if len(f.o.Clients) == 0 {
		return s.Clients
	}
	var all []*client.Client
	for _, c := range f.o.Clients {
		if !slices.Contains(s.Unreadable, c) { // that is said already
			all = add(all, c)
		}
	}
	return all
}

// fresh is the file that a client without one would read, nil for none.
func (f *Fleet) fresh(scope string, c *client.Client) *client.File {
	candidates, shown := client.UserFiles(f.o.Env), f.o.Env.Display
	if scope == client.ScopeProject {
		dir := f.o.Cwd
		if s := f.scope(scope); s != nil && len(s.Files) > 0 {
			dir = filepath.FromSlash(s.Files[0].Project)
		}
		candidates, shown = client.ProjectCandidates(dir), f.o.Shown
	}
	for _, p := range candidates {
		if p.Client == c && p.Loc.Scope == scope && p.Loc.Reads == client.ReadsYes && p.Pattern == "" && f.disk.Absent(p.Path) {
			return client.Identify(client.Where{Path: shown(p.Path), Abs: p.Path, Root: f.o.Cwd, Env: f.o.Env, Client: c})
		}
	}
	return nil
}

// entry is the server of that name that a client reads, its own before another's.
func entry(all []Entry, c *client.Client, name string) (found *client.Server) {
	for _, e := range all {
		if e.Client == c && e.Server.Name == name && (found == nil || e.Server.File.Client == c) {
			found = e.Server
		}
	}
	return found
}

// what is what a server runs, whichever version and arguments: a package, a host, or a command.
func what(s client.Spec) string {
	if s.URL.Set() {
		if a, ok := client.RemoteURL(s.URL.String()); ok {
			return "a server at " + a.Host
		}
		return "a server at " + s.URL.String()
	}
	argv := []string{s.Command.String()}
	for _, a := range s.Args {
		argv = append(argv, a.String())
	}
	var line launch.Line
	line.Parse(argv)
	if p := line.Package; p != nil {
		return "the " + p.Ecosystem + " package " + p.Name
	}
	return "the command " + strings.Join(argv[:1], " ")
}

// Withdraw plans that the clients of a scope lose a server by its name. With a spec, an entry of that name which is another
// server is left.
func (f *Fleet) Withdraw(scope, name string, spec *client.Spec) (plans []*Plan, left []Left) {
	s := f.scope(scope)
	if s == nil {
		return nil, nil
	}
	for _, t := range s.Files {
		i := slices.IndexFunc(t.Servers, func(v *client.Server) bool {
			return v.Name == name && v.Project == "" && !v.Hidden && slices.ContainsFunc(t.Maps, func(m client.Map) bool { return m.Wanted && m.Node == v.Node.Parent() })
		})
		if i < 0 {
			continue
		}
		if spec != nil {
			if was, is := what(t.Servers[i].Spec()), what(*spec); was != is {
				left = append(left, Left{Client: t.Client, Name: name, Why: fmt.Sprintf("%s has another server of this name: %s, and not %s", t.Client.Name, was, is), Other: true})
				continue
			}
		}
		plans = append(plans, &Plan{File: t, Steps: []edit.Step{{Spec: client.Spec{Name: name}, Remove: true}}})
	}
	return plans, left
}
