package cli

import (
	"cmp"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/report"
)

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", GroupID: "more", Args: noArgs("mcpassay version takes no argument"),
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintf(a.io.Out, "mcpassay %s (rules %s, report schema %d)\n", Version, catalog.Version, report.SchemaVersion)
			if info, ok := debug.ReadBuildInfo(); ok {
				fmt.Fprintf(a.io.Out, "%s\n", info.GoVersion)
			}
			return nil
		},
	}
}

func (a *app) completion(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "completion SHELL", Short: "Write a completion script for bash, zsh, fish or powershell", GroupID: "more",
		Long:    "Write a completion script.\n\n  bash        source <(mcpassay completion bash)\n  zsh         mcpassay completion zsh > \"${fpath[1]}/_mcpassay\"\n  fish        mcpassay completion fish > ~/.config/fish/completions/mcpassay.fish\n  powershell  mcpassay completion powershell | Out-String | Invoke-Expression\n\nbash needs the package bash-completion for it.",
		Example: "  mcpassay completion bash", ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("mcpassay completion bash, zsh, fish or powershell", "completion needs the name of a shell")
			}
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.io.Out, true)
			case "zsh":
				return root.GenZshCompletion(a.io.Out)
			case "fish":
				return root.GenFishCompletion(a.io.Out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.io.Out)
			}
			return usage("use bash, zsh, fish or powershell", "unknown shell %q", args[0])
		},
	}
}

func (a *app) report() *cobra.Command {
	cmd := parent(&cobra.Command{Use: "report", Short: "The report's JSON Schema, and a check against it", GroupID: "more"})
	cmd.AddCommand(&cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of `--format json`", Args: noArgs("mcpassay report schema takes no argument"),
		RunE: func(*cobra.Command, []string) error { _, err := a.io.Out.Write(report.Schema()); return err },
	}, &cobra.Command{
		Use: "validate FILE", Short: "Check a report against the schema (- is standard input)",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("mcpassay report validate report.json", "validate needs one file")
			}
			raw, err := a.readNamed(args[0])
			if err != nil {
				return err
			}
			if err := report.Validate(raw); err != nil {
				return &problem{what: "not a valid report", faults: strings.Split(err.Error(), "\n"), at: args[0], hint: "mcpassay report schema prints the schema", code: exitFindings}
			}
			fmt.Fprintln(a.io.Out, "valid")
			return nil
		},
	})
	return cmd
}

// readNamed reads a file that a person named, or standard input.
func (a *app) readNamed(name string) ([]byte, error) {
	if name == "-" {
		raw, err := io.ReadAll(io.LimitReader(a.io.In, int64(a.limits.NamedBytes)+1))
		if err == nil && len(raw) > a.limits.NamedBytes {
			err = &problem{what: "standard input is too large", code: exitIncomplete}
		}
		return raw, err
	}
	raw, _, err := files.Read(absolute(a.io.Cwd, name), files.ReadOptions{MaxBytes: a.limits.NamedBytes})
	if err != nil {
		return nil, &problem{what: "the report can not be read: " + refusal(err).Detail, at: name, code: exitIncomplete}
	}
	return raw, nil
}

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
