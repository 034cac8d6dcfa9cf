package card

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// MissingName is card/missing-name.
var MissingName = &rule.Rule{
	ID:       "card/missing-name",
	Title:    "a card without its name",
	Trigger:  "A tool or a prompt has no name, a resource no uri or name, or a template no uriTemplate or name, or an empty one.",
	Message:  "{names}: {what} is missing or empty",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"MISSING_TOOL_NAME"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Give it a name.",
	Surface: tell,
}

func (v *survey) missingName(c *card.Card, m *members) {
	missing := func(n source.Node, what string) {
		at := n
		switch {
		case !n.Valid():
			at = c.Node
		case n.Kind() != source.String || strings.TrimSpace(n.Text()) != "":
			return
		}
		v.add(c, rule.At(at), fault{rule: "card/missing-name", what: what})
	}
	switch c.Kind {
	case card.Resource:
		missing(c.NameNode, "uri")
	case card.Template:
		missing(c.NameNode, "uriTemplate")
	}
	missing(m.name, "name")
}
