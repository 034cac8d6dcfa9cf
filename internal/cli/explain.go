package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/rule"
)

func (a *app) explain() *cobra.Command {
	var format func() (bool, error)
	cmd := &cobra.Command{
		Use: "explain RULE", Short: "Show what a rule finds, why, and how to fix it", GroupID: "know",
		Long: "Show the page of a rule, with examples. RULE is an id, the part of it after the\n" +
			"slash, an id of another tool that we know it by, or a pattern.",
		Example: "  mcpassay explain mcp-security/http-no-tls\n  mcpassay explain WRD-AUTH-NOAUTH",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("mcpassay rules lists them", "explain needs the name of a rule")
			}
			return nil
		},
		ValidArgsFunction: completeRules,
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := format()
			if err != nil {
				return err
			}
			var all []*rule.Rule
			for _, name := range args {
				some, err := rulesNamed(name)
				if err != nil {
					return err
				}
				all = append(all, some...)
			}
			if asJSON {
				return a.printJSON(pageRows(all))
			}
			writePages(a.io.Out, all, a.io.Width)
			return nil
		},
	}
	format = listFormat(cmd)
	return cmd
}

// rulePageRow is one rule in `explain --format json`.
type rulePageRow struct {
	ruleRow
	Text string `json:"text"`
}

func pageRows(all []*rule.Rule) []rulePageRow {
	pages := make([]rulePageRow, 0, len(all))
	for _, r := range all {
		pages = append(pages, rulePageRow{rowOf(r), catalog.Page(r.ID)})
	}
	return pages
}

// writePages prints the pages of rules, in lines of width columns, 0 for as they are.
func writePages(w io.Writer, all []*rule.Rule, width int) {
	for i, r := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprint(w, reflow(catalog.Page(r.ID), width))
		fmt.Fprintf(w, "\n%s\n", factsOf(r, width))
	}
}

// factsOf is what a rule's page does not say: it is the rule's data. Lines are width columns long, 0 for no limit.
func factsOf(r *rule.Rule, width int) string {
	row := rowOf(r)
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			b.WriteString(hanging(name, value, 12, width))
		}
	}
	line("severity", r.Severity.String()+", confidence "+r.Confidence.String())
	line("fires when", r.Trigger)
	line("tags", strings.Join(r.Tags, ", "))
	line("also known", strings.Join(r.Aliases, ", "))
	if r.OWASP != "" {
		line("OWASP MCP", r.OWASP)
	}
	var cwe []string
	for _, n := range r.CWE {
		cwe = append(cwe, fmt.Sprintf("CWE-%d", n))
	}
	line("CWE", strings.Join(cwe, ", "))
	if r.Fix != "" {
		line("fix", string(r.Fix)+": "+r.FixDescription)
	}
	var needs []string
	for _, n := range r.Needs {
		needs = append(needs, string(n))
	}
	line("looks at", strings.Join(needs, ", "))
	line("profiles", strings.Join(row.Profiles, ", "))
	line("since", r.Since)
	if r.Lock != nil { // no policy lets a change pass
		line("silence", "approve what is there now: mcpassay approve SERVER")
		return b.String()
	}
	one := "mcpassay: ignore[" + r.ID + "] owner=… until=… reason, as a comment"
	if r.Card != nil || r.Surface != nil || r.Cards != nil { // what a server answers has no comments
		one = "under suppressions there {rule: " + r.ID + ", tool: NAME, reason: …, owner: …, expires: YYYY-MM-DD} for one tool"
	}
	if r.Manifest != nil { // strict JSON has no comments
		one = "under suppressions there {rule: " + r.ID + ", reason: …, owner: …, expires: YYYY-MM-DD}"
	}
	line("silence", "ignore: [\""+r.ID+"\"] in mcpassay.yaml, or "+one)
	return b.String()
}
