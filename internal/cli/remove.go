package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/flow/fleet"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/project"
)

// removing is what the remove verb was asked for.
type removing struct {
	giving
	json bool
	file string
}

// removeOutcome is what remove --json prints. Members may be added.
type removeOutcome struct {
	SchemaVersion int    `json:"schemaVersion"`
	Name          string `json:"name"`
	// Project and Lock say that it stood there, Written which files of clients it was taken out of.
	Project bool      `json:"project"`
	Lock    bool      `json:"lock"`
	Written []upPlace `json:"written"`
	Failed  []upPlace `json:"failed"`
	DryRun  bool      `json:"dryRun"`
}

func (a *app) remove() *cobra.Command {
	r := &removing{giving: giving{app: a}}
	cmd := &cobra.Command{
		Use: "remove NAME", Short: "Take a server out of mcpassay.yaml, the lock and your clients", GroupID: "packages",
		Long: "Take a server out of mcpassay.yaml, mcpassay.lock and the config files of your clients, or\n" +
			"with --client out of those clients' files alone. No other byte changes, and each file is\n" +
			"kept before. An entry of a client that is another server under that name is left.",
		Example:     "  mcpassay remove io.github.example/files\n  mcpassay remove files --client cursor\n  mcpassay remove files --dry-run",
		Annotations: map[string]string{touches: "mcpassay.yaml, mcpassay.lock, the config files of clients", exits: "0 removed, 1 it stands nowhere, or something could not be written; 2 usage"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("mcpassay remove io.github.owner/server", "remove needs the name of one server")
			}
			if err := r.check(); err != nil {
				return err
			}
			return r.run(cmd.Context(), args[0])
		},
	}
	r.flags(cmd, "out of the files of these `CLIENTS` alone")
	f := cmd.Flags()
	f.BoolVarP(&r.yes, "yes", "y", false, "take out other servers of that name too")
	f.StringVarP(&r.file, "file", "f", "", "the project `FILE`, instead of the nearest mcpassay.yaml")
	f.BoolVar(&r.json, "json", false, "print what was done as JSON")
	a.audited(cmd)
	return cmd
}

func (r *removing) run(ctx context.Context, name string) error {
	file, err := r.app.project("remove", r.file)
	if err != nil {
		return err
	}
	lockfile := file.lock()
	now, err := openLock(lockfile)
	if err != nil {
		return err
	}
	out := &removeOutcome{SchemaVersion: 1, Name: safe(name), Written: []upPlace{}, Failed: []upPlace{}, DryRun: r.dry}
	out.Project = len(r.clients) == 0 && slices.ContainsFunc(file.read.Servers, func(s project.Server) bool { return s.Name == name })
	var entry *lock.Server
	if now != nil {
		entry = now.Get(name)
	}
	out.Lock = len(r.clients) == 0 && entry != nil

	// The clients go first: a run that is interrupted still knows by the lock which of their entries it is about.
	look, err := r.app.fleetOptions(r.clients)
	if err != nil {
		return err
	}
	d := r.app.configDisk(look.Env)
	f := fleet.Look(d, look)
	for _, u := range f.Compare(fleet.Mode{}).Unread {
		out.Failed = append(out.Failed, upPlace{Path: safe(u.Path), Detail: safe(u.Cause + ": " + u.Detail)})
		fmt.Fprintf(r.app.io.Err, "not read: %s: %s: %s\n", safe(u.Path), safe(u.Cause), safe(u.Detail))
	}
	var spec *client.Spec
	if entry != nil && !r.yes {
		s := entry.Spec(lockfile.places())
		spec = &s
	}
	plans, others := f.Withdraw(r.scope, name, spec)
	for _, l := range others {
		out.Failed = append(out.Failed, upPlace{Server: safe(l.Name), Client: l.Client.ID, Detail: safe(l.Why)})
		fmt.Fprintf(r.app.io.Err, "left: %s: %s; --yes takes it out\n", safe(l.Name), safe(l.Why))
	}
	if !out.Project && !out.Lock && len(plans)+len(out.Failed) == 0 {
		return &problem{what: "there is no server " + name + " in " + file.shownPath() + ", the lock or a client's file", hint: "mcpassay list shows what clients have", code: exitFindings}
	}
	done := newOutcome()
	if err := r.write(ctx, d, plans, done); err != nil {
		return err
	}
	out.Written = append(out.Written, done.Written...)
	out.Failed = append(out.Failed, done.Failed...)
	if !r.dry && out.Project {
		if _, err := file.change(ctx, func(raw []byte) ([]byte, error) { return project.Take(file.shownPath(), raw, name, r.app.limits) }); err != nil {
			return err
		}
	}
	if !r.dry && out.Lock {
		written, err := lockfile.update(ctx, func(l *lock.Lock) error { l.Drop(name); return nil })
		if err != nil {
			return err
		}
		if written {
			fmt.Fprintf(r.app.io.Err, "changed: %s\n", safe(lockfile.shown()))
		}
	}
	if len(out.Failed) > 0 {
		r.app.code = exitFindings
	}
	if r.json {
		return r.app.printJSON(out)
	}
	if !r.dry {
		fmt.Fprintf(r.app.io.Out, "removed %s\n", out.Name)
	}
	return nil
}
