package behave

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// GenericName is card/generic-name.
var GenericName = &rule.Rule{
	ID:      "card/generic-name",
	Title:   "a name that says nothing",
	Trigger: "A tool is named with a single verb or filler that any server may have (run, get, process). Only the profile strict runs this rule.",
	Message: "The name {tool} does not say what the tool works on",

	Severity: finding.Info,
	Tags:     []string{rule.Behaviour},
	Aliases:  []string{"GENERIC_TOOL_NAME"},
	OWASP:    "MCP03",
	CWE:      []int{1099},
	Since:    "0.1.0",
	Once:     once,
	Card:     genericName,
}

const generic = "run call do exec execute process send search query get set update delete create tool request action invoke perform handle fetch"

func genericName(p *rule.Pass, c *card.Card) {
	if c.Kind == card.Tool && len(c.Name) <= len("execute") && slices.Contains(strings.Fields(generic), strings.ToLower(c.Name)) {
		p.Report(rule.At(c.NameNode), rule.Args{"tool": c.Name}, rule.WithKind("name"))
	}
}
