package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/flow/find"
	"github.com/mcpassay/mcpassay/internal/text"
)

func (a *app) why() *cobra.Command {
	var m *market
	cmd := &cobra.Command{
		Use: "why NAME[@VERSION]", Short: "Say what the judgement on a server of the registry is made of", GroupID: "packages",
		Long: "Say what is known of a server, check by check: what its record says, its state and age,\n" +
			"and by what its packages are known in their own registries. A check that was not run is\n" +
			"listed as that, and is none that passed. npm is asked where its packages come from, and\n" +
			"nothing else is started.",
		Example:     "  mcpassay why io.github.example/files\n  mcpassay why io.github.example/files@1.2.0 --json",
		Annotations: map[string]string{touches: "the MCP registry, the registries of packages, npm's settings", exits: packageExits},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := m.check(); err != nil {
				return err
			}
			if len(args) != 1 {
				return usage("mcpassay why io.github.owner/server", "why needs the name of one server")
			}
			f, end, err := m.finder()
			if err != nil {
				return err
			}
			defer end()
			a.children.Store(true)
			name, version := wanted(args[0])
			why, err := f.Why(cmd.Context(), name, version)
			if err != nil {
				return notHad(err)
			}
			m.unread(why.Unread)
			m.gone(&why.Head)
			if m.format == "json" {
				return a.printJSON(why)
			}
			m.kept(why.Source)
			a.printWhy(why)
			return nil
		},
	}
	m = a.market(cmd)
	return cmd
}

func (a *app) printWhy(y *find.Why) {
	w := a.io.Out
	fmt.Fprintf(w, "%s %s%s\n", y.Name, y.Version, mark(y.RegistryStatus))
	for _, e := range y.Evidence {
		line, _ := text.Wrap(e.Detail, 31, 31, a.io.Width)
		fmt.Fprintf(w, "  %-8s  %-17s  %s\n", e.State, e.Check, line)
	}
	a.printFindings(y.Findings)
	fmt.Fprintf(w, "  score     %d of %d (%s); what was not run leaves %d as the most that any server reaches here\n", y.Score, y.MaxPossible, y.Level, y.Assessment.MaxAchievableScore)
}
