package card

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// CaseDiffers is card/case-differs.
var CaseDiffers = &rule.Rule{
	ID:       "card/case-differs",
	Title:    "tools that differ only in case",
	Trigger:  "Two tools of a server have names that differ in upper and lower case alone.",
	Message:  "{names}: differs from another tool in upper and lower case alone",
	Severity: finding.Warning,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Rename one of the tools.",
	Surface: tell,
}

func (v *survey) caseDiffers() {
	first := make(map[string]*card.Card, len(v.server.Cards))
	for c := range v.server.Of(card.Tool) {
		if c.Name == "" {
			continue
		}
		key := strings.ToLower(c.Name)
		switch o := first[key]; {
		case o == nil:
			first[key] = c
		case o.Name != c.Name:
			v.add(c, rule.At(c.NameNode), fault{rule: "card/case-differs"})
		}
	}
}
