package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/text"
)

// row is one line of doctor's table. A server's row has no client and stands under its file.
type row struct {
	client, file, state, servers, findings string
	hue                                    colour
	server                                 bool
}

// posture writes doctor's table (client, file, state, servers, findings), then the next commands.
func (t *textWriter) posture() {
	p := t.rep.Posture
	if t.rep.Summary.Files+len(t.rep.Skipped)+len(t.rep.Incomplete) == 0 {
		t.nothing()
		return
	}
	rows := t.rows()
	head := row{client: "CLIENT", file: "FILE", state: "STATE", servers: "SERVERS", findings: "FINDINGS"}
	var client, file, state, found int
	for _, r := range append(rows, head) {
		client, found = max(client, text.Width(r.client)), max(found, text.Width(r.findings))
		if n := text.Width(r.file); !r.server || n <= limits.Default.ShownColumns { // a longer name stands out of its column
			file = max(file, n)
		}
		state = max(state, text.Width(r.state))
	}
	t.block()
	if room := t.env.Width - (2 + 2 + state + 2 + found); t.env.Width > 0 && room < client+file+len(head.servers)+2 {
		t.stacked(rows, min(file, max(room, 8)), state)
		t.guards()
		t.next(p.Next)
		return
	}
	print := func(r row, c colour) {
		servers := strings.Repeat(" ", len(head.servers)-len(r.servers)) + r.servers
		t.line(t.paint(c, pad(r.client, client)), "  ", pad(r.file, file), "  ",
			t.paint(dim, pad(r.state, state)), "  ", servers, "  ", t.paint(r.hue, r.findings))
	}
	head.hue = dim
	print(head, dim)
	for _, r := range rows {
		print(r, bold)
	}
	t.guards()
	t.next(p.Next)
}

// guards says which servers are guarded, by what, and what was stopped.
func (t *textWriter) guards() {
	if len(t.rep.Guards) == 0 {
		return
	}
	t.block()
	t.line(t.paint(bold, "Guarded"))
	for _, g := range t.rep.Guards {
		line, _ := text.Wrap(plain(guardLine(&g), 0), 4, 2, t.env.Width)
		t.line("  ", line)
	}
}

// guardLine says in words what a guarded server is held to, and how much was stopped.
func guardLine(g *engine.Guarded) string {
	by := map[string]string{"lock": "held to the lock (" + g.Standing + ")", "first-use": "held to what it showed first", "nothing": "only watched: nothing is stopped"}[g.HeldTo]
	if g.Policy != "" {
		by += ", policy " + g.Policy
	}
	if g.Confined {
		by += ", confined"
	}
	by += ", " + strconv.Itoa(g.Blocked) + " stopped"
	if day, _, ok := strings.Cut(g.Since, "T"); ok {
		by += " since " + day
	}
	return g.Server + " (" + g.Client + "): " + by
}

// stacked is the table for a terminal that is too narrow for it: a client stands above its files, and a file that is
// longer than its column stands on a line of its own. The number of servers is left out: they are listed.
func (t *textWriter) stacked(rows []row, file, state int) {
	for _, r := range rows {
		if r.client != "" {
			t.line(t.paint(bold, r.client))
		}
		rest := "  " + t.paint(dim, pad(leading(r.state, 0), state)) + "  " + t.paint(r.hue, r.findings)
		if text.Width(r.file) > file && 2+text.Width(r.file)+2+state+2+text.Width(r.findings) > t.env.Width {
			t.line("  ", r.file)
			if r.state != "" || r.findings != "" {
				t.line("  ", pad("", file), rest)
			}
			continue
		}
		t.line("  ", pad(r.file, file), rest)
	}
}

// rows are the clients that have a file or are installed, in the order of the table of clients.
func (t *textWriter) rows() (rows []row) {
	found := t.rep.perFile()
	t.locked = t.rep.locked()
	for i := range t.rep.Posture.Clients {
		c := &t.rep.Posture.Clients[i]
		name, before := leading(c.Name, limits.Default.ShownRunes), len(rows)
		for _, f := range c.Files {
			if f.State == "missing" && !t.env.Verbose {
				continue
			}
			r := row{file: leading(f.Path, 0), state: plain(f.State, 0), servers: "-", findings: "-", hue: dim}
			if len(rows) == before {
				r.client = name
			}
			var servers []*engine.ServerPosture
			for i := range c.Servers {
				if c.Servers[i].Path == f.Path {
					servers = append(servers, &c.Servers[i])
				}
			}
			switch n := found[f.Path]; {
			case f.State == "read" || f.State == "not read":
				r.servers = strconv.Itoa(len(servers))
				r.findings, r.hue = findingsCell(n.Error, n.Warning, n.Info)
			case f.Detail != "":
				r.findings, r.hue = plain(f.Detail, limits.Default.ShownRunes), yellow
			}
			rows = append(append(rows, r), t.serverRows(servers)...)
		}
		if len(rows) == before && c.Installed {
			rows = append(rows, row{client: name, file: "no config", state: "installed", servers: "-", findings: "-", hue: dim})
		}
	}
	return rows
}

// serverRows lists the servers of one file. Of many, those with findings come first.
func (t *textWriter) serverRows(servers []*engine.ServerPosture) (rows []row) {
	most := limits.Default.ShownServers
	if len(servers) > most && !t.env.Verbose {
		servers = slices.Clone(servers)
		slices.SortStableFunc(servers, func(a, b *engine.ServerPosture) int {
			return cmp.Or(cmp.Compare(b.Error, a.Error), cmp.Compare(b.Warning, a.Warning), cmp.Compare(b.Info, a.Info))
		})
	} else {
		most = len(servers)
	}
	for _, s := range servers[:most] {
		state := plain(s.Transport, limits.Default.ShownRunes)
		if s.State != "enabled" {
			state = strings.TrimPrefix(state+", "+plain(s.State, 0), ", ")
		}
		if t.locked && s.Lock != nil {
			state = strings.TrimPrefix(state+", "+lockWord(s.Lock), ", ")
		}
		r := row{file: "  " + leading(s.Name, limits.Default.ShownRunes), state: state, server: true}
		r.findings, r.hue = findingsCell(s.Error, s.Warning, s.Info)
		rows = append(rows, r)
	}
	if more := len(servers) - most; more > 0 {
		rows = append(rows, row{file: "  and " + text.Count(more, "more server") + " (-v lists them)", server: true, hue: dim})
	}
	return rows
}

// lockWord says in a word or two what the locks say of a server.
func lockWord(l *engine.LockPosture) string {
	if l.State == "none" {
		return "in no lock"
	}
	return plain(l.State, 0)
}

// locked says whether any lock holds a server: else there is nothing to tell of each one.
func (rep *Report) locked() bool {
	return slices.ContainsFunc(rep.Posture.Clients, func(c engine.ClientPosture) bool {
		return slices.ContainsFunc(c.Servers, func(s engine.ServerPosture) bool { return s.Lock != nil && s.Lock.State != "none" })
	})
}

func findingsCell(errors, warnings, infos int) (string, colour) {
	switch s := tally(errors, warnings, infos); {
	case errors > 0:
		return s, red
	case warnings > 0:
		return s, yellow
	case infos > 0:
		return s, cyan
	}
	return "-", dim
}

// perFile counts the active findings of each path.
func (rep *Report) perFile() map[string]Summary {
	found := map[string]Summary{}
	for i := range rep.Findings {
		s := found[rep.Findings[i].Location.Path]
		s.add(&rep.Findings[i])
		found[rep.Findings[i].Location.Path] = s
	}
	return found
}

// nothing says where doctor looked, and which clients are there without a config.
func (t *textWriter) nothing() {
	t.block()
	t.line("looked in")
	for _, place := range t.rep.Posture.Looked {
		place, _ = text.Wrap(leading(place, 0), 4, 2, t.env.Width)
		t.line("  ", t.paint(dim, place))
	}
	var installed []string
	for _, c := range t.rep.Posture.Clients {
		if c.Installed {
			installed = append(installed, plain(c.Name, limits.Default.ShownRunes))
		}
	}
	if len(installed) > 0 {
		all, _ := text.Wrap("installed, without a config: "+strings.Join(installed, ", "), 2, 0, t.env.Width)
		t.line(all)
	}
	t.next(t.rep.Posture.Next)
}

// next prints commands that are made to be pasted, each on a line of its own.
func (t *textWriter) next(steps []engine.NextStep) {
	if len(steps) == 0 {
		return
	}
	t.block()
	t.line(t.paint(bold, "Next"))
	for _, s := range steps {
		t.line("  ", plain(s.Why, 0))
		t.line("    ", t.paint(cyan, text.Safe(s.Command, 0)))
	}
}
