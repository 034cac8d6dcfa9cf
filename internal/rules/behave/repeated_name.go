package behave

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// RepeatedName is card/repeated-name.
var RepeatedName = &rule.Rule{
	ID:      "card/repeated-name",
	Title:   "a description that only repeats the name",
	Trigger: "A tool's description has the words of its name and no other.",
	Message: "The description of {tool} says no more than its name",

	Severity: finding.Info,
	Tags:     []string{rule.Behaviour},
	Aliases:  []string{"DESCRIPTION_REPEATS_NAME"},
	OWASP:    "MCP03",
	CWE:      []int{1059},
	Since:    "0.1.0",
	Once:     once,
	Card:     repeatedName,
}

func repeatedName(p *rule.Pass, c *card.Card) {
	text := c.Description.Text()
	if c.Kind != card.Tool || text == "" || len(text) > 2*len(c.Name)+len(" tool the a.") {
		return
	}
	name := card.AppendWords(nil, c.Name)
	words := slices.DeleteFunc(card.AppendWords(nil, text), func(w string) bool { return w == "tool" || w == "the" || w == "a" || w == "an" })
	if len(name) > 0 && slices.Equal(name, words) {
		p.Report(rule.At(c.Description), rule.Args{"tool": c.Label()}, rule.WithKind("description"))
	}
}
