package cli

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/report"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

func (a *app) report() *cobra.Command {
	cmd := parent(&cobra.Command{Use: "report", Short: "A report's JSON Schema, a check against it, its other formats, the decisions in it", GroupID: "more"})
	cmd.AddCommand(&cobra.Command{
		Use: "schema [report | lock]", Short: "Print the JSON Schema of `--format json`, or of mcpassay.lock",
		ValidArgs: []string{"report", "lock"},
		RunE: func(_ *cobra.Command, args []string) error {
			schema := report.Schema
			switch {
			case len(args) == 0 || len(args) == 1 && args[0] == "report":
			case len(args) == 1 && args[0] == "lock":
				schema = lock.Schema
			default:
				return usage("mcpassay report schema, or mcpassay report schema lock", "there are schemas of report and lock")
			}
			_, err := a.io.Out.Write(schema())
			return err
		},
	}, &cobra.Command{
		Use: "validate FILE", Short: "Check a report against the schema (- is standard input)",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("mcpassay report validate report.json", "validate needs one file")
			}
			raw, err := a.readNamed("report", args[0], "", a.limits.NamedBytes)
			if err != nil {
				return err
			}
			_, form, err := report.ReadAny(raw)
			switch {
			case err != nil && form != "":
				return &problem{what: "not a valid report of MCP Tool Card Linter", faults: strings.Split(err.Error(), "\n"), at: args[0], hint: "make it again", code: exitFindings}
			case err != nil:
				return &problem{what: "not a valid report", faults: strings.Split(err.Error(), "\n"), at: args[0], hint: "mcpassay report schema prints the schema", code: exitFindings}
			case form != "":
				fmt.Fprintln(a.io.Out, "valid: a report of "+form)
			default:
				fmt.Fprintln(a.io.Out, "valid")
			}
			return nil
		},
	}, a.render(), a.decisions())
	return cmd
}

// render is the verb that writes a report in another format.
func (a *app) render() *cobra.Command {
	var format, output, color string
	var verbose bool
	cmd := &cobra.Command{
		Use: "render FILE", Short: "Write a JSON report in another format (- is standard input)",
		Long: "Write a JSON report of a run that is over in another format. Nothing is judged\n" +
			"again, and the exit code is the report's.",
		Example:     "  mcpassay report render report.json --format sarif --output report.sarif",
		Annotations: map[string]string{exits: "that of the report, 2 for what is no report"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("mcpassay report render report.json", "render needs one file")
			}
			if output != "" && !cmd.Flags().Changed("format") {
				var ok bool
				if format, ok = report.FormatOf(output); !ok {
					return usage("add --format", "the suffix of %q names no report format", output)
				}
			}
			if !slices.Contains(report.Formats(), format) {
				return usage("one of "+strings.Join(report.Formats(), ", "), "unknown format %q", format)
			}
			if !slices.Contains([]string{"auto", "always", "never"}, color) {
				return usage("use auto, always or never", "unknown --color %q", color)
			}
			raw, err := a.readNamed("report", args[0], "", a.limits.NamedBytes)
			if err != nil {
				return err
			}
			rep, _, err := report.ReadAny(raw)
			if err != nil {
				return &problem{what: "not a valid report", faults: strings.Split(err.Error(), "\n"), at: args[0], hint: "mcpassay report validate says more", code: exitIncomplete}
			}
			env := report.Env{Version: rep.Tool.Version, Verb: rep.Run.Verb, Platform: rep.Run.Platform, EnvMode: rep.Run.Env, Profile: rep.Policy.Profile,
				FailOn: rep.Policy.FailOn, PolicySource: rep.Policy.Source, Shape: rep.Policy.Shape, Exit: rep.Exit, Verbose: verbose, Rules: ruleInfo,
				Deterministic: strings.HasPrefix(rep.Run.ID, "urn:sha256:")}
			if output == "" {
				env.Color, env.Width = a.io.colour(color), a.io.Width
			}
			var b bytes.Buffer
			if err := report.Write(&b, format, rep, env); err != nil {
				return err
			}
			a.code = min(rep.Exit, exitIncomplete)
			if output == "" {
				_, err = a.io.Out.Write(b.Bytes())
				return err
			}
			path := absolute(a.io.Cwd, output)
			if args[0] != "-" && path == absolute(a.io.Cwd, args[0]) {
				return usage("write to another file", "%s is the report itself", output)
			}
			if err := files.WriteAtomic(path, b.Bytes(), files.WriteOptions{}); err != nil {
				return &problem{what: "the report can not be written: " + refusal(err).Detail, at: output, hint: "name a folder that exists and can be written to", code: exitIncomplete}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVarP(&format, "format", "f", "text", "what to write: "+strings.Join(report.Formats(), ", "))
	f.StringVarP(&output, "output", "o", "", "write to `FILE` instead of standard output, its format taken from the suffix")
	f.BoolVarP(&verbose, "verbose", "v", false, "list every info finding and what was left out")
	f.StringVar(&color, "color", "auto", "colour: auto, always, never")
	return cmd
}

// decisions is the verb that takes the decisions on tools out of a report.
func (a *app) decisions() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "decisions FILE", Short: "Print a report's, or a lock's, decision on each tool (- is standard input)",
		Long: "Print, from a JSON report or from a mcpassay.lock, whether a client should offer each\n" +
			"tool: include it, have a person approve it, or block it; with the risk and the\n" +
			"reasons. What nobody approved in a lock is for a person to approve.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("mcpassay report decisions report.json", "decisions needs one file")
			}
			raw, err := a.readNamed("report", args[0], "", a.limits.NamedBytes)
			if err != nil {
				return err
			}
			var rep *report.Report
			if lock.Looks(filepath.ToSlash(args[0]), raw) {
				if rep, err = a.judgeLock(args[0], raw); err != nil {
					return err
				}
			} else if rep, _, err = report.ReadAny(raw); err != nil {
				return &problem{what: "not a valid report", faults: strings.Split(err.Error(), "\n"), at: args[0], hint: "mcpassay lint --format json makes one", code: exitIncomplete}
			}
			out, unchecked, err := report.Decisions(rep)
			if err != nil {
				return err
			}
			if unchecked > 0 {
				fmt.Fprintf(a.io.Err, "%s could not be checked: a tool that is not listed may be there\n", text.Count(unchecked, "item"))
				a.code = exitIncomplete
			}
			if output == "" {
				_, err = a.io.Out.Write(out)
				return err
			}
			path := absolute(a.io.Cwd, output)
			if path == absolute(a.io.Cwd, args[0]) {
				return usage("write the decisions to another file", "%s is the report itself", output)
			}
			if err := files.WriteAtomic(path, out, files.WriteOptions{}); err != nil {
				return &problem{what: "the decisions can not be written: " + refusal(err).Detail, at: output, hint: "name a folder that exists and can be written to", code: exitIncomplete}
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE` instead of standard output")
	return cmd
}

// judgeLock makes a report of what stands in a lock, with a decision on each tool. No policy has a say in it.
func (a *app) judgeLock(name string, raw []byte) (*report.Report, error) {
	j := &judging{app: a, verb: "report decisions", env: "none", started: a.io.Now()}
	f := lock.Open(name, absolute(a.io.Cwd, name), raw, a.limits)
	if f.Err != nil {
		return nil, (&lockFile{judging: j, path: f.Abs}).broken(f.Err, exitIncomplete)
	}
	set := load.NewSet(j.disk(), a.limits)
	if cards := card.Read(f.Doc); cards != nil {
		cards.Path, cards.Abs = f.Path, f.Abs
		cards.Unread = slices.DeleteFunc(cards.Unread, func(n source.Node) bool { s := f.Get(n.Key()); return s != nil && s.Unpinned })
		set.AddCards(cards)
	}
	pol := policy.Default()
	res := set.Judge(pol.Rules(), j.facts())
	res.Subjects = res.Describe(res.Findings)
	rep, _ := j.build(res, pol, a.io.Cwd)
	server := map[string]*lock.Server{}
	for _, s := range rep.Subjects {
		if s.Kind == "server" {
			server[s.ID] = f.Get(s.Name)
		}
	}
	for i := range rep.Subjects {
		s := &rep.Subjects[i]
		of := server[s.Parent]
		if of == nil || s.Decision != "include" {
			continue
		}
		if at, _ := f.Standing(of, j.date()); at != lock.Approved {
			s.Decision, s.Risk.Reasons = "approve", append(s.Risk.Reasons, "drift/unapproved")
		}
	}
	for _, s := range f.Servers {
		if s.Unpinned {
			rep.Incomplete = append(rep.Incomplete, finding.Incomplete{Path: f.Path, Cause: "surface", Detail: s.Name + " is locked and was never pinned: what it exposes is not known"})
		}
		if s.Partial != nil {
			rep.Incomplete = append(rep.Incomplete, finding.Incomplete{Path: f.Path, Cause: "surface", Detail: s.Name + " was imported, and holds no surface"})
		}
	}
	return rep, nil
}

// readNamed reads a file that a person named, or standard input. With a base, a link out of that folder is refused.
func (a *app) readNamed(what, name, base string, max int) ([]byte, error) {
	if name == "-" {
		raw, err := io.ReadAll(io.LimitReader(a.io.In, int64(max)+1))
		if err == nil && len(raw) > max {
			err = &problem{what: "standard input is too large", code: exitIncomplete}
		}
		return raw, err
	}
	raw, _, err := files.Read(absolute(a.io.Cwd, name), files.ReadOptions{MaxBytes: max, Base: base})
	if err != nil {
		return nil, &problem{what: "the " + what + " can not be read: " + refusal(err).Detail, at: name, code: exitIncomplete}
	}
	return raw, nil
}
