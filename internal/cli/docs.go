package cli

import (
	"bytes"
	_ "embed" // probe.md
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/flow/probe"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// probePage is docs/probe.md without its table of requests.
//
//go:embed probe.md
var probePage string

// Docs are the generated pages under docs, by path: the reference of every verb, the exit codes, a page for
// each rule, the contract, and the score on the embedded corpus. `make gen` writes them; a test fails when one is stale.
func Docs() map[string]string {
	pages := map[string]string{}
	a := &app{limits: limits.Default, io: IO{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Getenv: func(string) string { return "" }}}
	root := a.root(nil)
	var index strings.Builder
	index.WriteString("# The command line\n\nGenerated from the program: `mcpassay help VERB` prints the same.\n\n| verb | does | touches |\n|---|---|---|\n")
	for _, c := range root.Commands() {
		if !c.IsAvailableCommand() || c.Name() == "help" {
			continue
		}
		pages["cli/"+c.Name()+".md"] = commandPage(c)
		fmt.Fprintf(&index, "| [%s](%s.md) | %s | %s |\n", c.Name(), c.Name(), c.Short, c.Annotations[touches])
	}
	pages["cli/README.md"] = index.String()
	var exits strings.Builder
	exits.WriteString("# Exit codes\n\nOne table for every verb and every format.\n\n")
	writeExitTable(&exits)
	pages["exit-codes.md"] = exits.String()
	pages["accuracy.md"] = accuracyPage()
	pages["probe.md"] = strings.Replace(probePage, "TABLE\n", probe.Table(), 1)
	pages["contract.json"] = contractPage()
	rulePages(pages)
	return pages
}

func commandPage(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n```\n%s\n```\n", c.CommandPath(), orShort(c), c.UseLine())
	if c.Example != "" {
		fmt.Fprintf(&b, "\n## Examples\n\n```\n%s\n```\n", strings.ReplaceAll(strings.TrimRight(c.Example, "\n"), "\n  ", "\n")[2:])
	}
	if c.HasAvailableLocalFlags() {
		b.WriteString("\n## Flags\n\n| flag | meaning |\n|---|---|\n")
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			name, use := pflag.UnquoteUsage(f)
			short := ""
			if f.Shorthand != "" {
				short = "`-" + f.Shorthand + "`, "
			}
			if name != "" {
				name = " " + name
			}
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" {
				use += " (default " + f.DefValue + ")"
			}
			fmt.Fprintf(&b, "| %s`--%s%s` | %s |\n", short, f.Name, name, strings.ReplaceAll(use, "|", "\\|"))
		})
	}
	for _, sub := range c.Commands() {
		b.WriteString("\n#" + commandPage(sub))
	}
	return b.String()
}

func rulePages(pages map[string]string) {
	var index strings.Builder
	index.WriteString("# Rules\n\nGenerated: each page is what `mcpassay explain RULE` prints, and its examples are tests.\n")
	category := ""
	for _, r := range catalog.All() {
		c, fault, _ := strings.Cut(r.ID, "/")
		if c != category {
			category = c
			fmt.Fprintf(&index, "\n## %s\n\n| rule | severity | finds | fix |\n|---|---|---|---|\n", c)
		}
		fix := string(r.Fix)
		if fix == "" {
			fix = "–"
		}
		fmt.Fprintf(&index, "| [%s](%s.md) | %s | %s | %s |\n", fault, r.ID, r.Severity, r.Title, fix)
		pages["rules/"+r.ID+".md"] = rulePageText(r)
	}
	pages["rules/README.md"] = index.String()
}

func rulePageText(r *rule.Rule) string {
	return catalog.Page(r.ID) + "\n## Facts\n\n```\n" + factsOf(r, 0) + "```\n"
}
