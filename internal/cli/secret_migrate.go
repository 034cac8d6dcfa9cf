package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/effect/keys"
	"github.com/mcpassay/mcpassay/internal/flow/doctor"
	"github.com/mcpassay/mcpassay/internal/flow/edit"
	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/flow/stash"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/text"
)

// migrating is secret migrate.
type migrating struct {
	app             *app
	configs, only   []string
	dry, yes        bool
	noKeychain      bool
	store           *keys.Secrets
	disk            *configDisk
	moved, variable []string
}

func (a *app) secretMigrate() *cobra.Command {
	m := &migrating{app: a}
	cmd := &cobra.Command{
		Use: "migrate", Short: "Move the secrets out of the configs of your clients, and leave references",
		Long: "Find the secrets that stand in the configs of your clients, yours and this project's, keep\n" +
			"each, and leave a reference to a variable in its place, as the client writes one. No\n" +
			"other byte of a file changes, and what it held is kept in a private backup. A client\n" +
			"finds a value in its environment: migrate prints the lines that put it there.",
		Example:     "  mcpassay secret migrate --dry-run\n  mcpassay secret migrate --yes\n  mcpassay secret migrate --config ~/.cursor/mcp.json",
		Annotations: map[string]string{touches: "config files of clients, which it changes; the keychain, and files of mcpassay's own", exits: "0 nothing is left in a config, 1 something is left or could not be read or written, 2 usage"},
		Args:        noArgs("mcpassay secret migrate --config FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !m.dry && !m.yes && !(a.io.InTerminal && a.io.ErrTerminal) {
				return usage("add --yes once you have looked at --dry-run", "migrate asks before it changes a file, and there is no terminal to ask at")
			}
			return m.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&m.configs, "config", nil, "look at this config `FILE` only (may be repeated)")
	f.StringSliceVar(&m.only, "client", nil, "look at the configs of these `CLIENTS` only")
	f.BoolVar(&m.dry, "dry-run", false, "show what would change")
	f.BoolVarP(&m.yes, "yes", "y", false, "do not ask")
	noKeychainFlag(f, &m.noKeychain)
	a.audited(cmd)
	return cmd
}

func (m *migrating) run(ctx context.Context) error {
	a := m.app
	a.children.Store(true)
	m.store = a.secrets(m.noKeychain)
	j := &judging{app: a, platform: a.io.Platform, env: "none"}
	opt := doctor.Options{Env: j.clientEnv(), Cwd: a.io.Cwd, Limits: a.limits, Command: a.command, Shown: j.shown, NoDiscover: len(m.configs) > 0}
	for _, c := range m.configs {
		opt.Configs = append(opt.Configs, absolute(a.io.Cwd, c))
	}
	var only []*client.Client
	for _, name := range m.only {
		c, err := clientNamed(name)
		if err != nil {
			return err
		}
		only = append(only, c)
	}
	m.disk = a.configDisk(opt.Env)
	v := doctor.Look(m.disk, opt)
	if len(only) > 0 {
		v.Files = slices.DeleteFunc(v.Files, func(f *client.File) bool { return !slices.Contains(only, f.Client) })
	}
	for _, s := range v.Skipped {
		m.left("not read: %s: %s %s", s.Path, s.Reason, s.Detail)
	}
	for _, s := range v.Incomplete {
		m.left("not read: %s: %s %s", s.Path, s.Cause, s.Detail)
	}
	all, n, err := m.plan(ctx, v.Files)
	if err != nil {
		return err
	}
	if n == 0 {
		fmt.Fprintln(a.io.Err, "nothing to move")
		return nil
	}
	if !m.dry && !m.yes && !agreed(a, fmt.Sprintf("Move %s?", text.Count(n, "secret"))) {
		fmt.Fprintln(a.io.Err, "nothing was changed")
		a.code = exitFindings
		return nil
	}
	for _, c := range all {
		if err := m.file(ctx, c); err != nil {
			return err
		}
	}
	if len(m.variable) > 0 {
		slices.Sort(m.variable)
		fmt.Fprintf(a.io.Err, "before the client starts:\n%s", a.exporting(slices.Compact(m.variable)))
		fmt.Fprintln(a.io.Err, "whoever read the files may have these secrets: give out new ones, and keep them with mcpassay secret set")
	}
	return nil
}

// left says what stays, and makes the run one that did not do all.
func (m *migrating) left(format string, args ...any) {
	fmt.Fprintln(m.app.io.Err, safe(fmt.Sprintf(format, args...)))
	m.app.code = exitFindings
}

// plan says of each file what can be moved, and tells it. A name that one file gives to a value is taken in the others.
func (m *migrating) plan(ctx context.Context, all []*client.File) (changes []*stash.Change, n int, err error) {
	taken := map[string]string{}
	var failed error
	have := func(name string) (string, bool) {
		if v, ok := taken[name]; ok {
			return v, true
		}
		one, err := m.store.Get(ctx, name)
		if err != nil && !errors.Is(err, keys.ErrNoSecret) {
			failed = err
		}
		return one.Value, err == nil
	}
	for _, f := range all {
		if f.Scope != client.ScopeUser && f.Scope != client.ScopeProject && f.Scope != client.ScopeLocal && !f.Named {
			continue // a program's own, or an administrator's
		}
		c := stash.Plan(f, have, m.app.limits)
		if failed != nil {
			return nil, 0, closedSecret(failed)
		}
		for _, l := range c.Left {
			m.left("left: %s: %s: %s: %s", f.Path, l.Server, l.Place, l.Why)
		}
		for _, one := range c.Moved {
			taken[one.Variable] = one.Value
			fmt.Fprintf(m.app.io.Err, "%s: %s: %s becomes %s\n", safe(f.Path), safe(one.Server), safe(one.Place), one.Variable)
		}
		if n += len(c.Moved); len(c.Moved) > 0 {
			changes = append(changes, c)
		}
	}
	return changes, n, nil
}

// file keeps the values of one file and then changes it. What is kept and could not be taken out of the file is kept all the
// same: nothing is lost.
func (m *migrating) file(ctx context.Context, c *stash.Change) error {
	a, f := m.app, c.File
	if m.dry {
		fmt.Fprint(a.io.Err, configDiff(f, c.After))
		return nil
	}
	target, err := m.disk.target(f)
	if err != nil {
		m.left("not changed: %s: %s", f.Path, refusal(err).Detail)
		return nil
	}
	for _, one := range c.Moved {
		place, why, err := m.store.Set(ctx, keys.Secret{Name: one.Variable, Value: one.Value, Kept: a.io.Now().UTC().Truncate(time.Second)})
		if err != nil {
			return &problem{what: "the secret can not be kept, and nothing more is changed: " + err.Error(), at: f.Path, code: exitFindings}
		}
		if len(m.moved) == 0 {
			a.placed(place, why)
		}
		m.moved = append(m.moved, one.Variable)
	}
	release, err := configs{m.disk}.Exclusive(ctx, target.Path, false)
	if err != nil {
		m.left("not changed: %s: %s", f.Path, err.Error())
		return nil
	}
	defer release()
	kept, err := files.Backup(files.StateDir(a.io.Platform, a.io.Getenv, a.io.Home), target.Path, f.Doc.Raw)
	if err != nil {
		m.left("not changed, since its backup can not be written: %s: %s", f.Path, err.Error())
		return nil
	}
	if err := (configs{m.disk}).Write(target.Path, target.Base, f.Doc.Raw, c.After.Doc.Raw); err != nil {
		why := err.Error()
		if !errors.Is(err, edit.ErrChanged) {
			why = refusal(err).Detail
		}
		m.left("not changed: %s: %s", f.Path, why)
		return nil
	}
	fmt.Fprintf(a.io.Err, "changed: %s (%s)\n  kept: %s (the file with its secrets, readable by you only)\n", safe(f.Path), text.Count(len(c.Moved), "secret"),
		safe(lint.Shown(filepath.Clean(kept), "", a.io.Home)))
	for _, one := range c.Moved {
		m.variable = append(m.variable, one.Variable)
	}
	return nil
}
