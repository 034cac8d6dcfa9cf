package doctor

import (
	"cmp"
	"maps"
	"slices"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Health is what was seen, in the words of mcpm-contracts: see engine.Health.
func (v *Visit) Health(res *engine.Result, facts rule.Facts) *engine.Health {
	h := &engine.Health{Clients: []engine.ClientHealth{}, Runtimes: []engine.Runtime{}, Secrets: []engine.HeldSecret{}, Issues: []engine.Issue{}}
	own := map[*client.Client][]*client.Server{} // those that the client reads
	for _, f := range v.Files {
		for _, s := range f.Servers {
			if c := cmp.Or(f.Client, client.Generic); s.Twin == nil && !s.Hidden && !f.Dead() {
				own[c] = append(own[c], s)
			}
		}
	}
	places := map[string]bool{}
	var read []*client.Client
	for _, c := range append(client.Table(), client.Generic) {
		one := engine.ClientHealth{ID: c.ID, Label: c.Name, ServerCount: len(own[c])}
		if c == client.Generic {
			one.Label = "unknown client"
		}
		for _, p := range v.places[c] {
			places[p.Path] = true
			one.Exists = true
			one.Malformed = one.Malformed || p.State == string(load.Skipped) || p.State == string(load.Incomplete)
		}
		for _, s := range own[c] {
			if guarded(s) {
				one.GuardedCount++
			}
			for _, x := range s.Secrets() {
				if field := map[string]string{"env": "env", "headers": "header"}[x.Field]; field != "" {
					h.Secrets = append(h.Secrets, engine.HeldSecret{Client: c.ID, Server: s.Display(), Field: field, Key: x.Key, Label: x.Title})
				}
			}
		}
		if one.Exists && !one.Malformed {
			read = append(read, c)
		}
		if c != client.Generic || one.Exists {
			h.Clients = append(h.Clients, one)
		}
	}
	for _, name := range []string{"npx", "uvx", "docker"} {
		h.Runtimes = append(h.Runtimes, engine.Runtime{Name: name, Available: facts.OnPath(name) == rule.Yes})
	}
	h.CrossClient = across(read, own)
	issue := func(path, why, detail string) {
		one := engine.Issue{Kind: "not-checked", Message: path + ": " + cmp.Or(detail, why)}
		if places[path] {
			one.Kind = "malformed-config"
		}
		h.Issues = append(h.Issues, one)
	}
	for _, x := range res.Incomplete {
		issue(x.Path, x.Cause, x.Detail)
	}
	for _, x := range res.Skipped {
		issue(x.Path, x.Reason, x.Detail)
	}
	for i := range res.Findings {
		if f := &res.Findings[i]; f.Rule == "doctor/missing-runtime" && f.Status == finding.Active {
			h.Issues = append(h.Issues, engine.Issue{Kind: "missing-runtime", Message: f.Message})
		}
	}
	h.OK = len(h.Issues) == 0
	return h
}

// guarded says that an entry starts its server through a guard.
func guarded(s *client.Server) bool {
	if s.Rare.Guard != nil {
		return true
	}
	line, ok := s.Line()
	if !ok || len(line.Rest) < 2 || line.Rest[0] != "guard" || line.Rest[1] != "run" {
		return false
	}
	return line.Program == "mcpassay" || line.Program == "mcpm" || line.Package != nil && line.Package.Name == "@getmcpm/cli"
}

// across compares the clients that were read; nil where there are no two.
func across(read []*client.Client, own map[*client.Client][]*client.Server) *engine.CrossClient {
	if len(read) < 2 {
		return nil
	}
	named := map[string]map[*client.Client]*client.Server{}
	for _, c := range read {
		for _, s := range own[c] {
			of := named[s.Display()]
			if of == nil {
				of = map[*client.Client]*client.Server{}
				named[s.Display()] = of
			}
			if of[c] == nil || s.Shadowed == nil {
				of[c] = s
			}
		}
	}
	x := &engine.CrossClient{ClientCount: len(read), ServerCount: len(named), Drift: []engine.ServerDrift{}}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		d := engine.ServerDrift{Name: name, Present: []string{}, Absent: []string{}}
		var first *client.Server
		for _, c := range read {
			s := named[name][c]
			switch {
			case s == nil:
				d.Absent = append(d.Absent, c.ID)
				continue
			case s.Command.Value == "" && s.URL.Value == "":
				d.Malformed = append(d.Malformed, c.ID)
			case first == nil:
				first = s
			case !s.Same(first):
				d.Fields = differing(first, s, d.Fields)
			}
			d.Present = append(d.Present, c.ID)
		}
		switch {
		case len(d.Malformed) > 0:
			d.Kind = "unreadable"
		case len(d.Fields) > 0:
			d.Kind = "conflict"
		case len(d.Absent) > 0:
			d.Kind = "absent"
		default:
			continue
		}
		x.Drift = append(x.Drift, d)
	}
	x.Consistent = len(x.Drift) == 0
	return x
}

// differing adds the fields in which two entries for different servers differ.
func differing(a, b *client.Server, to []string) []string {
	args := func(s *client.Server) (words []string) {
		for _, w := range s.Args {
			words = append(words, w.Value)
		}
		return words
	}
	for _, f := range []struct {
		name  string
		other bool
	}{{"command", a.Command.Value != b.Command.Value}, {"args", !slices.Equal(args(a), args(b))}, {"url", a.URL.Value != b.URL.Value}} {
		if f.other && !slices.Contains(to, f.name) {
			to = append(to, f.name)
		}
	}
	return to
}
