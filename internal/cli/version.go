package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/catalog"
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

func (a *app) completion() *cobra.Command {
	return &cobra.Command{
		Use: "completion SHELL", Short: "Write a completion script for bash, zsh, fish or powershell", GroupID: "more",
		Long:    "Write a completion script.\n\n  bash        source <(mcpassay completion bash)\n  zsh         mcpassay completion zsh > \"${fpath[1]}/_mcpassay\"\n  fish        mcpassay completion fish > ~/.config/fish/completions/mcpassay.fish\n  powershell  mcpassay completion powershell | Out-String | Invoke-Expression\n\nbash needs the package bash-completion for it.",
		Example: "  mcpassay completion bash", ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("mcpassay completion bash, zsh, fish or powershell", "completion needs the name of a shell")
			}
			root := cmd.Root()
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
