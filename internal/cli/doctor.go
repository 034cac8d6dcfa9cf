package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/doctor"
	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/flow/scan"
	"github.com/mcpassay/mcpassay/internal/policy"
)

func (a *app) doctor() *cobra.Command {
	var o struct {
		configs    []string
		noDiscover bool
		report     bool
		home       string
		pin        doctorPin
	}
	var j *judging
	asking := pflag.NewFlagSet("", pflag.ContinueOnError)
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check every MCP client's config on this machine", GroupID: "check",
		Long: "Check every place where an MCP client keeps its config, for you and for the\n" +
			"project around the working folder, and say what to do next. It edits nothing,\n" +
			"starts nothing and asks nobody; with --pin it first does what mcpassay pin does.",
		Example:     "  mcpassay doctor\n  mcpassay doctor --config ./mcp.json --no-discover\n  mcpassay doctor --config ./mcp.json --pin\n  mcpassay doctor --json\n  mcpassay doctor --report",
		Annotations: map[string]string{touches: "files only: no process, no network; with --pin what mcpassay pin does"},
		Args:        noArgs("doctor takes no path: use --config FILE, or mcpassay lint PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.home != "" {
				a.io.Home = absolute(a.io.Cwd, o.home)
			}
			if err := j.check(); err != nil {
				return err
			}
			if o.noDiscover && len(o.configs) == 0 {
				return usage("mcpassay doctor --config FILE --no-discover", "--no-discover leaves nothing to read without --config")
			}
			if err := o.pin.check(a, asking, o.configs); err != nil {
				return err
			}
			opt := doctor.Options{NoDiscover: o.noDiscover, Env: j.clientEnv(), Cwd: a.io.Cwd, Limits: a.limits, Command: a.command}
			typed := map[string]string{}
			for _, c := range o.configs {
				abs := absolute(a.io.Cwd, c)
				opt.Configs = append(opt.Configs, abs)
				typed[abs] = lint.Named(c, a.io.Cwd, a.io.Home)
			}
			opt.Shown = func(abs string) string { return cmp.Or(typed[abs], j.shown(abs)) }
			if o.report {
				if cmd.Flags().Changed("format") || j.json || len(j.outputs) > 0 || o.pin.on {
					return usage("mcpassay doctor --report, or mcpassay doctor --json\n  mcpassay doctor --report", "--report is a text of its own, and goes with no format, file or pin")
				}
				return j.pasteable(opt)
			}
			var first func(*doctor.Visit) error
			if o.pin.on {
				first = func(v *doctor.Visit) error { return o.pin.run(cmd.Context(), j, v) }
			}
			return j.doctor(opt, first)
		},
	}
	j = a.judging(cmd, "doctor")
	j.failOn, j.countAdvice = finding.Info, false
	f := cmd.Flags()
	f.StringArrayVar(&o.configs, "config", nil, "check this `FILE` too, whatever it is called (may be repeated)")
	f.BoolVar(&o.noDiscover, "no-discover", false, "check the --config files only")
	f.BoolVar(&o.report, "report", false, "print a text to paste into a public report of a bug: numbers, no names, paths, arguments or values")
	f.BoolVar(&o.pin.on, "pin", false, "first pin the servers of the --config files that no lock covers, unapproved (takes the flags of mcpassay pin that say how servers are started and reached)")
	f.BoolVar(&o.pin.yes, "yes", false, "with --pin: start them without asking")
	o.pin.reach.flags(asking)
	asking.VisitAll(func(one *pflag.Flag) { one.Hidden = true })
	f.AddFlagSet(asking)
	f.StringVar(&j.policy.file, "policy", "", "read the policy from `FILE` (a repository's own is not read)")
	f.StringVar(&o.home, "home", "", "take this folder for the home folder")
	_ = f.MarkHidden("home")
	_ = f.MarkHidden("platform")
	return cmd
}

func (j *judging) doctor(opt doctor.Options, first func(*doctor.Visit) error) error {
	res, p, err := j.examine(opt, first)
	if err != nil {
		return err
	}
	return j.finish(res, p, opt.Cwd)
}

// examine looks at the machine and judges what it found. What is to be done before that, first does; nil for nothing.
func (j *judging) examine(opt doctor.Options, first func(*doctor.Visit) error) (*engine.Result, *policy.Policy, error) {
	p, err := j.loadPolicy(opt.Cwd, false)
	if err != nil {
		return nil, nil, err
	}
	d := j.disk()
	opt.Today = j.date()
	v := doctor.Look(d, opt)
	for _, f := range v.Files {
		j.inputs = append(j.inputs, f.Abs)
	}
	if first != nil {
		if err := first(v); err != nil {
			return nil, nil, err
		}
	}
	j.inputs = append(j.inputs, v.Inputs()...)
	res := v.Judge(p.Rules(), d.facts)
	for _, n := range v.Notes {
		fmt.Fprintf(j.app.io.Err, "note: %s\n", safe(n))
	}
	res.Findings = p.Apply(res.Findings, nil, j.date(), policy.WithoutComments(), policy.Files(v.Files, j.policyDir))
	scan.Place(res.Findings, v.Cards)
	res.Posture, res.Health = v.Posture(res), v.Health(res, d.facts)
	res.Guards = v.Guards(j.app.logged(), j.guardPolicy())
	return res, p, nil
}
