package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/flow/edit"
	"github.com/mcpassay/mcpassay/internal/flow/fleet"
	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// syncing is what the sync verb was asked for.
type syncing struct {
	app        *app
	clients    []string
	check, all bool
	from       string
	dry, json  bool
	empty      bool
}

func (a *app) sync() *cobra.Command {
	s := &syncing{app: a}
	cmd := &cobra.Command{
		Use:     "sync",
		Short:   "Keep the servers of all your clients in step",
		GroupID: "packages",
		Long: "Compare the servers of your clients with each other: those of your own files, and\n" +
			"those of this project; and with mcpassay.lock where it holds a server. What counts is\n" +
			"what an entry means, not how a client spells it; values of variables and headers are\n" +
			"your own and are not compared. --from and --union write what is missing into the other\n" +
			"clients' files, in their own dialect, and touch no other byte. Nothing is ever taken out.",
		Example: "  mcpassay sync\n  mcpassay sync --check\n  mcpassay sync --from claude-code --dry-run\n  mcpassay sync --union",
		Annotations: map[string]string{touches: "the config files of clients, mcpassay.lock; with --from and --union it changes them",
			exits: "0 in step or done, 1 an error or something left undone, 2 with --check drift or anything that\n      could not be read; usage"},
		Args: noArgs("mcpassay sync --check, or mcpassay sync --from CLIENT"),
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&s.check, "check", false, "exit 2 where clients differ or could not be compared; write nothing")
	f.StringVar(&s.from, "from", "", "give the others what `CLIENT` has, in its words")
	f.BoolVar(&s.all, "union", false, "give every client what any of them has")
	f.StringSliceVar(&s.clients, "client", nil, "look at these `CLIENTS` only")
	f.BoolVar(&s.dry, "dry-run", false, "show what --from or --union would change")
	f.BoolVar(&s.json, "json", false, "print the comparison as JSON")
	f.BoolVar(&s.empty, "allow-empty", false, "with --check exit 0 where there is nothing to compare")
	a.audited(cmd)
	return cmd
}

func (s *syncing) run(ctx context.Context) error {
	mode, look, err := s.options()
	if err != nil {
		return err
	}
	d := s.app.configDisk(look.Env)
	broken := s.held(&look)
	f := fleet.Look(d, look)
	compare := func() *fleet.Model {
		m := f.Compare(mode)
		m.Unread = append(m.Unread, broken...)
		return m
	}
	m := compare()
	nothing := len(m.Clients)+len(m.UnreadableClients)+len(m.Unread) == 0
	if nothing && s.check && !s.empty {
		return &problem{what: "no client has a config file: nothing was compared", hint: "mcpassay clients --paths says where they would be; --allow-empty lets this pass", code: exitIncomplete}
	}
	if mode.From != nil && !slices.Contains(m.Clients, mode.From.ID) {
		return &problem{what: mode.From.Name + " has no config file that could be read", hint: s.app.command("mcpassay", "clients", mode.From.ID) + " says where it would be", code: exitFindings}
	}
	undone := 0
	if (mode.Union || mode.From != nil) && !s.check {
		undone = s.write(ctx, d, f, m, mode)
		if !s.dry {
			f = fleet.Look(d, look)
			m = compare()
		}
	}
	if s.json {
		tame(m)
		if err := s.app.printJSON(m); err != nil {
			return err
		}
	} else {
		s.print(f, m)
		s.next(m, mode)
	}
	s.app.code = s.exit(m, mode, undone)
	return nil
}

// held finds the lock of the project. One that can not be relied on is a file that could not be compared.
func (s *syncing) held(look *fleet.Options) []fleet.Unread {
	j := &judging{app: s.app, verb: "sync"}
	file := j.lockFile("")
	f, err := file.open()
	switch {
	case err != nil:
		return []fleet.Unread{{Path: file.shown(), Cause: "lock", Detail: err.Error()}}
	case f == nil:
		return nil
	case f.Err != nil:
		return []fleet.Unread{{Path: file.shown(), Cause: "lock", Detail: "the lock can not be relied on: " + f.Err.Msg}}
	}
	look.Lock = &fleet.Locked{Lock: f.Lock, Places: file.places()}
	return nil
}

// tame makes what strangers wrote safe to print.
func tame(m *fleet.Model) {
	for i := range m.Servers {
		d := &m.Servers[i]
		d.Name = safe(d.Name)
		for k := range d.Unsupported {
			d.Unsupported[k].Why = safe(d.Unsupported[k].Why)
		}
	}
	for i, u := range m.Unread {
		m.Unread[i] = fleet.Unread{Path: safe(u.Path), Cause: safe(u.Cause), Detail: safe(u.Detail)}
	}
}

// exit is the code: that of --check is a contract (mcpm-contracts, sync --check).
func (s *syncing) exit(m *fleet.Model, mode fleet.Mode, undone int) int {
	unread := len(m.Unread)+len(m.UnreadableClients) > 0
	switch {
	case s.check && !m.OK():
		return exitIncomplete
	case s.check:
		return exitClean
	case mode.Union || mode.From != nil:
		if undone > 0 || unread || !s.dry && m.Drifted > 0 {
			return exitFindings
		}
	case unread:
		return exitIncomplete
	}
	return exitClean
}

func (s *syncing) options() (mode fleet.Mode, look fleet.Options, err error) {
	mode.Union = s.all
	switch {
	case s.all && s.from != "":
		return mode, look, usage("drop one of them", "--from says who is right, and --union that everyone is")
	case s.dry && !s.all && s.from == "":
		return mode, look, usage("mcpassay sync shows the differences", "--dry-run shows what --from or --union would change")
	}
	if s.from != "" {
		if mode.From, err = clientNamed(s.from); err != nil {
			return mode, look, err
		}
	}
	look, err = s.app.fleetOptions(s.clients)
	return mode, look, err
}

// fleetOptions is where list and sync look.
func (a *app) fleetOptions(clients []string) (fleet.Options, error) {
	env := client.Env{OS: a.io.Platform, Home: a.io.Home, Getenv: a.io.Getenv}.Remembering()
	look := fleet.Options{Env: env, Cwd: a.io.Cwd, Limits: a.limits, Shown: func(abs string) string { return lint.Shown(abs, a.io.Cwd, a.io.Home) }}
	for _, name := range clients {
		c, err := clientNamed(name)
		if err != nil {
			return look, err
		}
		look.Clients = append(look.Clients, c)
	}
	return look, nil
}

// write makes the plan, file by file, and answers how much of it is undone.
func (s *syncing) write(ctx context.Context, d *configDisk, f *fleet.Fleet, m *fleet.Model, mode fleet.Mode) (undone int) {
	out := s.app.io.Err
	plans, left := f.Plan(m, mode)
	for _, name := range left {
		fmt.Fprintf(out, "left: %s: the clients mean different servers; mcpassay sync --from CLIENT says who is right\n", safe(name))
	}
	undone = len(left)
	for _, p := range plans {
		t, err := d.target(p.File)
		var res *edit.Outcome
		if err == nil {
			res, err = edit.Apply(ctx, configs{d}, t, p.Steps, s.dry)
		}
		if res != nil {
			undone += s.app.tellEdit(p.File, t, res, s.dry)
		}
		if err != nil {
			undone++
			fmt.Fprintf(out, "not written: %s: %s\n", safe(p.File.Path), safe(err.Error()))
		}
	}
	return undone
}

// tellEdit says what became of a file, and how many servers are left out.
func (a *app) tellEdit(f *client.File, t edit.Target, res *edit.Outcome, dry bool) (undone int) {
	out := a.io.Err
	changed := 0
	for _, d := range res.Done {
		switch {
		case d.Err != nil:
			undone++
			fmt.Fprintf(out, "not written: %s: %s: %s\n", safe(f.Path), safe(d.Spec.Name), safe(d.Err.Error()))
		case d.Changed:
			changed++
		}
	}
	switch {
	case changed == 0:
	case dry:
		before, after := edit.Open(f, res.Before, t.OS, t.Limits), edit.Open(f, res.After, t.OS, t.Limits)
		fmt.Fprint(out, configDiff(before.File, after.File))
	default:
		fmt.Fprintf(out, "changed: %s (%s)\n", safe(f.Path), text.Count(changed, "server"))
		if res.Kept != "" {
			fmt.Fprintf(out, "  kept: %s\n", safe(lint.Shown(res.Kept, "", a.io.Home)))
		}
	}
	return undone
}

// configDiff is a change of a config as a unified diff in which no secret can be read.
func configDiff(before, after *client.File) string {
	name := safe(before.Path)
	out := string(diff.Diff(name, hide(before.Doc.Raw, before.SecretSpans()), name+" (changed)", hide(after.Doc.Raw, after.SecretSpans())))
	_, out, _ = strings.Cut(out, "\n")
	var b strings.Builder
	for line := range strings.Lines(out) {
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ") // a tab is a control character
		b.WriteString(text.Leading(secret.Mask(line), 0))
		b.WriteByte('\n')
	}
	return b.String()
}

func (s *syncing) print(f *fleet.Fleet, m *fleet.Model) {
	out := s.app.io.Out
	for _, sc := range f.Scopes {
		var names []string
		for _, c := range sc.Clients {
			names = append(names, c.ID)
		}
		if len(names) == 0 {
			continue
		}
		what := "your own files"
		if sc.Name == client.ScopeProject {
			what = "this project"
			if len(sc.Files) > 0 {
				what += ", " + safe(filepath.ToSlash(lint.Shown(filepath.FromSlash(sc.Files[0].Project), "", s.app.io.Home)))
			}
		}
		fmt.Fprintf(out, "%s: %s\n", what, strings.Join(names, ", "))
		for _, d := range m.Servers {
			if d.Scope == sc.Name {
				s.printServer(d)
			}
		}
	}
	for _, u := range m.Unread {
		fmt.Fprintf(out, "not read: %s: %s: %s\n", safe(u.Path), safe(u.Cause), safe(u.Detail))
	}
	total := m.InSync + m.Drifted
	switch {
	case total == 0:
		fmt.Fprintln(out, "no servers: nothing to compare")
	case m.Drifted == 0:
		fmt.Fprintf(out, "%s, all in step\n", text.Count(total, "server"))
	default:
		fmt.Fprintf(out, "%s, %d in step, %d not\n", text.Count(total, "server"), m.InSync, m.Drifted)
	}
}

// next says what brings clients in step that are not.
func (s *syncing) next(m *fleet.Model, mode fleet.Mode) {
	if m.Drifted == 0 || mode.Union || mode.From != nil {
		return
	}
	hint := "mcpassay sync --from CLIENT --dry-run shows what would bring the others in step with it"
	if slices.ContainsFunc(m.Servers, func(d fleet.Drift) bool { return len(d.LockDiffers) > 0 }) {
		hint += "; mcpassay up puts back what is locked"
	}
	fmt.Fprintf(s.app.io.Err, "hint: %s\n", hint)
}

func (s *syncing) printServer(d fleet.Drift) {
	var what []string
	if d.Conflict {
		what = append(what, "differs in "+strings.Join(d.ConflictFields, ", ")+" ("+strings.Join(d.Present, ", ")+")")
	}
	if len(d.Absent) > 0 {
		what = append(what, "absent from "+strings.Join(d.Absent, ", "))
	}
	if len(d.LockDiffers) > 0 {
		what = append(what, "is another than in the lock, in "+strings.Join(d.LockFields, ", ")+" ("+strings.Join(d.LockDiffers, ", ")+")")
	}
	if len(d.Malformed) > 0 {
		what = append(what, "can not be started by "+strings.Join(d.Malformed, ", ")+": no command and no address")
	}
	if !d.Drifted {
		what = []string{"in step"}
	}
	for _, u := range d.Unsupported {
		what = append(what, u.Why)
	}
	fmt.Fprintf(s.app.io.Out, "  %s: %s\n", safe(d.Name), safe(strings.Join(what, "; ")))
}
