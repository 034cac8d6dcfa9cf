package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/flow/scope"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/text"
)

func (a *app) scope() *cobra.Command {
	var asJSON bool
	var id string
	cmd := &cobra.Command{
		Use: "scope ROOT", Short: "Take stock of what a project's files give a client", GroupID: "packages",
		Long: "List the places of a project that a client reads (servers, settings, instructions, skills,\n" +
			"agents, commands, hooks): which are there, with size and digest, and which are not. The list\n" +
			"is fixed. Settings of the user, policies, profiles and what is running are no part of a\n" +
			"project: they stay unknown, and the inventory says so.",
		Example:     "  mcpassay scope .\n  mcpassay scope ~/src/app --client vscode --json",
		Annotations: map[string]string{touches: "files of that project: no process, no network", exits: "0 inventoried, 1 no such folder, or a place could not be read, 2 usage"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return usage("mcpassay scope .", "scope needs the root of one project")
			}
			if c, ok := client.ByID(strings.ToLower(id)); ok {
				id = c.ID
			}
			if !slices.Contains(scope.Clients(), id) {
				return usage("--client "+strings.Join(scope.Clients(), " or --client "), "there is no inventory for the client %q", id)
			}
			root := absolute(a.io.Cwd, args[0])
			d := scopeDisk{a.configDisk(client.Env{OS: a.io.Platform}).disk}
			rep, err := scope.Take(d, id, root, lint.Named(args[0], a.io.Cwd, a.io.Home), a.limits)
			if err != nil {
				return &problem{what: "there is no inventory: " + err.Error(), at: args[0], hint: "name the root folder of a project", code: exitFindings}
			}
			if !rep.Complete {
				a.code = exitFindings
			}
			if asJSON {
				return a.printJSON(rep)
			}
			a.printScope(rep)
			return nil
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&id, "client", scope.Clients()[0], "take the places of this `CLIENT`: "+strings.Join(scope.Clients(), ", "))
	f.BoolVar(&asJSON, "json", false, "print the inventory as JSON")
	return cmd
}

// scopeDisk is the file door of an inventory.
type scopeDisk struct{ *disk }

func (d scopeDisk) List(dir, base string, most int) (found []scope.Entry, all bool) {
	// The folder itself must not be a link, nor lie behind one.
	if _, _, err := files.Read(filepath.Join(dir, "."), files.ReadOptions{Base: base}); err != nil {
		if r := refusal(err); r.Reason != "not-regular" || !d.IsDir(dir) {
			return []scope.Entry{{Refusal: r}}, true
		}
	}
	if most <= 0 {
		return nil, false
	}
	every := func(string, string) bool { return true }
	stats, err := files.Walk(dir, files.WalkOptions{Candidate: every, MaxEntries: most}, func(e files.Entry) {
		switch {
		case e.Err != nil:
			found = append(found, scope.Entry{Rel: e.Rel, Refusal: refusal(e.Err)})
		case e.Kind == files.Directory:
		case e.Kind != files.Regular:
			found = append(found, scope.Entry{Rel: e.Rel, Refusal: &load.Refusal{Reason: "not-regular", Detail: "is " + e.Kind.String()}})
		default:
			found = append(found, scope.Entry{Rel: e.Rel})
		}
	})
	if err != nil {
		return []scope.Entry{{Refusal: refusal(err)}}, true
	}
	return found, !stats.Truncated
}

func (a *app) printScope(r *scope.Report) {
	w := a.io.Out
	fmt.Fprintf(w, "%s, as %s reads it\n", r.Root, r.Client)
	for _, p := range r.Candidates {
		said := ""
		switch {
		case p.State == "absent":
		case p.Type == "folder":
			said = text.Count(len(p.Files), "file")
		case p.Kind == scope.Servers:
			said = text.Count(len(p.Servers), "server")
		default:
			said = text.Count(p.Size, "byte")
		}
		if p.Detail != "" {
			said = strings.TrimPrefix(said+"; "+p.Detail, "; ")
		}
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %-10s  %-13s  %-33s  %s", p.State, p.Kind, p.Path, said), " "))
		for _, s := range p.Servers {
			off := ""
			if s.Disabled {
				off = ", switched off"
			}
			fmt.Fprintf(w, "  %-10s  %-13s    %s (%s%s)\n", "", "", s.Name, s.Transport, off)
		}
	}
	var parts []string
	for _, u := range r.Coverage.Unknown {
		parts = append(parts, u.Part)
	}
	line, _ := text.Wrap("unknown, as no file of a project says it: "+strings.Join(parts, ", "), 0, 2, a.io.Width)
	fmt.Fprintln(w, line)
	if !r.Complete {
		fmt.Fprintln(w, "the inventory is incomplete")
	}
}
