package card

import (
	"unicode"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// InvalidName is card/invalid-name.
var InvalidName = &rule.Rule{
	ID:       "card/invalid-name",
	Title:    "a name that is no tool name",
	Trigger:  "A tool's name is longer than 128 characters or holds others than A-Z, a-z, 0-9, _, - and . (SEP-986).",
	Message:  "{names}: the name holds {what}",
	Severity: finding.Warning,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"TOOL_NAME_SPEC_VIOLATION", "TOOL_NAME_TOO_LONG", "TOOL_NAME_UNSTABLE_CHARACTERS"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Rename it with A-Z, a-z, 0-9, _, - and . alone.",
	Surface: tell,
}

func (v *survey) invalidName(c *card.Card) {
	odd, blank := false, false
	for _, r := range c.Name {
		if !nameRune(r) {
			odd = true
			blank = blank || unicode.IsSpace(r) || unicode.IsControl(r)
		}
	}
	k := fault{rule: "card/invalid-name"}
	switch {
	case blank: // no client takes it, whatever the revision (modelcontextprotocol/modelcontextprotocol#1063)
		k.severity, k.what = finding.Error, "white space or a control character, which clients refuse"
	case !v.server.Since(rev202511):
		return
	case odd:
		k.what = "others than A-Z, a-z, 0-9, _, - and ."
	}
	if k.what != "" {
		v.add(c, rule.At(c.NameNode), k)
	}
	if len(c.Name) > v.pass.Limits.ToolNameBytes && v.server.Since(rev202511) {
		v.add(c, rule.At(c.NameNode), fault{rule: "card/invalid-name", message: "{names}: the name is longer than 128 characters"})
	}
}

func nameRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r == '-' || r == '.'
}
