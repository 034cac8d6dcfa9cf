package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/report"
)

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
	})
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
