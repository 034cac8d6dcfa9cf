package cli

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/flow/probe"
	"github.com/mcpassay/mcpassay/internal/flow/scan"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/report"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/text"
)

// demoFiles is a small project of hostile and clean configs, and the tools of a hostile server. In their names "dot-" stands for a dot and "~" for a
// slash, so that no client and no scanner takes them for real.
//
//go:embed demo
var demoFiles embed.FS

func (a *app) demo() *cobra.Command {
	var j *judging
	cmd := &cobra.Command{
		Use: "demo", Short: "Check an example project and an endpoint that are part of this program", GroupID: "check",
		Long:        "Check an example project with clean and hostile configs, and the tools of a hostile\nserver, and grade an endpoint within this program. Nothing is installed, started or asked.",
		Example:     "  mcpassay demo\n  mcpassay demo --format json",
		Annotations: map[string]string{touches: "nothing", exits: "0 whatever it finds, 2 refused"},
		Args:        noArgs("mcpassay demo takes no path: use mcpassay lint PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := j.check(); err != nil {
				return err
			}
			set, err := a.demoSet()
			if err != nil {
				return err
			}
			p := policy.Default()
			if err := p.Merge(policy.Flags{Profile: j.policy.profile, Select: j.policy.choose, Ignore: j.policy.ignore, FailOn: j.policy.failOn}); err != nil {
				return flagProblem(err)
			}
			fmt.Fprintf(a.io.Err, "An example project: %s, and what one server exposes. This is what mcpassay lint says of them.\n", text.Count(len(set.Files), "config file"))
			res := set.Judge(lintRules(p), demoFacts{})
			res.Findings = p.Apply(res.Findings, set.Docs(), j.date())
			if err := j.finish(res, p, a.io.Cwd); err != nil {
				return err
			}
			if err := a.demoEndpoint(cmd.Context(), j); err != nil {
				return err
			}
			fmt.Fprintf(a.io.Err, "\nNow your own: mcpassay doctor (this machine), mcpassay lint (this folder), mcpassay scan and mcpassay probe (a server).\n")
			a.code = exitClean // it shows what it was made to show
			return nil
		},
	}
	j = a.judging(cmd, "demo")
	return cmd
}

// demoEndpoint shows the grade of the endpoint that is part of the program, where people read: a report for programs is one
// document.
func (a *app) demoEndpoint(ctx context.Context, j *judging) error {
	if j.format != "text" {
		return nil
	}
	set := load.NewSet(nil, a.limits)
	surfaces := probe.Demo(ctx, probe.Options{Client: "mcpassay", ClientVersion: Version, Limits: a.limits})
	if err := scan.Read(set, surfaces[0].Label, "", scan.Document(surfaces), nil, a.limits); err != nil {
		return err
	}
	fmt.Fprintf(a.io.Err, "\nAn endpoint with a fault for each check. This is the grade that mcpassay probe gives it (mcpassay probe fixture://demo says why).\n")
	return report.WriteScore(a.io.Out, probe.Score(set, demoFacts{}), a.io.colour(j.color), a.io.Width)
}

func (a *app) demoSet() (*load.Set, error) {
	set := load.NewSet(nil, a.limits)
	env := client.Env{OS: a.io.Platform, Home: "/home/you", Getenv: func(string) string { return "" }}
	err := fs.WalkDir(demoFiles, "demo", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := demoFiles.ReadFile(name)
		if err != nil {
			return err
		}
		shown := strings.NewReplacer("~", "/", "dot-", ".").Replace(strings.TrimPrefix(name, "demo/"))
		set.AddBytes(load.Ask{Where: client.Where{Path: shown, Abs: path.Join("/example", shown), Root: "/example", Env: env}}, raw, nil)
		return nil
	})
	return set, err
}

// demoFacts is the world of the example: committed files on no particular machine.
type demoFacts struct{}

func (demoFacts) Platform() string                        { return "linux" }
func (demoFacts) Home() string                            { return "" }
func (demoFacts) Exists(string) rule.Tri                  { return rule.Unknown }
func (demoFacts) Tracked(*client.File) (rule.Tri, string) { return rule.Yes, "" }
func (demoFacts) Env(string) rule.Tri                     { return rule.Unknown }
func (demoFacts) OnPath(string) rule.Tri                  { return rule.Unknown }
