package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/edit"
	"github.com/mcpassay/mcpassay/internal/flow/find"
	"github.com/mcpassay/mcpassay/internal/flow/fleet"
	"github.com/mcpassay/mcpassay/internal/flow/install"
	"github.com/mcpassay/mcpassay/internal/flow/locking"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/text"
)

// giving is how servers get into the files of clients, as the flags of several verbs say it.
type giving struct {
	app     *app
	clients []string
	scope   string
	yes     bool
	dry     bool
}

func (g *giving) flags(cmd *cobra.Command, what string) {
	f := cmd.Flags()
	f.StringSliceVar(&g.clients, "client", nil, what)
	f.StringVar(&g.scope, "scope", client.ScopeUser, "write your own files (user) or those of this project (project)")
	f.BoolVar(&g.dry, "dry-run", false, "show what would change, and write nothing")
}

func (g *giving) check() error {
	if g.scope != client.ScopeUser && g.scope != client.ScopeProject {
		return usage("use user or project", "unknown scope %q", g.scope)
	}
	_, err := g.app.fleetOptions(g.clients)
	return err
}

// upOutcome is what up --json prints, and what the other verbs that write clients print as a part. Members may be added.
type upOutcome struct {
	SchemaVersion int `json:"schemaVersion"`
	// OK says that all that was asked for is done, or would be.
	OK     bool `json:"ok"`
	DryRun bool `json:"dryRun"`
	// Installed are the servers that a client got or has, Blocked those that a gate stops, Failed what could not be written.
	Installed []string        `json:"installed"`
	Blocked   []install.Block `json:"blocked"`
	Failed    []upPlace       `json:"failed"`
	// Skipped are clients that can not be told of a server, with the reason.
	Skipped []upPlace `json:"skipped"`
	// Written are the files that changed, or would.
	Written []upPlace `json:"written"`
	// Same is how many entries were right already.
	Same    int      `json:"same"`
	Notices []string `json:"notices"`
	Error   *string  `json:"error"`
}

// upPlace is a server in a client's file.
type upPlace struct {
	Server string `json:"server,omitempty"`
	Client string `json:"client"`
	Path   string `json:"path,omitempty"`
	Detail string `json:"detail,omitempty"`
}

func newOutcome() *upOutcome {
	return &upOutcome{SchemaVersion: 1, Installed: []string{}, Blocked: []install.Block{}, Failed: []upPlace{}, Skipped: []upPlace{}, Written: []upPlace{}, Notices: []string{}}
}

// give writes servers into clients, file by file, and says of each as it goes what became of it: a run that is interrupted has
// said what it did, and the next one goes on from there.
func (g *giving) give(ctx context.Context, wants []fleet.Want, out *upOutcome) error {
	look, err := g.app.fleetOptions(g.clients)
	if err != nil {
		return err
	}
	w := g.app.io.Err
	d := g.app.configDisk(look.Env)
	f := fleet.Look(d, look)
	for _, u := range f.Compare(fleet.Mode{}).Unread {
		out.Failed = append(out.Failed, upPlace{Path: safe(u.Path), Detail: safe(u.Cause + ": " + u.Detail)})
		fmt.Fprintf(w, "not read: %s: %s: %s\n", safe(u.Path), safe(u.Cause), safe(u.Detail))
	}
	plan := f.Give(g.scope, wants, g.yes)
	out.Same = plan.Same
	for _, l := range plan.Left {
		at := upPlace{Server: safe(l.Name), Client: l.Client.ID, Detail: safe(l.Why)}
		if l.Other || len(g.clients) > 0 {
			if l.Other {
				at.Detail += "; --yes takes its place"
			}
			out.Failed = append(out.Failed, at)
			fmt.Fprintf(w, "refused: %s: %s\n", at.Server, at.Detail)
			continue
		}
		out.Skipped = append(out.Skipped, at)
		fmt.Fprintf(w, "left out: %s: %s\n", at.Server, at.Detail)
	}
	if len(plan.Plans) == 0 && plan.Same == 0 && len(plan.Left) == 0 && len(wants) > 0 && len(out.Failed) == 0 {
		return &problem{what: "no client has a config file of this scope: nothing was written", hint: "name one with --client: mcpassay clients lists them", code: exitFindings}
	}
	return g.write(ctx, d, plan.Plans, out)
}

// write makes the plans.
func (g *giving) write(ctx context.Context, d *configDisk, plans []*fleet.Plan, out *upOutcome) error {
	w := g.app.io.Err
	g.app.children.Store(true) // an interrupt waits for the file that is being written
	for i, p := range plans {
		if ctx.Err() != nil {
			fmt.Fprintf(w, "interrupted: %d of %s done; the same command goes on from there\n", i, text.Count(len(plans), "file"))
			return ctx.Err()
		}
		t, err := d.target(p.File)
		var res *edit.Outcome
		if err == nil {
			res, err = edit.Apply(ctx, configs{d}, t, p.Steps, g.dry)
		}
		path := safe(p.File.Path)
		if err != nil {
			out.Failed = append(out.Failed, upPlace{Client: p.File.Client.ID, Path: path, Detail: safe(err.Error())})
			fmt.Fprintf(w, "not written: %s: %s\n", path, safe(err.Error()))
			continue
		}
		g.app.tellEdit(p.File, t, res, g.dry)
		for _, done := range res.Done {
			at := upPlace{Server: safe(done.Spec.Name), Client: p.File.Client.ID, Path: path}
			switch {
			case done.Err != nil:
				at.Detail = safe(done.Err.Error())
				out.Failed = append(out.Failed, at)
			case done.Changed:
				out.Written = append(out.Written, at)
			default:
				out.Same++
			}
		}
	}
	return nil
}

// upping is what the up verb was asked for.
type upping struct {
	giving
	market                *shop
	frozen, ci, shadowing bool
	profile               string
	project               *projectFile
	places                lock.Places
	locked                *lock.Lock
	now                   *lock.File
	servers               []project.Server
	finder                *find.Finder
	fresh                 []*locking.Entry
	locker                *locking.Locker
	out                   *upOutcome
}

func (a *app) up() *cobra.Command {
	u := &upping{giving: giving{app: a}}
	cmd := &cobra.Command{
		Use: "up", Short: "Put the servers of mcpassay.yaml into your clients", GroupID: "packages",
		Long: "Put the servers of mcpassay.yaml, as mcpassay.lock pins them, into the config files of\n" +
			"your clients, each in its own dialect, and touch no other byte. What the lock lacks is\n" +
			"resolved and locked first; with --frozen it is an error. Configs hold references to\n" +
			"variables, never secrets. A run that was interrupted goes on when it is run again.",
		Example: "  mcpassay up --dry-run\n  mcpassay up --frozen --ci\n  mcpassay up --client cursor --client codex --profile dev",
		Annotations: map[string]string{touches: "mcpassay.yaml, mcpassay.lock, registries; the config files of clients, which it changes",
			exits: "0 done, 1 blocked, not verified, or something could not be written; 2 usage"},
		Args: noArgs("mcpassay up"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := u.check(); err != nil {
				return err
			}
			if err := u.market.check(); err != nil {
				return err
			}
			return u.run(cmd.Context())
		},
	}
	u.market = a.shop(cmd)
	u.flags(cmd, "put them into these `CLIENTS` only, with a new file where one has none")
	f := cmd.Flags()
	f.BoolVar(&u.frozen, "frozen", false, "the lock must hold all of it, and what it holds must verify: nothing is resolved")
	f.BoolVar(&u.ci, "ci", false, "ask nothing; a required variable that is not set, and with --check-shadowing a collision, are errors")
	f.StringVar(&u.profile, "profile", "", "only the servers of this `PROFILE`, and those of none")
	f.BoolVar(&u.shadowing, "check-shadowing", false, "look whether tools of one server pass for another's, as far as the lock knows them")
	f.BoolVarP(&u.yes, "yes", "y", false, "take the place of other servers of the same names")
	a.audited(cmd)
	return cmd
}

func (u *upping) run(ctx context.Context) error {
	u.out = newOutcome()
	u.out.DryRun = u.dry
	err := u.steps(ctx)
	if err != nil && u.market.format == "json" {
		var p *problem
		said := safe(err.Error())
		if !errors.As(err, &p) || p.code != exitIncomplete {
			u.out.Error = &said
			u.out.OK = false
			if err := u.app.printJSON(u.out); err != nil {
				return err
			}
		}
	}
	if err != nil {
		return err
	}
	u.out.OK = len(u.out.Blocked)+len(u.out.Failed) == 0
	if !u.out.OK {
		u.app.code = exitFindings
	}
	if u.market.format == "json" {
		return u.app.printJSON(u.out)
	}
	if u.out.OK {
		fmt.Fprintf(u.app.io.Out, "up: %s; %d %s, %d right already\n", text.Count(len(u.servers), "server"), len(u.out.Written), map[bool]string{false: "written", true: "would be written"}[u.dry], u.out.Same)
	}
	return nil
}

func (u *upping) steps(ctx context.Context) (err error) {
	if u.project, err = u.app.project("up", u.market.file); err != nil {
		return err
	}
	if err := u.project.needed(); err != nil {
		return err
	}
	if u.servers, err = install.Profile(u.project.read.Servers, u.profile); err != nil {
		return &problem{what: err.Error(), at: u.project.shownPath(), hint: "mcpassay up alone takes all servers", code: exitFindings}
	}
	file := u.project.lock()
	u.places = file.places()
	if u.now, err = openLock(file); err != nil {
		return err
	}
	u.locked = &lock.Lock{}
	if u.now != nil {
		u.locked = u.now.Lock
	} else if u.frozen {
		return &problem{what: "there is no lock", at: file.shown(), hint: "mcpassay lock writes one", code: exitFindings}
	}
	finder, locker, end, err := u.market.open(u.project, u.places)
	if err != nil {
		return err
	}
	defer end()
	u.finder, u.locker = finder, locker
	if err := u.cover(ctx); err != nil {
		return err
	}
	u.gates(ctx)
	u.variables()
	u.shadows()
	for _, n := range u.out.Notices {
		fmt.Fprintf(u.app.io.Err, "note: %s\n", n)
	}
	if u.stopped() {
		return nil
	}
	if len(u.fresh) > 0 && !u.dry {
		if err := u.relock(ctx, file); err != nil || u.stopped() {
			return err
		}
	}
	var wants []fleet.Want
	for i := range u.servers {
		s := &u.servers[i]
		e := u.entry(s.Name)
		wants = append(wants, fleet.Want{Specs: install.Specs(s, e, u.places), Bare: e.Package != nil})
		u.out.Installed = append(u.out.Installed, safe(s.Name))
	}
	return u.give(ctx, wants, u.out)
}

// stopped says what blocks a run, if anything does.
func (u *upping) stopped() bool {
	if len(u.out.Blocked) == 0 {
		return false
	}
	for _, b := range u.out.Blocked {
		fmt.Fprintf(u.app.io.Err, "blocked: %s: %s: %s\n", b.Server, b.Gate, b.Detail)
		if b.Hint != "" {
			fmt.Fprintf(u.app.io.Err, "  hint: %s\n", b.Hint)
		}
	}
	fmt.Fprintln(u.app.io.Err, "nothing was written")
	return true
}

// openLock reads a lock; one that can not be relied on is a reason not to go on.
func openLock(file *lockFile) (*lock.File, error) {
	f, err := file.open()
	if err == nil && f != nil && f.Err != nil {
		err = file.broken(f.Err, exitFindings)
	}
	var p *problem
	if errors.As(err, &p) {
		p.code = exitFindings
	}
	return f, err
}

// entry is the entry of a server, as it was just resolved or as the lock has it.
func (u *upping) entry(name string) *lock.Server {
	if i := slices.IndexFunc(u.fresh, func(e *locking.Entry) bool { return e.Want.Name == name }); i >= 0 {
		return u.fresh[i].Server
	}
	return u.locked.Get(name)
}

func (u *upping) block(server string, gate install.Gate, hint, format string, args ...any) {
	u.out.Blocked = append(u.out.Blocked, install.Block{Server: safe(server), Gate: gate, Detail: safe(fmt.Sprintf(format, args...)), Hint: hint})
}

// cover makes sure that the lock holds what is asked for: what it lacks is resolved, or with --frozen is a block.
func (u *upping) cover(ctx context.Context) error {
	var stale []project.Server
	for i := range u.servers {
		s := &u.servers[i]
		why := install.Stale(s, u.locked.Get(s.Name), u.places)
		switch {
		case why == "":
		case u.frozen:
			u.block(s.Name, install.Uncovered, "mcpassay lock, and commit the lock", "%s", why)
		case s.Kind == project.Named:
			u.block(s.Name, install.Uncovered, "say how it is had: server, package, url or command; or mcpassay pin", "%s", why)
		default:
			stale = append(stale, *s)
			u.out.Notices = append(u.out.Notices, safe(s.Name+" "+why+": it is locked anew"))
		}
	}
	if len(stale) == 0 {
		return nil
	}
	var err error
	u.fresh, err = u.locker.Resolve(ctx, u.locked, stale, false)
	return u.refused(err)
}

// refused makes blocks of what could not be resolved or may not be locked.
func (u *upping) refused(err error) error {
	var refused *locking.RefusedError
	if !errors.As(err, &refused) {
		return err
	}
	for _, r := range refused.All {
		u.block(r.Name, install.Gate(r.Reason), r.Hint, "%s", r.Detail)
	}
	return nil
}

// relock puts what was resolved into the lock.
func (u *upping) relock(ctx context.Context, file *lockFile) error {
	var changes []locking.Change
	_, err := file.update(ctx, func(l *lock.Lock) (err error) {
		changes, err = locking.Apply(l, u.fresh, false, false)
		return err
	})
	if err != nil {
		return u.refused(err)
	}
	for _, c := range changes {
		fmt.Fprintf(u.app.io.Err, "locked: %s: %s\n", safe(c.Name), safe(c.Now))
	}
	return nil
}

// gates holds what is locked to what is published, and every server to what may be installed. A lock comes with a repository: what
// it starts is held to its record and to the project file, frozen or not.
func (u *upping) gates(ctx context.Context) {
	held := &lock.Lock{}
	for _, s := range u.servers {
		e := u.locked.Get(s.Name)
		if e != nil && !slices.ContainsFunc(u.fresh, func(f *locking.Entry) bool { return f.Want.Name == s.Name }) {
			held.Servers = append(held.Servers, e)
		}
	}
	g := u.locker.Hold(ctx, held, u.servers)
	for _, r := range slices.Concat(g.Blocked, g.Provenance) {
		u.block(r.Name, install.Gate(r.Reason), cmp.Or(r.Hint, "mcpassay verify says more"), "%s", r.Detail)
	}
	for _, n := range slices.Concat(g.Notices, g.Unenforceable) {
		u.out.Notices = append(u.out.Notices, safe(n.Name+": "+n.Detail))
	}
	for i := range u.servers {
		s := &u.servers[i]
		e := u.entry(s.Name)
		if e == nil {
			continue // blocked already
		}
		subject, err := install.Look(ctx, asking{u.finder}, u.project.read.Install, s, e)
		stopped := slices.ContainsFunc(u.out.Blocked, func(b install.Block) bool { return b.Server == safe(s.Name) })
		if err != nil && stopped {
			continue // the registry that fails was said already
		}
		if err != nil {
			var why *registry.Error
			hint := "try again"
			if errors.As(err, &why) {
				hint = why.Hint()
			}
			u.block(s.Name, install.Unverified, hint, "%s", err)
			continue
		}
		for _, b := range install.Gates(u.project.read.Install, subject, u.app.io.Now()) {
			if b.Gate == install.Deleted && stopped {
				continue // said already
			}
			u.block(b.Server, b.Gate, b.Hint, "%s", b.Detail)
		}
	}
}

// asking is a finder as the gates ask.
type asking struct{ *find.Finder }

func (a asking) Pin(ctx context.Context, p registry.Package) (*pkg.Pin, error) {
	return a.Packages.Pin(ctx, p)
}

func (a asking) Version(ctx context.Context, name, version string) (*registry.Record, error) {
	r, _, err := a.Registry.Version(ctx, name, version)
	return r, err
}

// variables says which variables are needed and not set.
func (u *upping) variables() {
	for i := range u.servers {
		s := &u.servers[i]
		e := u.entry(s.Name)
		if e == nil {
			continue
		}
		unset := install.Unset(s, e, u.places, u.app.io.Getenv)
		switch {
		case len(unset) == 0:
		case u.ci:
			u.block(s.Name, install.Variables, "set it where up runs, or give it a default in mcpassay.yaml"+keeping(s, unset), "needs %s, which is not set", strings.Join(unset, ", "))
		default:
			u.out.Notices = append(u.out.Notices, safe(s.Name+" needs "+strings.Join(unset, ", ")+": set it where your clients are started"+keeping(s, unset)))
		}
	}
}

// keeping says of the first secret among variables that are not set how it is kept out of configs and given to a client.
func keeping(s *project.Server, unset []string) string {
	for _, v := range slices.Concat(s.Env, s.Headers) {
		if v.Secret && slices.Contains(unset, v.Name) {
			name := safe(v.Name)
			return fmt.Sprintf("; mcpassay secret set %s keeps it, and export %s=\"$(mcpassay secret get %s --reveal)\" sets it", name, name, name)
		}
	}
	return ""
}

// shadows looks whether tools of one server pass for another's. What is not known of a server is never clean.
func (u *upping) shadows() {
	if !u.shadowing {
		return
	}
	var names []string
	for _, s := range u.servers {
		names = append(names, s.Name)
	}
	unknown := names
	var found []finding.Finding
	if u.now != nil {
		found, unknown = install.Shadows(u.now, names, u.project.facts(), u.app.limits)
	}
	for _, f := range found {
		if u.ci {
			u.block(f.Rule, install.Shadowed, "mcpassay explain "+f.Rule, "%s", f.Message)
		} else {
			u.out.Notices = append(u.out.Notices, safe(f.Rule+": "+f.Message))
		}
	}
	for _, name := range unknown {
		if u.ci {
			u.block(name, install.Unverified, "mcpassay pin, which asks it for its tools", "its tools are not known, and may pass for another server's")
		} else {
			u.out.Notices = append(u.out.Notices, safe(name+": its tools are not known: mcpassay pin asks it for them"))
		}
	}
}
