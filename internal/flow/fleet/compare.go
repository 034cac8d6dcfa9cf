package fleet

import (
	"cmp"
	"slices"

	"github.com/mcpassay/mcpassay/internal/flow/edit"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

// Model is what sync --json prints: schema version 1, additive (mcpm-contracts, sync --json).
type Model struct {
	SchemaVersion int `json:"schemaVersion"`
	// Clients are those whose files were read, sorted. UnreadableClients are those of which a file could not be.
	Clients           []string `json:"clients"`
	UnreadableClients []string `json:"unreadableClients"`
	Servers           []Drift  `json:"servers"`
	InSync            int      `json:"inSync"`
	Drifted           int      `json:"drifted"`
	// Unread says which files, and why.
	Unread []Unread `json:"unread"`
	// Mode is what would be done: "", union, or from:CLIENT.
	Mode string `json:"mode,omitempty"`
}

// Drift is one server of one scope.
type Drift struct {
	Name  string `json:"name"`
	Scope string `json:"scope"`
	// Present have it and Absent lack it; Malformed have an entry that no client can start. Ids, sorted.
	Present   []string `json:"present"`
	Absent    []string `json:"absent"`
	Malformed []string `json:"malformed"`
	// Conflict says that those that have it do not mean the same, in ConflictFields.
	Conflict       bool     `json:"conflict"`
	ConflictFields []string `json:"conflictFields,omitempty"`
	// Locked says that the lock holds it; LockDiffers are the clients that start or reach something else, in LockFields.
	Locked      bool     `json:"locked"`
	LockDiffers []string `json:"lockDiffers,omitempty"`
	LockFields  []string `json:"lockFields,omitempty"`
	// Unsupported lack it and can not be told of it, which is no drift.
	Unsupported []Unsupported `json:"unsupported,omitempty"`
	// Drifted is false where all that could have it mean the same, and with a mode where that is so for what the mode asks.
	Drifted bool `json:"drifted"`

	entries map[*client.Client][]*client.Server
	absent  []*client.Client
	by      *client.Client // of the mode
}

// Unsupported is a client that can not be told of a server.
type Unsupported struct {
	Client string `json:"client"`
	Why    string `json:"why"`
}

// Unread is a file that could not be compared.
type Unread struct {
	Path   string `json:"path"`
	Cause  string `json:"cause"`
	Detail string `json:"detail"`
}

// OK says that everything was read and nothing differs.
func (m *Model) OK() bool {
	return m.Drifted == 0 && len(m.Unread) == 0 && len(m.UnreadableClients) == 0
}

// Mode is how differences are to go away.
type Mode struct {
	// Union puts what one client has into all. From makes all others have what that client has, in its words.
	Union bool
	From  *client.Client
}

func (m Mode) String() string {
	switch {
	case m.Union:
		return "union"
	case m.From != nil:
		return "from:" + m.From.ID
	}
	return ""
}

// Compare holds the clients of each scope against each other.
func (f *Fleet) Compare(mode Mode) *Model {
	m := &Model{SchemaVersion: 1, Clients: []string{}, UnreadableClients: []string{}, Servers: []Drift{}, Unread: []Unread{}, Mode: mode.String()}
	for _, s := range f.Scopes {
		m.Servers = append(m.Servers, f.compare(s, mode)...)
		m.Clients = append(m.Clients, ids(s.Clients)...)
		m.UnreadableClients = append(m.UnreadableClients, ids(s.Unreadable)...)
	}
	m.Clients, m.UnreadableClients = unique(m.Clients), unique(m.UnreadableClients)
	slices.SortStableFunc(m.Servers, func(a, b Drift) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(b.Scope, a.Scope)) })
	for i := range m.Servers {
		if m.Servers[i].Drifted {
			m.Drifted++
		} else {
			m.InSync++
		}
	}
	for _, s := range f.Skipped {
		m.Unread = append(m.Unread, Unread{s.Path, s.Reason, s.Detail})
	}
	for _, s := range f.Incomplete {
		m.Unread = append(m.Unread, Unread{s.Path, s.Cause, s.Detail})
	}
	return m
}

func ids(clients []*client.Client) []string {
	out := []string{}
	for _, c := range clients {
		out = append(out, c.ID)
	}
	return unique(out)
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

func (f *Fleet) compare(s *Scope, mode Mode) (all []Drift) {
	entries, malformed := s.Entries()
	at := map[string]int{}
	row := func(name string) *Drift {
		i, ok := at[name]
		if !ok {
			i = len(all)
			at[name] = i
			all = append(all, Drift{Name: name, Scope: s.Name, entries: map[*client.Client][]*client.Server{}})
		}
		return &all[i]
	}
	for _, e := range entries {
		d := row(e.Server.Name)
		d.entries[e.Client] = append(d.entries[e.Client], e.Server)
	}
	for _, b := range malformed {
		d := row(b.Name)
		d.Malformed = unique(append(d.Malformed, b.Client.ID))
	}
	for i := range all {
		f.settle(&all[i], s, mode)
		all[i].against(f.locked[all[i].Name], f.o.Lock, s)
	}
	return all
}

// settle says who has a server and who lacks it, and where those that have it differ.
func (f *Fleet) settle(d *Drift, s *Scope, mode Mode) {
	d.Malformed = append([]string{}, d.Malformed...)
	d.Present, d.Absent = []string{}, []string{}
	var first *client.Server
	if mode.From != nil {
		if own := d.entries[mode.From]; len(own) > 0 {
			first, d.by = own[0], mode.From
		}
	}
	for _, c := range s.Clients {
		for _, v := range d.entries[c] {
			if first == nil {
				first, d.by = v, c
			}
			d.ConflictFields = append(d.ConflictFields, first.Differences(v)...)
		}
	}
	d.ConflictFields = unique(d.ConflictFields)
	d.Conflict = len(d.ConflictFields) > 0
	for _, c := range s.Clients {
		switch {
		case len(d.entries[c]) > 0:
			d.Present = append(d.Present, c.ID)
		case slices.Contains(d.Malformed, c.ID):
		default:
			if why := f.cannot(s, c, first); why != "" {
				d.Unsupported = append(d.Unsupported, Unsupported{c.ID, why})
				continue
			}
			d.Absent, d.absent = append(d.Absent, c.ID), append(d.absent, c)
		}
	}
	d.Present, d.Absent = unique(d.Present), unique(d.Absent)
	d.Drifted = d.Conflict || len(d.Absent)+len(d.Malformed) > 0
	if mode.From != nil && d.by != mode.From { // it is none of those that are to be had everywhere
		d.Drifted = len(d.Malformed) > 0
	}
}

// cannot says why a client can not be told of a server in this scope, "" where it can.
func (f *Fleet) cannot(s *Scope, c *client.Client, v *client.Server) string {
	t := f.file(s, c)
	if v == nil || t == nil {
		return ""
	}
	if _, _, err := t.Dialect(f.o.Env.OS).Entry(v.Spec()); err != nil {
		return err.Error()
	}
	return ""
}

// file is the client's own file of the scope that a new server goes to.
func (f *Fleet) file(s *Scope, c *client.Client) *client.File {
	for _, reads := range []client.Reads{client.ReadsYes, client.ReadsLegacy} {
		for _, t := range s.Files {
			if t.Client == c && t.Loc != nil && t.Loc.Reads == reads {
				return t
			}
		}
	}
	return nil
}

// Plan is what is to be done to one file.
type Plan struct {
	File  *client.File
	Steps []edit.Step
}

// Plan makes the differences go away that the mode is about. Left names servers whose clients mean different things where
// nobody said who is right. Nothing is ever taken out: a server that one client has alone is someone's.
func (f *Fleet) Plan(m *Model, mode Mode) (plans []*Plan, left []string) {
	of := map[*client.File]*Plan{}
	add := func(t *client.File, spec client.Spec) {
		p := of[t]
		if p == nil {
			p = &Plan{File: t}
			of[t] = p
			plans = append(plans, p)
		}
		p.Steps = append(p.Steps, edit.Step{Spec: spec})
	}
	for i := range m.Servers {
		d := &m.Servers[i]
		s := f.scope(d.Scope)
		if s == nil || d.by == nil || mode.From != nil && d.by != mode.From {
			continue
		}
		if d.Conflict && mode.From == nil {
			left = append(left, d.Name)
			continue
		}
		first := d.entries[d.by][0]
		spec := first.Spec()
		var given []*client.File
		for _, c := range d.absent {
			t := f.file(s, c)
			if t == nil || slices.ContainsFunc(given, func(g *client.File) bool { return readsAny(c, g) }) {
				continue // it reads the server from another client's file
			}
			given = append(given, t)
			add(t, spec)
		}
		if !d.Conflict {
			continue
		}
		changed := map[*client.Server]bool{first: true}
		for _, c := range s.Clients {
			for _, v := range d.entries[c] {
				if changed[v] || len(first.Differences(v)) == 0 {
					continue
				}
				changed[v] = true
				add(v.File, kept(spec, v.Spec()))
			}
		}
	}
	return plans, left
}

// readsAny says whether a client reads the servers of a file that another one owns.
func readsAny(c *client.Client, f *client.File) bool {
	return slices.ContainsFunc(f.Maps, func(m client.Map) bool { return m.Wanted && m.Project == "" && reads(c, f, m) })
}

// kept is a spec with the values that an entry has for the same variables and headers, and with its switch: these are the
// client's own.
func kept(spec, own client.Spec) client.Spec {
	keep := func(all, own []client.Setting) []client.Setting {
		all = slices.Clone(all)
		for i := range all {
			for _, o := range own {
				if o.Name == all[i].Name {
					all[i].Value = o.Value
				}
			}
		}
		return all
	}
	spec.Env, spec.Headers = keep(spec.Env, own.Env), keep(spec.Headers, own.Headers)
	spec.Disabled, spec.Cwd, spec.Timeout = own.Disabled, own.Cwd, own.Timeout
	if spec.Transport != own.Transport {
		spec.Cwd = nil
	}
	return spec
}

func (f *Fleet) scope(name string) *Scope {
	for _, s := range f.Scopes {
		if s.Name == name {
			return s
		}
	}
	return nil
}
