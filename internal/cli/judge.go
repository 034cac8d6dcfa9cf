package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/effect/git"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/grade"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/report"
)

// judging is what every verb that judges takes: which rules, what fails, and where the report goes.
type judging struct {
	app     *app
	verb    string
	format  string
	json    bool
	outputs []string
	policy  policyFlags
	env     string
	// platform overrides the operating system that is an input of the rules.
	platform      string
	deterministic bool
	today         string
	verbose       bool
	color         string
	failOn        finding.Severity // the verb's own threshold
	countAdvice   bool
	minGrade      string // probe's: the run fails below it
	started       time.Time
	// policyDir is the folder of the policy file, "" for the built-in policy.
	policyDir string
	// inputs are the files that were checked or should have been: no report may be written onto one.
	inputs []string
	// verdict is the exit code of a result where the verb has a table of its own; own writes the document that --json prints
	// where that is not the report. Either may be nil.
	verdict func(*engine.Result) int
	own     func(w io.Writer, res *engine.Result) error
}

type policyFlags struct {
	file    string
	profile string
	failOn  string
	choose  []string
	ignore  []string
}

func (a *app) judging(cmd *cobra.Command, verb string) *judging { return a.reporting(cmd, verb, true) }

// reporting is judging for a verb that may leave rules and thresholds to nobody's choice.
func (a *app) reporting(cmd *cobra.Command, verb string, choice bool) *judging {
	j := &judging{app: a, verb: verb, failOn: finding.Error, countAdvice: true}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&j.format, "format", "f", "text", "what to print: "+strings.Join(report.Formats(), ", "))
	f.BoolVar(&j.json, "json", false, "the same as --format json")
	f.StringArrayVarP(&j.outputs, "output", "o", nil, "also write a report to `FILE`, its format taken from the suffix (may be repeated)")
	if !choice {
		f.StringVar(&j.policy.profile, "profile", "", "strict lets no difference pass: "+strings.Join(policy.ProfileNames(), ", "))
	} else {
		f.StringVar(&j.policy.failOn, "fail-on", "", "exit 1 from this `SEVERITY` on: error, warning, info, never")
		f.StringVar(&j.policy.profile, "profile", "", "rule set: "+strings.Join(policy.ProfileNames(), ", "))
		f.StringSliceVar(&j.policy.choose, "select", nil, "run only these `RULES` (ids, aliases, patterns)")
		f.StringSliceVar(&j.policy.ignore, "ignore", nil, "do not run these `RULES`")
	}
	f.StringVar(&j.env, "env", "inherit", "environment variables that rules may look up: inherit, none")
	f.StringVar(&j.platform, "platform", "", "judge as on linux, darwin or windows")
	f.BoolVar(&j.deterministic, "deterministic", false, "equal input gives an equal report: no clock, no environment (with --today where suppressions expire)")
	f.StringVar(&j.today, "today", "", "the date (`YYYY-MM-DD`) for expiry")
	f.BoolVarP(&j.verbose, "verbose", "v", false, "list every info finding and what was left out")
	f.StringVar(&j.color, "color", "auto", "colour: auto, always, never")
	return j
}

// check validates the flags that do not depend on a policy.
func (j *judging) check() error {
	j.started = j.app.io.Now()
	if log := j.app.audit.path(); log != "" {
		j.inputs = append(j.inputs, log)
	}
	if j.json {
		j.format = "json"
	}
	if !slices.Contains(report.Formats(), j.format) {
		return usage("one of "+strings.Join(report.Formats(), ", "), "unknown format %q", j.format)
	}
	for _, o := range j.outputs {
		if _, ok := report.FormatOf(o); !ok {
			return usage("use .json, .jsonl, .sarif, .xml, .md, .html or .txt", "the suffix of %q names no report format", o)
		}
	}
	if !slices.Contains([]string{"inherit", "none"}, j.env) {
		return usage("use inherit or none", "unknown --env %q", j.env)
	}
	if !slices.Contains([]string{"auto", "always", "never"}, j.color) {
		return usage("use auto, always or never", "unknown --color %q", j.color)
	}
	switch j.platform = cmp.Or(j.platform, j.app.io.Platform); j.platform {
	case "macos", "mac":
		j.platform = "darwin"
	case "win32", "win":
		j.platform = "windows"
	case "linux", "darwin", "windows":
	default:
		if j.platform != j.app.io.Platform {
			return usage("use linux, darwin or windows", "unknown --platform %q", j.platform)
		}
	}
	if j.deterministic {
		j.env = "none"
	}
	if j.today != "" {
		if _, err := time.Parse(time.DateOnly, j.today); err != nil {
			return usage("write it as YYYY-MM-DD, such as 2027-01-31", "--today %q is no date", j.today)
		}
	}
	return nil
}

func (j *judging) date() time.Time {
	if j.today != "" {
		d, _ := time.Parse(time.DateOnly, j.today)
		return d
	}
	return j.app.io.Now()
}

// clientEnv is the environment that the client table is expanded with. Where files are found is no rule input, so
// it always looks at the real environment.
func (j *judging) clientEnv() client.Env {
	return client.Env{OS: j.platform, Home: j.app.io.Home, Getenv: j.app.io.Getenv}.Remembering()
}

// facts are the rules' inputs beside the files.
func (j *judging) facts() *facts {
	return &facts{io: j.app.io, platform: j.platform, env: j.env == "inherit"}
}

// listsSubjects says that a report that is asked for lists what was judged.
func (j *judging) listsSubjects() bool {
	return report.ListsSubjects(j.format) || slices.ContainsFunc(j.outputs, func(name string) bool {
		format, _ := report.FormatOf(name)
		return report.ListsSubjects(format)
	})
}

// finish prints and writes the reports of a result and sets the exit code.
func (j *judging) finish(res *engine.Result, p *policy.Policy, base string) error {
	for _, s := range res.Skipped {
		j.inputs = append(j.inputs, j.absolute(base, s.Path))
	}
	for _, i := range res.Incomplete {
		j.inputs = append(j.inputs, j.absolute(base, i.Path))
	}
	for _, path := range res.Excluded {
		j.inputs = append(j.inputs, j.absolute(base, path))
	}
	for _, name := range j.outputs {
		if j.isInput(absolute(j.app.io.Cwd, name)) {
			return usage("write the report to another file", "%s is a file that was checked", name)
		}
	}
	rep, env := j.build(res, p, base)
	j.app.audit.judged(rep.Summary, rep.Policy)
	var out bytes.Buffer
	print := func() error { return report.Write(&out, j.format, rep, env) }
	if j.json && j.own != nil {
		print = func() error { return j.own(&out, res) }
	}
	if err := print(); err != nil {
		return err
	}
	if _, err := j.app.io.Out.Write(out.Bytes()); err != nil {
		return &problem{what: "the report can not be printed: " + err.Error(), code: exitIncomplete}
	}
	if c := res.Score; j.minGrade != "" && c != nil && !grade.AtLeast(c, j.minGrade) {
		fmt.Fprintf(j.app.io.Err, "the grade is %s, and --min-grade wants %s\n", cmp.Or(c.Grade, "none"), j.minGrade)
	}
	for _, name := range j.outputs {
		if err := j.write(name, rep, env); err != nil {
			return err
		}
	}
	j.app.code = rep.Exit
	return nil
}

// build makes the report of a result.
func (j *judging) build(res *engine.Result, p *policy.Policy, base string) (*report.Report, report.Env) {
	if j.listsSubjects() && res.Describe != nil {
		res.Subjects = res.Describe(res.Findings)
	}
	failOn := cmp.Or(p.FailOn, j.failOn)
	code := exitOf(res, failOn, j.countAdvice)
	if j.verdict != nil {
		code = j.verdict(res)
	}
	if code == exitClean && j.minGrade != "" && (res.Score == nil || !grade.AtLeast(res.Score, j.minGrade)) {
		code = exitFindings
	}
	env := report.Env{
		Version: Version, Verb: j.verb, StartedAt: j.started, Platform: j.platform, EnvMode: j.env,
		Deterministic: j.deterministic, Profile: p.Profile.Name, FailOn: failOn, PolicySource: p.Source, Shape: shape(p), Exit: code,
		Verbose: j.verbose, Color: j.app.io.colour(j.color), Width: j.app.io.Width, Rules: ruleInfo,
		Abs: func(path string) string { return j.absolute(base, path) },
		GitRoot: func(abs string) (string, bool) {
			r, ok := git.FindRepo(filepath.Dir(abs))
			if !ok {
				return "", false
			}
			return r.Root, true
		},
	}
	return report.Build(res, env), env
}

// shape is what a report says a policy and the flags changed.
func shape(p *policy.Policy) report.Shape {
	s := report.Shape{Select: p.Select, Ignore: p.Ignore}
	for id, severity := range p.Severity {
		if s.Severity == nil {
			s.Severity = map[string]string{}
		}
		s.Severity[id] = severity.String()
	}
	ran := p.Rules()
	for _, r := range p.Profile.Rules() {
		if !slices.Contains(ran, r) {
			s.Left++
		}
	}
	return s
}

// isInput says whether a path leads to an input, by whatever name.
func (j *judging) isInput(path string) bool {
	if slices.Contains(j.inputs, path) {
		return true
	}
	there, err := os.Stat(path)
	return err == nil && slices.ContainsFunc(j.inputs, func(in string) bool {
		input, err := os.Stat(in)
		return err == nil && os.SameFile(there, input)
	})
}

// write puts one report into a file.
func (j *judging) write(name string, rep *report.Report, env report.Env) error {
	format, _ := report.FormatOf(name)
	path := absolute(j.app.io.Cwd, name)
	env.Color, env.Width = false, 0
	var b bytes.Buffer
	if err := report.Write(&b, format, rep, env); err != nil {
		return err
	}
	if err := files.WriteAtomic(path, b.Bytes(), files.WriteOptions{}); err != nil {
		return &problem{what: "the report can not be written: " + refusal(err).Detail, at: name, hint: "name a folder that exists and can be written to", code: exitIncomplete}
	}
	return nil
}

func (j *judging) absolute(base, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(j.app.io.Home, filepath.FromSlash(rest))
	}
	p := filepath.FromSlash(path)
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(base, p)
}

// ruleInfo is what reports say about a rule.
func ruleInfo(id string) (report.RuleInfo, bool) {
	r, ok := catalog.ByID(id)
	if !ok {
		return report.RuleInfo{}, false
	}
	return report.RuleInfo{ID: r.ID, Title: r.Title, Severity: r.Severity, Confidence: r.Confidence, Text: catalog.Page(id),
		URL: rulePage(id), Tags: r.Tags, Aliases: r.Aliases, OWASP: r.OWASP, CWE: r.CWE}, true
}

// rulePage is the address of a rule's page.
func rulePage(id string) string {
	return "https://github.com/mcpassay/mcpassay/blob/main/docs/rules/" + id + ".md"
}
