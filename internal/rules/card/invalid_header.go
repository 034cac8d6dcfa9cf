package card

import (
	"bytes"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// InvalidHeader is card/invalid-header.
var InvalidHeader = &rule.Rule{
	ID:       "card/invalid-header",
	Title:    "a parameter that can not be a header",
	Trigger:  "An x-mcp-header breaks a rule of 2026-07-28: clients then drop the tool.",
	Message:  "{names}: an x-mcp-header {what}: clients drop the tool",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write the header as the specification has it: a token, on a property of a plain type, once a tool.",
	Surface: tell,
}

const headerKey = "x-mcp-header"

func (v *survey) invalidHeader(c *card.Card) {
	if !v.server.Since(rev202607) || !bytes.Contains(c.Input.Raw(), []byte(headerKey)) {
		return
	}
	h := headers{survey: v, card: c, seen: map[string]bool{}}
	h.schema(c.Input, false, true)
}

// headers looks at every x-mcp-header of a schema (SEP-2243).
type headers struct {
	*survey
	card *card.Card
	seen map[string]bool // in lower case
}

func (h *headers) wrong(n source.Node, what string) {
	h.add(h.card, rule.At(n), fault{rule: "card/invalid-header", what: what})
}

// schema looks at a schema. Only a property that is reached through properties alone may be a header: plain says that
// the way so far is of that kind, property that this is one.
func (h *headers) schema(n source.Node, property, plain bool) {
	for m := range n.Children() {
		switch key := m.Key(); key {
		case headerKey:
			h.header(n, m, property && plain)
		case "properties":
			for p := range m.Children() {
				h.schema(p, true, plain)
			}
		case "default", "const", "enum", "examples": // values, not schemas
		case "$defs", "definitions", "patternProperties", "dependentSchemas":
			for d := range m.Children() {
				h.schema(d, true, false)
			}
		default:
			h.schema(m, m.Kind() == source.Object, false)
		}
	}
}

func (h *headers) header(schema, n source.Node, reachable bool) {
	name, ok := n.Str()
	switch lower := strings.ToLower(name); {
	case !ok:
		h.wrong(n, "is no string")
	case !token(name):
		h.wrong(n, "is no name of a header")
	case h.seen[lower]:
		h.wrong(n, "has a name that another one has, in whatever case")
	default:
		h.seen[lower] = true
	}
	if !reachable {
		h.wrong(n, "stands where no property is, or where only some calls have it")
		return
	}
	// The specification speaks of strings, integers and booleans; its own conformance suite has numbers too.
	switch schema.Get("type").Text() {
	case "string", "integer", "boolean", "number":
	default:
		h.wrong(n, "stands at a parameter that is no string, integer or boolean")
	}
}
