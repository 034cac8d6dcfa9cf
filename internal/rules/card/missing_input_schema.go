package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MissingInputSchema is card/missing-input-schema.
var MissingInputSchema = &rule.Rule{
	ID:       "card/missing-input-schema",
	Title:    "a tool without inputSchema",
	Trigger:  "A tool has no inputSchema, which every revision requires, also of a tool without parameters.",
	Message:  "{names}: inputSchema is missing: clients refuse the whole list",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"MISSING_INPUTSCHEMA"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: `Add "inputSchema": {"type": "object"}.`,
	Surface: tell,
}

func (v *survey) missingInputSchema(c *card.Card) {
	if c.Input.Valid() {
		return
	}
	k := fault{rule: "card/missing-input-schema"}
	if !answered(v.server) {
		// Catalogs leave it out of lists that no client reads.
		k.severity, k.message = finding.Warning, "{names}: inputSchema is missing: clients refuse a list with such a tool"
	}
	v.add(c, rule.At(c.Node), k)
}

// answered says that the document holds what a server answered, not a list that somebody made of it.
func answered(s *card.Server) bool {
	if s.Introduced() || s.Saved {
		return true
	}
	for _, page := range s.Pages {
		if page.Parent().Get("jsonrpc").Valid() {
			return true
		}
	}
	return false
}
