package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"
)

// listFormat adds --format to a verb that prints a list; what it answers says whether that is to be JSON.
func listFormat(cmd *cobra.Command) func() (asJSON bool, err error) {
	format := cmd.Flags().StringP("format", "f", "text", "what to print: text, json")
	return func() (bool, error) {
		if *format != "text" && *format != "json" {
			return false, usage("use text or json", "unknown format %q", *format)
		}
		return *format == "json", nil
	}
}

func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.io.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
