package cli

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/model/client"
)

func (a *app) clients() *cobra.Command {
	var format func() (bool, error)
	var paths bool
	cmd := &cobra.Command{
		Use: "clients [CLIENT]", Short: "List the MCP clients we know, and where they keep their config", GroupID: "know",
		Example: "  mcpassay clients\n  mcpassay clients cursor\n  mcpassay clients --paths", ValidArgsFunction: offer(clientIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			rows := client.Table()
			if len(args) > 0 {
				rows = nil
				for _, name := range args {
					c, err := clientNamed(name)
					if err != nil {
						return err
					}
					rows = append(rows, c)
				}
			}
			asJSON, err := format()
			switch {
			case err != nil:
				return err
			case asJSON:
				return a.printJSON(rows)
			case !paths && len(args) == 0:
				return a.clientTable(rows)
			}
			user := client.UserFiles(client.Env{OS: a.io.Platform, Home: a.io.Home, Getenv: a.io.Getenv})
			for _, c := range rows {
				a.clientPaths(c, user)
			}
			return nil
		},
	}
	format = listFormat(cmd)
	cmd.Flags().BoolVar(&paths, "paths", false, "show where each client keeps its files on this machine")
	return cmd
}

func (a *app) clientTable(rows []*client.Client) error {
	w := tabwriter.NewWriter(a.io.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "CLIENT\tNAME\tROOT KEY\tSTATUS\n")
	for _, c := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", c.ID, c.Name, cmp.Or(strings.Join(c.RootKeys, ","), "-"), c.Status)
	}
	return w.Flush()
}

func (a *app) clientPaths(c *client.Client, user []client.Candidate) {
	fmt.Fprintf(a.io.Out, "%s (%s), confidence %s as of %s\n", c.Name, c.ID, c.Confidence, c.AsOf)
	for i := range c.Locations {
		if l := &c.Locations[i]; l.Project() {
			fmt.Fprintf(a.io.Out, "  %-9s  %s%s\n", l.Scope, l.Path, readsNote(l))
		}
	}
	for _, u := range user {
		if u.Client == c {
			fmt.Fprintf(a.io.Out, "  %-9s  %s%s\n", u.Loc.Scope, safe(u.Display), readsNote(u.Loc))
		}
	}
	if len(c.Env.Forms) > 0 {
		var forms []string
		for _, f := range c.Env.Forms {
			forms = append(forms, string(f))
		}
		fmt.Fprintf(a.io.Out, "  %-9s  %s\n", "env", strings.Join(forms, "  "))
	}
}

func readsNote(l *client.Location) string {
	switch l.Reads {
	case client.ReadsNo:
		return "  (not read)"
	case client.ReadsLegacy:
		return "  (older versions)"
	}
	return ""
}
