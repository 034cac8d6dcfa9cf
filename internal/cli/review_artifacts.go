package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/flow/artifact"
	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/text"
)

func (a *app) reviewArtifacts() *cobra.Command {
	var profile string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "review-artifacts BEFORE.tar AFTER.tar", Short: "Show what changed between two archives of a package", GroupID: "packages",
		Long: "Compare two tar files (plain or gzip) without unpacking them: which files were added, removed\n" +
			"or changed, with digests and modes, and what the package declares that it runs. Names that\n" +
			"lead out, links, devices, one name twice, files with holes, bombs, and whatever two readers\n" +
			"would read differently are refused. The receipt is advice and approves nothing.",
		Example: "  mcpassay review-artifacts notes-1.2.0.tgz notes-1.3.0.tgz --profile npm\n  mcpassay review-artifacts old.tar new.tar --profile files --json",
		Annotations: map[string]string{touches: "the two files: no process, no network, nothing is unpacked",
			exits: "0 both were read whole and all declarations are covered, 1 incomplete or unsupported, 2 usage"},
		RunE: func(cmd *cobra.Command, args []string) error {
			known := artifact.Profiles()
			switch {
			case len(args) != 2:
				return usage("mcpassay review-artifacts BEFORE.tar AFTER.tar --profile npm", "review-artifacts compares two archives")
			case profile == "":
				return usage("--profile "+strings.Join(known, ", --profile "), "say what the archives hold")
			case !slices.Contains(known, profile):
				return usage("one of "+strings.Join(known, ", "), "unknown profile %q", profile)
			}
			var in [2]artifact.Input
			for i, name := range args {
				raw, _, err := files.Read(absolute(a.io.Cwd, name), files.ReadOptions{MaxBytes: a.limits.ArchiveBytes})
				if err != nil {
					return &problem{what: "the archive can not be read: " + refusal(err).Reason + ": " + refusal(err).Detail, at: name, hint: "name a tar file", code: exitFindings}
				}
				in[i] = artifact.Input{Shown: lint.Named(name, a.io.Cwd, a.io.Home), Raw: raw}
			}
			r := artifact.Review(in[0], in[1], profile, a.limits)
			if r.Status != "complete" {
				a.code = exitFindings
			}
			if asJSON {
				return a.printJSON(r)
			}
			a.printReceipt(r)
			return nil
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&profile, "profile", "", "what the archives hold: "+strings.Join(artifact.Profiles(), ", ")+" (files: bytes alone)")
	f.BoolVar(&asJSON, "json", false, "print the receipt as JSON")
	return cmd
}

func (a *app) printReceipt(r *artifact.Receipt) {
	w := a.io.Out
	for _, s := range []struct {
		name string
		artifact.Side
		of artifact.Declared
	}{{"before", r.Before, r.Declarations.Before}, {"after", r.After, r.Declarations.After}} {
		what := strings.TrimSpace(s.of.Name + " " + s.of.Version)
		fmt.Fprintf(w, "%-6s  %s  %s%s, %s  %s\n", s.name, s.Path, cmp.Or(what+": ", ""), text.Count(s.Files, "file"), text.Count(int(s.Bytes), "byte"), s.Digest)
	}
	for _, f := range r.Faults {
		fmt.Fprintf(w, "refused  %s  %s: %s  [%s]\n", f.Archive, cmp.Or(f.Path, "the archive"), f.Detail, f.Reason)
	}
	inv := r.Inventory
	fmt.Fprintf(w, "%d added, %d removed, %d changed, %d unchanged\n", len(inv.Added), len(inv.Removed), len(inv.Changed), inv.Unchanged)
	a.printFew(w, len(inv.Added), func(i int) string {
		return fmt.Sprintf("  added    %s  %s  %s", inv.Added[i].Mode, text.Count(int(inv.Added[i].Size), "byte"), inv.Added[i].Path)
	})
	a.printFew(w, len(inv.Removed), func(i int) string { return "  removed  " + inv.Removed[i].Path })
	a.printFew(w, len(inv.Changed), func(i int) string {
		c := inv.Changed[i]
		mode := ""
		if c.Before.Mode != c.After.Mode {
			mode = fmt.Sprintf("  %s, was %s", c.After.Mode, c.Before.Mode)
		}
		return fmt.Sprintf("  changed  %s (%s)%s", c.Path, strings.Join(c.What, ", "), mode)
	})
	for _, d := range r.Declarations.Changed {
		mark := ""
		if d.RunsOnInstall {
			mark = "  RUNS WHEN IT IS INSTALLED"
		}
		fmt.Fprintf(w, "  declares %s %s: %s, was %s%s\n", d.Kind, d.Name, cmp.Or(d.After, "nothing"), cmp.Or(d.Before, "nothing"), mark)
	}
	for _, u := range r.Declarations.Uncovered {
		fmt.Fprintf(w, "  not covered: %s\n", u)
	}
	fmt.Fprintf(w, "%s; this is advice, and approves nothing\n", r.Status)
}

// printFew prints the first lines of a list, and how many more there are.
func (a *app) printFew(w io.Writer, n int, line func(int) string) {
	for i := range n {
		if i == a.limits.ShownFaults {
			fmt.Fprintf(w, "  and %d more: --json lists them\n", n-i)
			return
		}
		fmt.Fprintln(w, line(i))
	}
}
