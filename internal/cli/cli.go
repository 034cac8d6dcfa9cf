// Package cli is how people ask: flags in, report out, one exit table. It is the only place that opens the doors of
// internal/effect and hands them to a flow.
package cli

//go:generate go run ../tool/gendocs ../../docs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpassay/mcpassay/internal/effect/sandbox"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Version is the product's. Releases set it with -ldflags.
var Version = "0.1.0"

// app is one run.
type app struct {
	io     IO
	ctx    context.Context
	limits limits.Set
	code   int
	// children says that the verb has processes or folders to end before this one may.
	children atomic.Bool
	// lasting says that the verb stays until it is interrupted, and ends well then.
	lasting atomic.Bool
	// audit is what the run leaves in a log.
	audit audit
}

// Main runs the command line and answers the exit code.
func Main(args []string, s IO) int {
	if len(args) > 0 && args[0] == sandbox.Word { // this program as a part of a sandbox
		return sandbox.Child(args[1:])
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	a := &app{io: s, ctx: ctx, limits: limits.Default}
	root := a.root(args)
	root.SetArgs(args)
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	select {
	case err := <-done:
		if err != nil {
			return explainError(s.Err, err)
		}
		return a.code
	case <-ctx.Done():
		stop() // whoever interrupts again does not wait
		if a.children.Load() {
			select {
			case err := <-done:
				if err == nil && a.lasting.Load() {
					return a.code
				}
			case <-time.After(a.limits.InterruptTime):
			}
		}
		return a.interrupted()
	}
}

// verb is a command by its name, and how it is made.
type verb struct {
	name string
	make func() *cobra.Command
}

func (a *app) verbs() []verb {
	return []verb{
		{"lint", a.lint}, {"scan", a.scan}, {"probe", a.probe}, {"doctor", a.doctor}, {"demo", a.demo},
		{"guard", a.guard}, {"pin", a.pin}, {"approve", a.approve}, {"verify", a.verify}, {"diff", a.diff}, {"import", a.importVerb}, {"lock", a.lock},
		{"search", a.search}, {"info", a.info}, {"why", a.why}, {"list", a.list}, {"sync", a.sync},
		{"rules", a.rules}, {"explain", a.explain}, {"auth", a.auth}, {"eval", a.eval}, {"clients", a.clients}, {"config", a.config},
		{"serve", a.serve}, {"report", a.report}, {"log", a.log}, {"keygen", a.keygen}, {"contract", a.contract},
		{"version", a.version}, {"completion", a.completion}, {"exit-codes", a.exitCodesTopic},
	}
}

// root makes the command line. Where args begin with the name of a verb it holds that one alone: all of them with their flags take
// longer to make than most verbs take to run.
func (a *app) root(args []string) *cobra.Command {
	root := parent(&cobra.Command{
		Use:   "mcpassay",
		Short: "Make MCP servers trustworthy",
		Long: "mcpassay checks what your agents can reach: the config files that name MCP servers\n" +
			"and what those get wrong, leak and run; what a server exposes and how it behaves;\n" +
			"and whether that is still what you approved.",
		Example: "  mcpassay doctor                 every client's config on this machine\n" +
			"  mcpassay lint                   the config files of this project\n" +
			"  mcpassay scan URL               what a server exposes, tool by tool\n" +
			"  mcpassay probe URL              how a server behaves: a grade from A to F\n" +
			"  mcpassay explain http-no-tls    what a rule finds, and how to fix it",
		SilenceErrors: true, SilenceUsage: true,
		Version: Version,
	})
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetIn(a.io.In)
	root.SetOut(a.io.Out)
	root.SetErr(a.io.Err)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpTemplate(helpTemplate)
	if a.io.Width > 0 {
		root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", a.io.Width)))
	}
	root.SetHelpCommand(help())
	ordinary := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		// "mcpassay lnit --help" reaches the help of the verb above.
		if typed := cmd.Flags().Args(); len(typed) > 0 && cmd.HasAvailableSubCommands() {
			a.code = explainError(a.io.Err, unknownCommand(cmd, typed[0]))
			return
		}
		ordinary(cmd, args)
	})
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddGroup(
		&cobra.Group{ID: "check", Title: "Check:"},
		&cobra.Group{ID: "trust", Title: "Trust:"},
		&cobra.Group{ID: "packages", Title: "Packages:"},
		&cobra.Group{ID: "know", Title: "Understand:"},
		&cobra.Group{ID: "more", Title: "More:"},
	)
	verbs := a.verbs()
	if i := slices.IndexFunc(verbs, func(v verb) bool { return len(args) > 0 && args[0] == v.name }); i >= 0 {
		verbs = verbs[i : i+1]
	}
	for _, v := range verbs {
		c := v.make()
		fillHelp(c)
		if len(verbs) > 1 { // a shell asks all of them
			completeFlags(c)
		}
		root.AddCommand(c)
	}
	root.SetHelpCommandGroupID("more")
	return root
}

// parent makes cmd one that only holds other commands: alone it prints its help.
func parent(cmd *cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(cmd, args[0])
	}
	return cmd
}

// noArgs refuses arguments with a hint.
func noArgs(hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usage(hint, "unexpected argument %q", args[0])
		}
		return nil
	}
}

func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := cmd.CommandPath() + " --help"
	if near := text.Nearest(name, names, 1); len(near) > 0 {
		hint = "did you mean " + cmd.CommandPath() + " " + near[0] + "?"
	}
	return usage(hint, "unknown command %q", name)
}

// help is the verb that prints the help of another one.
func help() *cobra.Command {
	return &cobra.Command{
		Use: "help [VERB]", Short: "Help about any command", ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if at, _, err := cmd.Root().Find(args); err == nil {
				for _, c := range at.Commands() {
					if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
						names = append(names, c.Name()+"\t"+c.Short)
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			at := cmd.Root()
			for _, name := range args {
				i := slices.IndexFunc(at.Commands(), func(c *cobra.Command) bool { return c.Name() == name })
				if i < 0 {
					return unknownCommand(at, name)
				}
				at = at.Commands()[i]
			}
			at.InitDefaultHelpFlag()
			return at.Help()
		},
	}
}

// flagError names the flag that a mistyped one may have meant.
func flagError(cmd *cobra.Command, err error) error {
	hint := cmd.CommandPath() + " --help"
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if near := text.Nearest(unknown.GetSpecifiedName(), names, 1); len(near) > 0 {
			hint = "did you mean --" + near[0] + "? " + hint + " lists them"
		}
	}
	if slices.Contains([]string{"scan", "pin", "diff"}, cmd.Name()) && unknown != nil && cmd.Flags().NArg() > 0 { // a flag of the command to start
		hint = cmd.CommandPath() + " -- " + safe(cmd.Flags().Arg(0)) + " …, as a command stands behind --"
	}
	return usage(hint, "%s", err)
}

const helpTemplate = `{{with (or .Long .Short)}}{{. | trimTrailingWhitespaces}}

{{end}}{{if or .Runnable .HasSubCommands}}{{.UsageString}}{{end}}`

// touches is the annotation that says what a verb touches, exits the one of a verb with exit codes of its own.
const (
	touches = "touches"
	exits   = "exits"
)

// fillHelp completes the help of a verb: what it touches, and the exit codes.
func fillHelp(c *cobra.Command) {
	if t := c.Annotations[touches]; t != "" {
		codes := cmp.Or(c.Annotations[exits], "0 clean, 1 findings or skipped, 2 incomplete or refused")
		c.Long = fmt.Sprintf("%s\n\nTouches: %s.\nExit: %s\n      (mcpassay help exit-codes).", orShort(c), t, codes)
	}
	for _, sub := range c.Commands() {
		fillHelp(sub)
	}
}

func orShort(c *cobra.Command) string {
	if c.Long != "" {
		return c.Long
	}
	return c.Short + "."
}

func (a *app) exitCodesTopic() *cobra.Command {
	return &cobra.Command{Use: "exit-codes", Short: "What each exit code means",
		Long: "The exit codes of every verb and format:\n\n" + exitText(a.io.Width)}
}

// safe is a stranger's text in a message: it drives nothing, and no secret in it can be read.
func safe(s string) string { return text.Line(secret.Mask(s), 0) }
