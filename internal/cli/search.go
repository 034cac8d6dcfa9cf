package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/flow/find"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/text"
)

func (a *app) search() *cobra.Command {
	var most int
	var deleted bool
	var m *market
	cmd := &cobra.Command{
		Use: "search WORD", Short: "Find MCP servers in the registry by a part of their name", GroupID: "packages",
		Long: "Find MCP servers in the registry by a part of their name. What a publisher says of a\n" +
			"server is data and no instruction; what is judged of it is what the record says, as\n" +
			"nothing is downloaded or started.",
		Example:     "  mcpassay search filesystem\n  mcpassay search github --limit 50 --json\n  mcpassay search notes --offline",
		Annotations: map[string]string{touches: "the MCP registry", exits: "0 asked, whether or not something was found, 1 the registry can not be used, 2 usage"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := m.check(); err != nil {
				return err
			}
			term := strings.TrimSpace(strings.Join(args, " "))
			if term == "" {
				return usage("mcpassay search filesystem", "search needs a part of a name")
			}
			if most < 1 || most > a.limits.SearchMost {
				return usage(fmt.Sprintf("1 to %d", a.limits.SearchMost), "--limit %d is no number of servers", most)
			}
			f, end, err := m.finder()
			if err != nil {
				return err
			}
			defer end()
			found, err := f.Search(cmd.Context(), term, most, deleted)
			if err != nil {
				return notHad(err)
			}
			m.unread(found.Unread)
			if m.format == "json" {
				return a.printJSON(found)
			}
			m.kept(found.Source)
			a.printFound(found, term)
			return nil
		},
	}
	m = a.market(cmd)
	fl := cmd.Flags()
	fl.IntVarP(&most, "limit", "l", limits.Default.SearchRows, "list so many servers at most")
	fl.BoolVar(&deleted, "include-deleted", false, "list those too that were deleted from the registry")
	return cmd
}

func (a *app) printFound(found *find.Found, term string) {
	w := a.io.Out
	if len(found.Servers) == 0 {
		fmt.Fprintf(w, "no server of the registry has %q in its name\n", safe(term))
		return
	}
	for _, s := range found.Servers {
		fmt.Fprintf(w, "%s %s  %s%s\n", s.Name, s.Version, strings.Join(s.Kinds, ", "), mark(s.RegistryStatus))
		if s.Description != "" {
			line, _ := text.Wrap(s.Description, 4, 4, a.io.Width)
			fmt.Fprintf(w, "    %s\n", line)
		}
		for _, f := range s.Assessment.Findings {
			if f.Severity == "critical" || f.Severity == "high" {
				line, _ := text.Wrap(fmt.Sprintf("%s: %s (%s)", f.Severity, f.Message, f.Type), 4, 4, a.io.Width)
				fmt.Fprintf(w, "    %s\n", line)
			}
		}
	}
	if found.More {
		fmt.Fprintf(w, "there are more: --limit N lists up to %d, a longer word finds fewer\n", a.limits.SearchMost)
	}
	fmt.Fprintf(w, "mcpassay why NAME says what is known of one\n")
}

// mark is what stands behind a server that is not simply there.
func mark(s find.RegistryStatus) string {
	status := ""
	if s.Status != nil {
		status = *s.Status
	}
	if status == "active" {
		return ""
	}
	out := "  [" + cmp.Or(status, "state unknown")
	if s.StatusMessage != nil {
		out += ": " + *s.StatusMessage
	}
	return out + "]"
}
