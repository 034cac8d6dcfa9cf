package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// WrongType is card/wrong-type.
var WrongType = &rule.Rule{
	ID:       "card/wrong-type",
	Title:    "a field of another type than the protocol's",
	Trigger:  "A field of a card has another JSON type than the specification gives it: clients that check answers refuse the whole list.",
	Message:  "{names}: {what} is {is}, not {want}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Aliases: []string{"INVALID_TOOL_NAME_TYPE", "INVALID_TITLE_TYPE", "INVALID_DESCRIPTION_TYPE", "INVALID_ANNOTATIONS_TYPE", "INVALID_ANNOTATION_VALUE",
		"INVALID_EXECUTION_METADATA", "INVALID_INPUTSCHEMA", "INVALID_INPUTSCHEMA_TYPE", "INVALID_OUTPUTSCHEMA", "INVALID_OUTPUTSCHEMA_TYPE"},
	Since: "0.1.0",
	Fix:   finding.Manual, FixDescription: "Write the value in the type that the specification has.",
	Surface: tell,
}

func (v *survey) wrongType(c *card.Card, m *members) {
	is := func(n source.Node, what string, want source.Kind) {
		if !n.Valid() || n.Kind() == want {
			return
		}
		k := fault{rule: "card/wrong-type", what: what, is: n.Kind().String(), want: want.String()}
		if n.Kind() == source.Null && n != c.NameNode && n != m.name && n != c.Input {
			// Languages that write null for what is not set are common, and some clients are lenient.
			k.severity, k.message = finding.Warning, "{names}: {what} is null, and must be left out or be {want}"
		}
		v.add(c, rule.At(n), k)
	}
	s := v.server
	switch c.Kind {
	case card.Tool, card.Prompt:
		is(c.NameNode, "name", source.String)
	case card.Resource:
		is(c.NameNode, "uri", source.String)
		is(m.name, "name", source.String)
	case card.Template:
		is(c.NameNode, "uriTemplate", source.String)
		is(m.name, "name", source.String)
	}
	is(c.Description, "description", source.String)
	if s.Since(rev202506) {
		is(c.Title, "title", source.String)
		is(m.meta, "_meta", source.Object)
	}
	if s.Since(rev202511) {
		is(m.icons, "icons", source.Array)
	}
	switch c.Kind {
	case card.Tool:
		is(c.Input, "inputSchema", source.Object)
		if s.Since(rev202506) {
			is(c.Output, "outputSchema", source.Object)
		}
		if s.Since(rev202511) && !(s.Revision >= rev202607) {
			is(m.execution, "execution", source.Object)
		}
		if s.Since(rev202503) && c.Annotations.Valid() {
			is(c.Annotations, "annotations", source.Object)
			for n := range c.Annotations.Children() {
				switch key := n.Key(); key {
				case "title":
					is(n, "annotations.title", source.String)
				case "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint":
					is(n, "annotations."+key, source.Bool)
				}
			}
		}
	case card.Prompt:
		is(m.arguments, "arguments", source.Array)
	case card.Resource, card.Template:
		is(m.mime, "mimeType", source.String)
		is(c.Annotations, "annotations", source.Object)
		if c.Kind == card.Resource {
			is(m.size, "size", source.Number)
		}
	}
}
