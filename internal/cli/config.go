package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/policy"
)

func (a *app) config() *cobra.Command {
	cmd := parent(&cobra.Command{Use: "config", Short: "Show the policy and the limits in force", GroupID: "more"})
	var file string
	var withLimits bool
	show := &cobra.Command{
		Use: "show", Short: "Print the policy that lint would use here, and where it comes from", Args: noArgs("mcpassay config show takes no argument"),
		Example: "  mcpassay config show\n  mcpassay config show --limits",
		RunE: func(*cobra.Command, []string) error {
			if withLimits {
				return a.printJSON(a.limits)
			}
			j := &judging{app: a, started: a.io.Now()}
			j.policy.file = file
			p, err := j.loadPolicy(a.io.Cwd, true)
			if err != nil {
				return err
			}
			a.printPolicy(p)
			return nil
		},
	}
	show.Flags().StringVar(&file, "policy", "", "read the policy from `FILE`")
	show.Flags().BoolVar(&withLimits, "limits", false, "print every limit")
	cmd.AddCommand(show)
	return cmd
}

// printPolicy shows what decides a run: the source first, since a policy of a stranger's repository shapes a report.
func (a *app) printPolicy(p *policy.Policy) {
	w := a.io.Out
	fmt.Fprintf(w, "source:   %s\n", safe(p.Source))
	fmt.Fprintf(w, "profile:  %s\n", p.Profile.Name)
	fmt.Fprintf(w, "failOn:   %s\n", cmp.Or(p.FailOn, finding.Error))
	for _, l := range []struct {
		name  string
		items []string
	}{{"select", p.Select}, {"ignore", p.Ignore}} {
		if len(l.items) > 0 {
			fmt.Fprintf(w, "%-9s %s\n", l.name+":", safe(strings.Join(l.items, ", ")))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.Severity)) {
		fmt.Fprintf(w, "severity: %s %s\n", id, p.Severity[id])
	}
	for _, s := range p.Suppressions {
		fmt.Fprintf(w, "silenced: %s\n", safe(silenced(s)))
	}
	fmt.Fprintf(w, "rules:    %d of %d run\n", len(p.Rules()), len(catalog.All()))
}

func silenced(s policy.Suppression) string {
	words := []string{s.Rule}
	for _, w := range []struct{ name, value string }{{"server", s.Server}, {"tool", s.Tool}, {"path", s.Path}, {"client", s.Client}} {
		if w.value != "" {
			words = append(words, w.name+" "+w.value)
		}
	}
	return strings.Join(words, ", ") + ": " + s.Reason + " (" + s.Owner + ", until " + s.Expires + ")"
}
