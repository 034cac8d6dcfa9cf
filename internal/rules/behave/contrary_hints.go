package behave

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ContraryHints is card/contrary-hints.
var ContraryHints = &rule.Rule{
	ID:      "card/contrary-hints",
	Title:   "a tool that says it only reads and destroys",
	Trigger: "A tool sets readOnlyHint and destructiveHint to true: the second has a meaning only where the first is false.",
	Message: "The tool {tool} says that it is read-only and destructive",

	Severity: finding.Info,
	Tags:     []string{rule.Behaviour},
	Aliases:  []string{"ANNOTATION_CONFLICT_DESTRUCTIVE_READ_ONLY"},
	OWASP:    "MCP03",
	CWE:      []int{451},
	Since:    "0.1.0",
	Once:     once,
	Card:     contraryHints,
}

func contraryHints(p *rule.Pass, c *card.Card) {
	readOnly, _ := c.Hint("readOnlyHint")
	if destructive, _ := c.Hint("destructiveHint"); readOnly && destructive {
		p.Report(rule.At(c.Annotations.Get("destructiveHint")), rule.Args{"tool": c.Label()}, rule.WithKind("hints"))
	}
}
