package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ruleRow is one rule in `rules --format json` (product.md).
type ruleRow struct {
	ID             string             `json:"id"`
	Category       string             `json:"category"`
	Title          string             `json:"title"`
	Severity       finding.Severity   `json:"severity"`
	Confidence     finding.Confidence `json:"confidence"`
	Trigger        string             `json:"trigger"`
	Message        string             `json:"message"`
	Tags           []string           `json:"tags"`
	Aliases        []string           `json:"aliases"`
	OWASP          string             `json:"owasp"`
	CWE            []int              `json:"cwe"`
	Clients        []string           `json:"clients"`
	Profiles       []string           `json:"profiles"`
	Since          string             `json:"since"`
	Stability      string             `json:"stability"`
	Fix            string             `json:"fix"`
	FixDescription string             `json:"fixDescription"`
	Needs          []rule.Need        `json:"needs"`
	Page           string             `json:"page"`
}

func rowOf(r *rule.Rule) ruleRow {
	category, _, _ := strings.Cut(r.ID, "/")
	row := ruleRow{ID: r.ID, Category: category, Title: r.Title, Severity: r.Severity, Confidence: r.Confidence, Trigger: r.Trigger,
		Message: r.Message, Tags: r.Tags, Aliases: list(r.Aliases), OWASP: r.OWASP, CWE: list(r.CWE), Clients: r.Clients,
		Profiles: list(policy.ProfilesOf(r)), Since: r.Since, Stability: "stable", Fix: string(r.Fix), FixDescription: r.FixDescription,
		Needs: list(r.Needs), Page: rulePage(r.ID)}
	if r.Experimental {
		row.Stability = "experimental"
	}
	if len(row.Clients) == 0 {
		row.Clients = []string{"all"}
	}
	if row.Fix == "" {
		row.Fix = "none"
	}
	return row
}

// list is never nil, so that JSON shows [].
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

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

func (a *app) rules() *cobra.Command {
	var format func() (bool, error)
	cmd := &cobra.Command{
		Use: "rules [NAME...]", Short: "List the rules", GroupID: "know",
		Long:    "List every rule, or those that a name or a pattern means.",
		Example: "  mcpassay rules\n  mcpassay rules 'launch/*'\n  mcpassay rules --format json", ValidArgsFunction: completeRules,
		RunE: func(cmd *cobra.Command, args []string) error {
			all := catalog.All()
			if len(args) > 0 {
				all = nil
				for _, name := range args {
					some, err := rulesNamed(name)
					if err != nil {
						return err
					}
					all = append(all, some...)
				}
			}
			asJSON, err := format()
			if err != nil {
				return err
			}
			if !asJSON {
				a.ruleList(all)
				return nil
			}
			rows := make([]ruleRow, 0, len(all))
			for _, r := range all {
				rows = append(rows, rowOf(r))
			}
			return a.printJSON(rows)
		},
	}
	format = listFormat(cmd)
	return cmd
}

// ruleList prints rules by category, the columns of each as wide as it needs.
func (a *app) ruleList(all []*rule.Rule) {
	word := 0
	for _, r := range all {
		word = max(word, len(r.Severity.String()))
	}
	category := func(r *rule.Rule) string { c, _, _ := strings.Cut(r.ID, "/"); return c }
	for start, end := 0, 0; start < len(all); start = end {
		wide := 0
		for end = start; end < len(all) && category(all[end]) == category(all[start]); end++ {
			wide = max(wide, len(all[end].ID))
		}
		if start > 0 {
			fmt.Fprintln(a.io.Out)
		}
		for _, r := range all[start:end] {
			fmt.Fprint(a.io.Out, hanging(fmt.Sprintf("%-*s  %s", word, r.Severity, r.ID), r.Title+fixMark(r), word+2+wide+2, a.io.Width))
		}
	}
}

func fixMark(r *rule.Rule) string {
	switch r.Fix {
	case finding.Safe:
		return " (--fix)"
	case finding.Unsafe:
		return " (--fix=unsafe)"
	}
	return ""
}

// rulesNamed is every rule that a name means, or an error with the nearest names.
func rulesNamed(name string) ([]*rule.Rule, error) {
	if found := catalog.Match(name); len(found) > 0 {
		return found, nil
	}
	hint := "mcpassay rules lists them"
	if near := catalog.Suggest(name); len(near) > 0 {
		for i, n := range near {
			if strings.Contains(n, "*") {
				near[i] = "'" + n + "'" // a shell may refuse it otherwise
			}
		}
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return nil, usage(hint, "no rule is named %q", name)
}

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
				type page struct {
					ruleRow
					Text string `json:"text"`
				}
				pages := make([]page, 0, len(all))
				for _, r := range all {
					pages = append(pages, page{rowOf(r), catalog.Page(r.ID)})
				}
				return a.printJSON(pages)
			}
			for i, r := range all {
				if i > 0 {
					fmt.Fprintln(a.io.Out)
				}
				fmt.Fprint(a.io.Out, reflow(catalog.Page(r.ID), a.io.Width))
				fmt.Fprintf(a.io.Out, "\n%s\n", factsOf(r, a.io.Width))
			}
			return nil
		},
	}
	format = listFormat(cmd)
	return cmd
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
	line("silence", "ignore: [\""+r.ID+"\"] in mcpassay.yaml, or mcpassay: ignore["+r.ID+"] owner=… until=… reason, as a comment")
	return b.String()
}

func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.io.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
