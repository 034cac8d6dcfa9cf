package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/flow/locking"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/sign/bundle"
	"github.com/mcpassay/mcpassay/internal/sign/provenance"
	"github.com/mcpassay/mcpassay/internal/text"

	registrydoor "github.com/mcpassay/mcpassay/internal/effect/registry"
)

// age remembers how old the oldest answer is that was taken from disk.
type age struct {
	mu     sync.Mutex
	oldest time.Time
}

func (a *age) kept(asked time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.oldest.IsZero() || asked.Before(a.oldest) {
		a.oldest = asked
	}
}

// since is the age at a time, ok whether anything was taken from disk.
func (a *age) since(now time.Time) (d time.Duration, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return now.Sub(a.oldest), !a.oldest.IsZero()
}

// aged is a client as a locker asks for it.
type aged struct {
	*registrydoor.Client
	age *age
}

func (c aged) told(from registrydoor.Origin, err error) {
	if err == nil && from.Kept {
		c.age.kept(from.Asked)
	}
}

func (c aged) Version(ctx context.Context, name, version string) (*registry.Record, error) {
	rec, from, err := c.Client.Version(ctx, name, version)
	c.told(from, err)
	return rec, err
}

func (c aged) Versions(ctx context.Context, name string) ([]*registry.Record, []registry.Fault, error) {
	all, bad, from, err := c.Client.Versions(ctx, name)
	c.told(from, err)
	return all, bad, err
}

// locker opens the doors for locking and for holding a lock against registries. end closes them.
func (m *market) locker(places lock.Places, root func() *bundle.Root) (k *locking.Locker, old *age, end func(), err error) {
	client, packages, end, err := m.doors()
	if err != nil {
		return nil, nil, nil, err
	}
	old = &age{}
	packages.Kept, packages.Project = old.kept, places.Project
	return m.lockerOf(client, packages, old, places, root), old, end, nil
}

// lockerOf is a locker that asks through doors that are open.
func (m *market) lockerOf(client *registrydoor.Client, packages *registrydoor.Packages, old *age, places lock.Places, root func() *bundle.Root) *locking.Locker {
	return &locking.Locker{Registry: aged{client, old}, Packages: packages, Base: client.Base, Offline: m.offline, Places: places, Limits: m.app.limits,
		Provenance: func(pin *pkg.Pin, docs map[string][]byte) lock.Provenance {
			return provenance.Of(pin, docs, root(), m.app.limits)
		}}
}

// projectLock is the lock of a project file: the one that was named, else the one beside the file. Any other would lose what it
// holds and this file does not declare.
func (j *judging) projectLock(named string) *lockFile {
	f := j.lockFile(named)
	f.fails = exitFindings
	if named == "" && j.policyDir != "" {
		f.path, f.base = filepath.Join(j.policyDir, lock.FileName), j.policyDir
		j.inputs = append(j.inputs, f.path)
	}
	return f
}

// lockingVerb is what the lock verb was asked for.
type lockingVerb struct {
	*market
	judging               *judging
	file, lock, root      string
	upgrade, replace, dry bool
}

// lockModel is what lock --json prints. Members may be added.
type lockModel struct {
	SchemaVersion int `json:"schemaVersion"`
	// OK says that the lock holds what mcpassay.yaml wants; Written that the file changed, or with --dry-run would.
	OK      bool   `json:"ok"`
	Written bool   `json:"written"`
	DryRun  bool   `json:"dryRun"`
	Lock    string `json:"lock"`
	// Servers are what became of each; Refused why nothing was written.
	Servers []locking.Change  `json:"servers"`
	Refused []locking.Refusal `json:"refused"`
	// Unenforceable are the servers whose bytes nothing holds.
	Unenforceable []locking.Named `json:"unenforceable"`
	Error         string          `json:"error,omitempty"`
}

func (a *app) lock() *cobra.Command {
	v := &lockingVerb{judging: &judging{app: a, verb: "lock", format: "text", env: "inherit", color: "auto"}}
	cmd := &cobra.Command{
		Use: "lock", Short: "Write down to the byte what mcpassay.yaml wants", GroupID: "packages",
		Long: "Resolve every server of mcpassay.yaml, and write its version, the digests of its\n" +
			"package, who made that and how it is started into mcpassay.lock: all of them, or\n" +
			"nothing. A version that is locked stays while it is what mcpassay.yaml wants and the\n" +
			"registry has not deleted it. Nothing is installed or started; what was pinned and\n" +
			"approved of a launch that stays is kept.",
		Example: "  mcpassay lock\n  mcpassay lock -f team/mcpassay.yaml --dry-run\n  mcpassay lock --upgrade",
		Annotations: map[string]string{touches: "mcpassay.lock, the MCP registry and those of packages",
			exits: "0 locked, 1 any reason for which it is not: nothing was written, 2 usage"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return v.run(cmd.Context())
		},
		Args: cobra.ArbitraryArgs,
	}
	v.market = a.marketOf(cmd, "")
	f := cmd.Flags()
	f.StringVarP(&v.file, "file", "f", "", "the project `FILE`, instead of the nearest mcpassay.yaml")
	onceVar(f, &v.lock, "lock", "the lock `FILE`, instead of the mcpassay.lock beside the project file")
	f.BoolVar(&v.upgrade, "upgrade", false, "take the newest versions that mcpassay.yaml wants")
	f.BoolVar(&v.replace, "replace", false, "what was approved, bytes that changed and another signer give way: look at them first")
	f.BoolVar(&v.dry, "dry-run", false, "say what would be written, and write nothing")
	onceVar(f, &v.root, "trusted-root", "verify attestations with the trusted root in `FILE`, instead of that of Sigstore's public instance ("+bundle.PublicGoodDate+")")
	a.audited(cmd)
	cmd.AddCommand(a.rotate(), a.export())
	return cmd
}

func (v *lockingVerb) run(ctx context.Context) error {
	if err := v.market.check(); err != nil {
		return err
	}
	j := v.judging
	j.policy.file = v.file
	m := &lockModel{SchemaVersion: 1, DryRun: v.dry, Servers: []locking.Change{}, Refused: []locking.Refusal{}, Unenforceable: []locking.Named{}}
	p, err := j.loadPolicy(v.app.io.Cwd, true)
	if err == nil {
		err = declares(p, j)
	}
	if err != nil {
		return v.stopped(m, err)
	}
	file := j.projectLock(v.lock)
	m.Lock = file.shown()
	err = v.write(ctx, m, p, file)
	var refused *locking.RefusedError
	if errors.As(err, &refused) {
		m.Refused = refused.All
		err = v.refused(m, file)
	}
	if err != nil {
		return v.stopped(m, err)
	}
	m.OK = true
	return v.tell(m, file)
}

// declares refuses a project that says nothing of servers: an empty lock would be a mistake that verifies.
func declares(p *policy.Policy, j *judging) error {
	switch {
	case j.policyDir == "":
		return &problem{what: "there is no mcpassay.yaml", at: j.app.io.Cwd, hint: "mcpassay init makes one, -f FILE names one", code: exitFindings}
	case p.Servers == nil:
		return &problem{what: "it declares no servers", at: p.Source, hint: "list them under servers; servers: {} says that there are none", code: exitFindings}
	}
	return nil
}

// write resolves and writes.
func (v *lockingVerb) write(ctx context.Context, m *lockModel, p *policy.Policy, file *lockFile) error {
	f, err := file.open()
	if err != nil {
		return err
	}
	was := &lock.Lock{}
	if f != nil {
		if f.Err != nil {
			return file.broken(f.Err, exitFindings)
		}
		was = f.Lock
	}
	root, err := v.judging.trustedRoot(v.root)
	if err != nil {
		return err
	}
	k, old, end, err := v.locker(file.places(), root)
	if err != nil {
		return err
	}
	defer end()
	v.app.children.Store(true) // an interrupt waits for npm
	all, err := k.Resolve(ctx, was, p.Servers, v.upgrade)
	if err != nil {
		return err
	}
	if d, ok := old.since(v.app.io.Now()); ok {
		fmt.Fprintf(v.app.io.Err, "offline: the oldest of what was kept is %s old\n", ago(d))
	}
	for _, e := range all {
		if e.Unenforceable != "" || e.Pin == nil {
			u := locking.Named{Name: e.Want.Name, Detail: e.Unenforceable}
			if u.Detail == "" {
				u.Detail = "it is no package: nothing holds its bytes"
			}
			m.Unenforceable = append(m.Unenforceable, u)
		}
	}
	apply := func(l *lock.Lock) error {
		m.Servers, err = locking.Apply(l, all, v.replace, true)
		return err
	}
	if v.dry {
		before := string(was.Encode())
		err := apply(was)
		m.Written = f == nil || before != string(was.Encode())
		return err
	}
	m.Written, err = file.update(ctx, apply)
	return err
}

// refused says of every server why nothing was written.
func (v *lockingVerb) refused(m *lockModel, file *lockFile) error {
	p := &problem{what: "nothing was locked", at: file.shown(), code: exitFindings}
	for i := range m.Refused {
		r := &m.Refused[i]
		line := safe(r.Name) + ": " + safe(r.Detail)
		if r.Hint != "" {
			line += " (" + r.Hint + ")"
		}
		p.faults = append(p.faults, line)
	}
	return p
}

// stopped is a problem that the package verbs answer with 1, but for one with the command line.
func (v *lockingVerb) stopped(m *lockModel, err error) error {
	var p *problem
	if errors.As(err, &p) && p.at != "" {
		p.code = exitFindings
	}
	if v.format == "json" && !errors.Is(err, context.Canceled) {
		m.Error = safe(err.Error())
		if p != nil && p.at == "" {
			return err
		}
		if failed := v.printLock(m); failed != nil {
			return failed
		}
	}
	return err
}

func (v *lockingVerb) printLock(m *lockModel) error {
	for i := range m.Servers {
		m.Servers[i].Name = secret.Mask(m.Servers[i].Name)
	}
	for i := range m.Refused {
		m.Refused[i].Name = secret.Mask(m.Refused[i].Name)
	}
	return v.app.printJSON(m)
}

// tell says what became of every server.
func (v *lockingVerb) tell(m *lockModel, file *lockFile) error {
	if v.format == "json" {
		return v.printLock(m)
	}
	w := v.app.io.Out
	unpinned := 0
	for _, c := range m.Servers {
		what := c.What
		switch {
		case c.Was != "" && c.Now != "" && c.Was != c.Now:
			what += ": " + c.Was + " -> " + c.Now
		case c.Now != "":
			what += ": " + c.Now
		}
		fmt.Fprintf(w, "%s: %s\n", safe(c.Name), safe(what))
		for _, n := range c.Notices {
			fmt.Fprintf(w, "  note: %s\n", safe(n))
		}
		if c.Unpinned {
			unpinned++
		}
	}
	for _, u := range m.Unenforceable {
		fmt.Fprintf(w, "unenforceable: %s: %s\n", safe(u.Name), safe(u.Detail))
	}
	said := map[[2]bool]string{{true, false}: "written", {true, true}: "would be written", {false, false}: "unchanged", {false, true}: "unchanged"}[[2]bool{m.Written, v.dry}]
	fmt.Fprintf(w, "%s: %s, %s\n", safe(m.Lock), text.Count(len(m.Servers), "server"), said)
	if unpinned > 0 && !v.dry {
		fmt.Fprintf(w, "next: mcpassay up, which puts them into your clients; mcpassay pin, which writes down what %s of them expose\n", text.Count(unpinned, "server"))
	}
	return nil
}
