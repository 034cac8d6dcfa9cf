package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/text"
)

func (a *app) lint() *cobra.Command {
	var o struct {
		global, allowEmpty, diff bool
		client, fix              string
	}
	var j *judging
	cmd := &cobra.Command{
		Use:     "lint [PATH...]",
		Short:   "Check the MCP config files, tool lists, manifest and lock of a project, or any file",
		GroupID: "check",
		Long: "Check MCP client config files, saved tool lists, server.json and mcpassay.lock. A folder\n" +
			"is searched, at any depth, for the files that clients read, for *tools*.json and\n" +
			"*surface*.json, for server.json and mcpassay.lock; a file may have any name; - is\n" +
			"standard input. Without a PATH it is the working folder.",
		Example: "  mcpassay lint\n  mcpassay lint --global --fail-on warning\n  mcpassay lint .vscode/mcp.json --format sarif --output lint.sarif\n" +
			"  mcpassay lint --diff            show what --fix would change",
		Annotations: map[string]string{touches: "files only: no process, no network"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := j.check(); err != nil {
				return err
			}
			opt := lint.Options{Paths: args, Global: o.global, Env: j.clientEnv(), Cwd: a.io.Cwd, Stdin: a.io.In, Limits: a.limits, Command: a.command}
			if len(args) == 0 {
				opt.Paths = []string{"."}
			}
			if slices.Contains(args, "") { // a variable that is not set, most likely
				return usage("name a file or a folder, or none for the working folder", "a PATH is empty")
			}
			// The value of --fix stands behind "=": else it is taken for a PATH.
			for _, word := range []string{"safe", "unsafe"} {
				if o.fix != "" && slices.Contains(args, word) && !exists(absolute(a.io.Cwd, word)) {
					return usage("did you mean --fix="+word+"?", "%s does not exist", word)
				}
			}
			if o.client != "" {
				c, err := clientNamed(o.client)
				if err != nil {
					return err
				}
				opt.Client = c
			}
			return j.lint(opt, o.allowEmpty, fixMode{flag: o.fix, diff: o.diff})
		},
	}
	j = a.judging(cmd, "lint")
	f := cmd.Flags()
	f.BoolVar(&o.global, "global", false, "also check the user's own config files")
	f.StringVar(&o.client, "client", "", "read the files as this `CLIENT`'s, and judge tool cards for it (see mcpassay clients)")
	f.StringVar(&j.policy.file, "policy", "", "read the policy from `FILE` instead of the nearest mcpassay.yaml")
	f.BoolVar(&o.allowEmpty, "allow-empty", false, "having nothing to check is no failure")
	f.BoolVar(&o.diff, "diff", false, "show fixes as a diff and change nothing: every fix, or with --fix those that it makes")
	f.StringVar(&o.fix, "fix", "", "apply safe fixes; --fix=unsafe applies those that need your knowledge too")
	f.Lookup("fix").NoOptDefVal = "safe"
	a.audited(cmd)
	return cmd
}

// clientNamed finds a client by its id or alias.
func clientNamed(name string) (*client.Client, error) {
	if c, ok := client.ByID(strings.ToLower(name)); ok {
		return c, nil
	}
	hint := "mcpassay clients lists them"
	if near := text.Nearest(name, client.Names(), 1); len(near) > 0 {
		hint = "did you mean " + near[0] + "? " + hint
	}
	return nil, usage(hint, "unknown client %q", name)
}

func (j *judging) lint(opt lint.Options, allowEmpty bool, fix fixMode) error {
	if err := fix.check(); err != nil {
		return err
	}
	base := j.app.io.Cwd
	d := j.disk()
	if len(opt.Paths) == 1 && opt.Paths[0] != "-" {
		if abs := absolute(j.app.io.Cwd, opt.Paths[0]); d.IsDir(abs) {
			base = abs
		}
	}
	p, err := j.loadPolicy(base, true)
	if err != nil {
		return err
	}
	j.app.audit.targets(opt.Paths...)
	set := lint.Collect(d, opt)
	for _, f := range set.Files {
		j.inputs = append(j.inputs, f.Abs)
	}
	for _, f := range set.Cards {
		j.inputs = append(j.inputs, f.Abs)
	}
	for _, f := range set.Locks {
		j.inputs = append(j.inputs, f.Abs)
	}
	for _, f := range set.Manifests {
		j.inputs = append(j.inputs, f.Inputs()...)
	}
	set.Today = j.date()
	rules := lintRules(p)
	set.EveryClient = p.Profile.EveryClient
	res := set.Judge(rules, d.facts)
	if len(set.Files)+len(set.Cards)+len(set.Locks)+len(set.Manifests)+len(set.Skipped)+len(set.Incomplete) == 0 && !allowEmpty {
		return &problem{what: "nothing to check: no MCP config file found", at: strings.Join(opt.Paths, ", "),
			hint: "mcpassay clients --paths shows where clients keep them; --global adds your own; --allow-empty makes this exit 0", code: exitIncomplete}
	}
	if fix.on() {
		if res, err = j.fix(set, res, p, d, fix); err != nil {
			return err
		}
	}
	how := []policy.Option{policy.Files(set.Files, j.policyDir), policy.Ran(rules)}
	if !j.whole(opt.Paths, d) {
		how = append(how, policy.OnlyPart())
	}
	res.Findings = p.Apply(res.Findings, set.Docs(), j.date(), how...)
	return j.finish(res, p, base)
}

// whole says whether a folder was named that holds the policy's, so that the run saw all that the policy is about.
func (j *judging) whole(paths []string, d *disk) bool {
	return slices.ContainsFunc(paths, func(p string) bool {
		abs := absolute(j.app.io.Cwd, p)
		rel, err := filepath.Rel(abs, j.policyDir)
		return err == nil && filepath.IsLocal(rel) && d.IsDir(abs)
	})
}

// lintRules are the policy's rules without those about a machine: whether a program is installed is doctor's.
func lintRules(p *policy.Policy) []*rule.Rule {
	return slices.DeleteFunc(p.Rules(), func(r *rule.Rule) bool { return strings.HasPrefix(r.ID, "doctor/") })
}
