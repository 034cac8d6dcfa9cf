package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/flow/find"
	"github.com/mcpassay/mcpassay/internal/flow/fleet"
	"github.com/mcpassay/mcpassay/internal/flow/install"
	"github.com/mcpassay/mcpassay/internal/flow/locking"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// dated is one server of outdated --json. Members may be added.
type dated struct {
	Name string `json:"name"`
	// Current is what is locked, "" for nothing; Wanted the newest that mcpassay.yaml asks for; Latest the newest there is.
	Current string `json:"current"`
	Wanted  string `json:"wanted"`
	Latest  string `json:"latest"`
	// Outdated says that Wanted is another than Current.
	Outdated bool   `json:"outdated"`
	Error    string `json:"error"`
}

func (a *app) outdated() *cobra.Command {
	var m *shop
	cmd := &cobra.Command{
		Use: "outdated [NAME...]", Short: "Show which locked servers have newer versions", GroupID: "packages",
		Long:        "Ask the registries which of the servers of mcpassay.yaml have a newer version than\nthe lock holds: the newest that its range allows, and the newest of all. Changes nothing.",
		Example:     "  mcpassay outdated\n  mcpassay outdated --json",
		Annotations: map[string]string{touches: "mcpassay.yaml, mcpassay.lock, registries", exits: "0 all could be asked, 1 one could not, 2 usage"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := m.check(); err != nil {
				return err
			}
			v, end, err := a.versions("outdated", m, args)
			if err != nil {
				return err
			}
			defer end()
			rows := v.outdated(cmd.Context())
			for _, r := range rows {
				if r.Error != "" {
					a.code = exitFindings
				}
			}
			if m.format == "json" {
				return a.printJSON(struct {
					SchemaVersion int     `json:"schemaVersion"`
					Servers       []dated `json:"servers"`
				}{1, rows})
			}
			a.printOutdated(rows)
			return nil
		},
	}
	m = a.shop(cmd)
	return cmd
}

// versions is a project, its lock, and who is asked for newer ones.
type versions struct {
	*projectFile
	file    *lockFile
	was     *lock.Lock
	finder  *find.Finder
	locker  *locking.Locker
	servers []project.Server
}

func (a *app) versions(verb string, m *shop, names []string) (v *versions, end func(), err error) {
	v = &versions{}
	if v.projectFile, err = a.project(verb, m.file); err != nil {
		return nil, nil, err
	}
	if err := v.needed(); err != nil {
		return nil, nil, err
	}
	v.file = v.lock()
	now, err := openLock(v.file)
	if err != nil {
		return nil, nil, err
	}
	if now == nil {
		return nil, nil, &problem{what: "there is no lock", at: v.file.shown(), hint: "mcpassay lock writes one", code: exitFindings}
	}
	v.was = now.Lock
	for _, s := range v.read.Servers {
		if s.Kind != project.Named && (len(names) == 0 || slices.Contains(names, s.Name)) {
			v.servers = append(v.servers, s)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(v.servers, func(s project.Server) bool { return s.Name == name }) {
			return nil, nil, &problem{what: "there is no server " + name + " in " + v.shownPath(), hint: "mcpassay add " + name + " adds one", code: exitFindings}
		}
	}
	if v.finder, v.locker, end, err = m.open(v.projectFile, v.file.places()); err != nil {
		return nil, nil, err
	}
	return v, end, nil
}

// outdated asks for every server. One that could not be asked says so, and is neither new nor old.
func (v *versions) outdated(ctx context.Context) []dated {
	rows := []dated{}
	for _, s := range v.servers {
		if s.Kind != project.Registry && s.Kind != project.Package {
			continue
		}
		row := dated{Name: safe(s.Name), Current: safe(versionOf(v.was.Get(s.Name)))}
		of := func(s project.Server) string {
			all, err := v.locker.Resolve(ctx, v.was, []project.Server{s}, true)
			if err != nil {
				if row.Error == "" {
					row.Error = safe(refusedProblem(err).Error())
				}
				return ""
			}
			return safe(versionOf(all[0].Server))
		}
		row.Wanted = of(s)
		any := s
		if any.Version = ""; row.Error == "" && s.Version != "" {
			row.Latest = of(any)
		} else {
			row.Latest = row.Wanted
		}
		row.Outdated = row.Error == "" && row.Wanted != row.Current
		rows = append(rows, row)
	}
	return rows
}

// versionOf is the version that people know a server by: that of its record, else that of its package.
func versionOf(e *lock.Server) string {
	switch {
	case e == nil:
		return ""
	case e.Record != nil:
		return e.Record.Version
	case e.Package != nil:
		return e.Package.Version
	}
	return ""
}

func (a *app) printOutdated(rows []dated) {
	n, within := 0, false
	for _, r := range rows {
		within = within || r.Outdated
		switch {
		case r.Error != "":
			fmt.Fprintf(a.io.Out, "%s %s  not asked: %s\n", r.Name, r.Current, r.Error)
		case r.Outdated || r.Latest != r.Current:
			n++
			fmt.Fprintf(a.io.Out, "%s %s  wanted %s, latest %s\n", r.Name, cmp.Or(r.Current, "(not locked)"), r.Wanted, r.Latest)
		}
	}
	switch {
	case n == 0 && a.code == exitClean:
		fmt.Fprintf(a.io.Out, "%s, none outdated\n", text.Count(len(rows), "server"))
	case within:
		fmt.Fprintln(a.io.Out, "next: mcpassay update --dry-run, which shows what would change")
	case n > 0:
		fmt.Fprintln(a.io.Out, "next: mcpassay update --latest --dry-run, which goes beyond the ranges of mcpassay.yaml")
	}
}

// updating is what the update verb was asked for.
type updating struct {
	giving
	market *shop
	latest bool
	out    *updateOutcome
}

// updateOutcome is what update --json prints. Members may be added.
type updateOutcome struct {
	SchemaVersion int             `json:"schemaVersion"`
	Updated       []updated       `json:"updated"`
	Unchanged     []string        `json:"unchanged"`
	Blocked       []install.Block `json:"blocked"`
	Written       []upPlace       `json:"written"`
	Failed        []upPlace       `json:"failed"`
	DryRun        bool            `json:"dryRun"`
}

// updated is one server with another version. Diff is what changes in its entry of the lock, a line an element.
type updated struct {
	Name string   `json:"name"`
	From string   `json:"from"`
	To   string   `json:"to"`
	Diff []string `json:"diff"`
}

func (a *app) update() *cobra.Command {
	u := &updating{giving: giving{app: a}}
	cmd := &cobra.Command{
		Use: "update [NAME...]", Short: "Lock newer versions, and show what changes", GroupID: "packages",
		Long: "Lock the newest versions that mcpassay.yaml asks for, with --latest the newest of all, and\n" +
			"put them into the clients that have the servers. What changes in the lock is shown\n" +
			"first. The gates of install hold, and so does who signed the package before. What was\n" +
			"approved is to be pinned and approved anew.",
		Example: "  mcpassay update --dry-run\n  mcpassay update io.github.example/files --yes",
		Annotations: map[string]string{touches: "mcpassay.yaml with --latest, mcpassay.lock, registries, the config files of clients",
			exits: "0 up to date, 1 blocked, not asked, or something could not be written; 2 usage"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(u.check(), u.market.check()); err != nil {
				return err
			}
			return u.run(cmd.Context(), args)
		},
	}
	u.market = a.shop(cmd)
	u.flags(cmd, "put them into these `CLIENTS` only")
	f := cmd.Flags()
	f.BoolVarP(&u.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&u.latest, "latest", false, "beyond the range of mcpassay.yaml, which is written anew")
	a.audited(cmd)
	return cmd
}

func (u *updating) run(ctx context.Context, names []string) error {
	u.out = &updateOutcome{SchemaVersion: 1, Updated: []updated{}, Unchanged: []string{}, Blocked: []install.Block{}, Written: []upPlace{}, Failed: []upPlace{}, DryRun: u.dry}
	v, end, err := u.app.versions("update", u.market, names)
	if err != nil {
		return err
	}
	defer end()
	if !u.yes && !u.dry && !(u.app.io.InTerminal && u.app.io.ErrTerminal) {
		return usage("add --yes once you have looked at it: --dry-run shows it", "there is no terminal to ask at")
	}
	if err := u.steps(ctx, v); err != nil {
		return err
	}
	if u.market.format == "json" {
		return u.app.printJSON(u.out)
	}
	if len(u.out.Updated) > 0 && u.app.code == exitClean {
		fmt.Fprintf(u.app.io.Out, "update: %s %s, %d as before\n", text.Count(len(u.out.Updated), "server"), map[bool]string{false: "locked anew", true: "would be locked anew"}[u.dry], len(u.out.Unchanged))
	}
	return nil
}

func (u *updating) steps(ctx context.Context, v *versions) error {
	w := u.app.io.Err
	asked := slices.Clone(v.servers)
	if u.latest {
		for i := range asked {
			asked[i].Version = ""
		}
	}
	entries, err := v.locker.Resolve(ctx, v.was, asked, true)
	if err != nil {
		return refusedProblem(err)
	}
	entries = slices.DeleteFunc(entries, func(e *locking.Entry) bool {
		old := v.was.Get(e.Want.Name)
		if old != nil && versionOf(old) == versionOf(e.Server) && old.Launch.Equal(e.Server.Launch) {
			u.out.Unchanged = append(u.out.Unchanged, safe(e.Want.Name))
			return true
		}
		return false
	})
	for _, e := range entries {
		if u.latest {
			e.Want.Version = rangeOf(e)
		}
		one := updated{Name: safe(e.Want.Name), From: safe(versionOf(v.was.Get(e.Want.Name))), To: safe(versionOf(e.Server)), Diff: entryDiff(v.was.Get(e.Want.Name), e.Server)}
		u.out.Updated = append(u.out.Updated, one)
		fmt.Fprintf(w, "%s %s → %s\n", one.Name, cmp.Or(one.From, "(not locked)"), one.To)
		for _, line := range one.Diff {
			fmt.Fprintf(w, "  %s\n", text.Leading(line, 0))
		}
		for _, n := range e.Notices {
			fmt.Fprintf(w, "  note: %s\n", safe(n))
		}
		subject := subjectOf(e)
		if e.Record != nil {
			subject.Score, subject.Reach = v.finder.Trust(e.Record)
		}
		for _, b := range install.Gates(v.read.Install, subject, u.app.io.Now()) {
			b.Server, b.Detail = safe(b.Server), safe(b.Detail)
			u.out.Blocked = append(u.out.Blocked, b)
		}
	}
	if len(u.out.Blocked) > 0 {
		for _, b := range u.out.Blocked {
			fmt.Fprintf(w, "blocked: %s: %s: %s\n  hint: %s\n", b.Server, b.Gate, b.Detail, b.Hint)
		}
		fmt.Fprintln(w, "nothing was written")
		u.app.code = exitFindings
		return nil
	}
	if len(entries) == 0 {
		fmt.Fprintf(w, "%s, all up to date\n", text.Count(len(v.servers), "server"))
		return nil
	}
	if err := wouldLock(v.was, entries, true); err != nil {
		return refusedProblem(err)
	}
	if !u.dry {
		if !u.yes && !u.app.consents("Update?") {
			fmt.Fprintln(w, "nothing was written")
			u.app.code = exitFindings
			return nil
		}
		if err := u.apply(ctx, v, entries); err != nil {
			return err
		}
	}
	var wants []fleet.Want
	for _, e := range entries {
		wants = append(wants, fleet.Want{Specs: install.Specs(&e.Want, e.Server, v.file.places()), Held: true, Bare: e.Server.Package != nil})
	}
	out := newOutcome()
	err = u.give(ctx, wants, out)
	u.out.Written, u.out.Failed = out.Written, out.Failed
	if len(out.Failed) > 0 {
		u.app.code = exitFindings
	}
	var none *problem
	if errors.As(err, &none) && none.code == exitFindings && len(u.clients) == 0 {
		err = nil // nobody has a client here: the lock is what was updated
	}
	return err
}

// apply writes what was shown: the project's file where ranges change, then the lock. That a server was approved does not hold
// back who asked for another version of it, whereas bytes that changed and a signer who is another do.
func (u *updating) apply(ctx context.Context, v *versions, entries []*locking.Entry) error {
	if u.latest {
		_, err := v.change(ctx, func(raw []byte) ([]byte, error) {
			now, same := raw, true
			for _, e := range entries {
				next, err := project.Put(v.shownPath(), now, e.Want, u.app.limits)
				switch {
				case errors.Is(err, project.ErrSame):
					continue
				case err != nil:
					return nil, err
				}
				now, same = next, false
			}
			if same {
				return nil, project.ErrSame
			}
			return now, nil
		})
		if err != nil {
			return err
		}
	}
	_, err := v.file.update(ctx, func(l *lock.Lock) error {
		_, err := locking.Apply(l, entries, false, false)
		var refused *locking.RefusedError
		if errors.As(err, &refused) && !slices.ContainsFunc(refused.All, func(r locking.Refusal) bool { return r.Reason != locking.Approved }) {
			_, err = locking.Apply(l, entries, true, false)
		}
		return err
	})
	if err != nil {
		return refusedProblem(err)
	}
	fmt.Fprintf(u.app.io.Err, "changed: %s\n", safe(v.file.shown()))
	return nil
}

// entryDiff is what changes in an entry of a lock, without its surface: that of another version is not known.
func entryDiff(was, now *lock.Server) (lines []string) {
	plain := func(s *lock.Server) []byte {
		if s == nil {
			return nil
		}
		return (&lock.Server{Name: s.Name, Launch: s.Launch, Package: s.Package, Record: s.Record, Unpinned: true}).Alone()
	}
	out := string(diff.Diff("was", plain(was), "now", plain(now)))
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if line != "" && (line[0] == '+' || line[0] == '-') && !strings.HasPrefix(line, "+++") && !strings.HasPrefix(line, "---") {
			lines = append(lines, text.Safe(secret.Mask(line), 0))
		}
	}
	return lines
}
