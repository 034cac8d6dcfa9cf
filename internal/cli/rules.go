package cli

import (
	"fmt"
	"io"
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
				listRules(a.io.Out, all, a.io.Width)
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

// listRules prints rules by category, the columns of each as wide as it needs, in lines of width columns, 0 for no limit.
func listRules(w io.Writer, all []*rule.Rule, width int) {
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
			fmt.Fprintln(w)
		}
		for _, r := range all[start:end] {
			fmt.Fprint(w, hanging(fmt.Sprintf("%-*s  %s", word, r.Severity, r.ID), r.Title+fixMark(r), word+2+wide+2, width))
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
