package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/report"
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
			if err := report.Validate(raw); err != nil {
				return &problem{what: "not a valid report", faults: strings.Split(err.Error(), "\n"), at: args[0], hint: "mcpassay report schema prints the schema", code: exitFindings}
			}
			fmt.Fprintln(a.io.Out, "valid")
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
			rep, err := report.Read(raw)
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
		Use: "decisions FILE", Short: "Print a report's decision on each tool (- is standard input)",
		Long: "Print, from a JSON report, whether a client should offer each tool: include it,\n" +
			"have a person approve it, or block it; with the risk and the reasons.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("mcpassay report decisions report.json", "decisions needs one file")
			}
			raw, err := a.readNamed("report", args[0], "", a.limits.NamedBytes)
			if err != nil {
				return err
			}
			out, unchecked, err := report.Decisions(raw)
			if err != nil {
				return &problem{what: "not a valid report", faults: strings.Split(err.Error(), "\n"), at: args[0], hint: "mcpassay lint --format json makes one", code: exitIncomplete}
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
