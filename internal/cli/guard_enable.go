package cli

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/flow/edit"
	"github.com/mcpassay/mcpassay/internal/flow/fleet"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// enabling is what guard enable and disable were asked for.
type enabling struct {
	app      *app
	off      bool
	clients  []string
	servers  []string
	projects bool
	dry      bool
}

func (a *app) guardEnable(off bool) *cobra.Command {
	e := &enabling{app: a, off: off}
	cmd := &cobra.Command{
		Use: "enable", Short: "Put the guard in front of the servers of your clients",
		Long: "Rewrite the entries of your clients' files so that each starts the guard, and the\n" +
			"guard the server. Not a byte beside the command and its arguments changes, and\n" +
			"guard disable gives back every byte. What could not be given back is left alone\n" +
			"and said. A server with an address has no command, and is left alone too.",
		Example:     "  mcpassay guard enable --dry-run\n  mcpassay guard enable --client claude-code --server github",
		Annotations: map[string]string{touches: "the config files of clients", exits: "0 done, 1 something was refused or left undone, 2 usage"},
	}
	if off {
		cmd.Use, cmd.Short = "disable", "Take the guard away again"
		cmd.Long = "Give back the entries that guard enable rewrote, as they were written."
		cmd.Example = "  mcpassay guard disable\n  mcpassay guard disable --server github --dry-run"
	}
	cmd.Args = noArgs("name servers with --server")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return e.run(cmd.Context()) }
	f := cmd.Flags()
	f.StringSliceVar(&e.clients, "client", nil, "change the files of these `CLIENTS` only")
	f.StringSliceVar(&e.servers, "server", nil, "change these `SERVERS` only")
	f.BoolVar(&e.projects, "project", false, "change the files of this project too, which others may share")
	f.BoolVar(&e.dry, "dry-run", false, "show what would change")
	return cmd
}

func (e *enabling) run(ctx context.Context) error {
	a := e.app
	look, err := a.fleetOptions(e.clients)
	if err != nil {
		return err
	}
	program := ""
	if !e.off {
		if program, err = a.self(); err != nil {
			return err
		}
	}
	d := a.configDisk(look.Env)
	f := fleet.Look(d, look)
	changed, undone := 0, len(f.Incomplete)
	for _, i := range f.Incomplete {
		fmt.Fprintf(a.io.Err, "not read: %s: %s\n", safe(i.Path), safe(i.Detail))
	}
	seen := map[string]bool{}
	for _, sc := range f.Scopes {
		if sc.Name == client.ScopeProject && !e.projects {
			continue
		}
		undone += len(sc.Unreadable)
		for _, file := range sc.Files {
			steps, refused := e.steps(file, program, look.Env, seen)
			undone += refused
			if len(steps) == 0 {
				continue
			}
			if !e.off && !client.NamedAsGuard(program) {
				return &problem{what: "this program is called otherwise than mcpassay, by which a guarded entry is known", at: program, hint: "give it the name mcpassay", code: exitFindings}
			}
			t, err := d.target(file)
			var res *edit.Outcome
			if err == nil {
				res, err = edit.Apply(ctx, configs{d}, t, steps, e.dry)
			}
			if res != nil {
				undone += a.tellEdit(file, t, res, e.dry)
				for _, done := range res.Done {
					if done.Changed {
						changed++
					}
				}
			}
			if err != nil {
				undone++
				fmt.Fprintf(a.io.Err, "not written: %s: %s\n", safe(file.Path), safe(err.Error()))
			}
		}
	}
	for _, name := range e.servers {
		if !seen[name] {
			undone++
			fmt.Fprintf(a.io.Err, "not found: %s: no client has a server of that name here\n", safe(name))
		}
	}
	did := "guarded"
	switch {
	case e.off && e.dry:
		did = "would be given back"
	case e.off:
		did = "given back"
	case e.dry:
		did = "would be guarded"
	}
	fmt.Fprintf(a.io.Out, "%s %s\n", text.Count(changed, "server"), did)
	if changed > 0 && !e.dry {
		fmt.Fprintln(a.io.Out, "clients read their files when they start")
	}
	if undone > 0 {
		a.code = exitFindings
	}
	return nil
}

// steps are the entries of a file that are to change. What an organisation does not let Claude Code start is refused before anything
// is kept or written.
func (e *enabling) steps(file *client.File, program string, env client.Env, seen map[string]bool) (steps []edit.Step, refused int) {
	out := e.app.io.Err
	for _, s := range file.Servers {
		if len(e.servers) > 0 && !slices.Contains(e.servers, s.Name) || s.Hidden || s.Project != "" {
			continue
		}
		seen[s.Name] = true
		wrapped := s.Rare.Guard != nil
		switch {
		case wrapped == !e.off:
		case e.off:
			steps = append(steps, edit.Step{Spec: client.Spec{Name: s.Name}, Unguard: true})
		case client.Serves(s.Argv()):
			fmt.Fprintf(out, "left: %s: %s: it is a guard, and each of its servers stands behind it\n", safe(file.Path), safe(s.Name))
		case s.Transport != client.Stdio:
			why := "it has no command to guard"
			if s.Transport == client.HTTP {
				why = "it has an address: guard run --listen ADDRESS --upstream URL stands before it"
			}
			fmt.Fprintf(out, "left: %s: %s: %s\n", safe(file.Path), safe(s.Name), why)
			refused += btoi(len(e.servers) > 0) // who named it wanted it
		default:
			line := slices.Concat([]string{program, "guard", "run", "--server", s.Name, "--"}, s.Argv())
			if why := e.app.managed(file, s.Name, line, env); why != "" {
				refused++
				fmt.Fprintf(out, "not written: %s: %s: %s\n", safe(file.Path), safe(s.Name), why)
				continue
			}
			steps = append(steps, edit.Step{Spec: client.Spec{Name: s.Name}, Guard: program})
		}
	}
	return steps, refused
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// managed says why an organisation's settings do not let Claude Code start a command, "" where they do or there are none.
func (a *app) managed(file *client.File, name string, argv []string, env client.Env) string {
	if file.Client == nil || file.Client.ID != "claude-code" {
		return ""
	}
	for _, c := range client.UserFiles(env) {
		if c.Client != file.Client || c.Loc.Scope != client.ScopeManaged {
			continue
		}
		at := path.Join(path.Dir(filepath.ToSlash(c.Path)), "managed-settings.json")
		raw, _, err := files.Read(filepath.FromSlash(at), files.ReadOptions{MaxBytes: a.limits.FoundBytes})
		if files.ReasonOf(err) == files.Missing {
			continue
		}
		standing := client.Unclear
		if err == nil {
			if doc, err := source.Parse(at, raw, source.JSON, a.limits); err == nil {
				standing = client.ManagedBy(doc).Of(name, argv)
			}
		}
		switch standing {
		case client.Denied:
			return "the settings of your organisation (" + at + ") would not let Claude Code start it behind the guard"
		case client.Unclear:
			return "the settings of your organisation (" + at + ") can not be read, and may not let Claude Code start it behind the guard"
		}
	}
	return ""
}

// self is the path of this program as clients are to start it: the one that a shell finds where that is this very file, since its path
// outlives an update, else where this one is.
func (a *app) self() (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", &problem{what: "where this program is can not be told: " + err.Error(), hint: "start it by its full path", code: exitFindings}
	}
	if found, err := proc.Look("mcpassay", a.io.Environ(), a.io.Cwd); err == nil && filepath.IsAbs(found) {
		x, errX := os.Stat(found)
		y, errY := os.Stat(own)
		if errX == nil && errY == nil && os.SameFile(x, y) {
			return found, nil
		}
	}
	return own, nil
}
