package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// UnportableSchema is card/unportable-schema.
var UnportableSchema = &rule.Rule{
	ID:       "card/unportable-schema",
	Title:    "a schema that a client does not take",
	Trigger:  "inputSchema is valid and has a shape that the client at hand is known not to take: a parameter without a type, an odd name, a $ref.",
	Message:  "{names}: {what}. {by}: {is}",
	Severity: finding.Info,
	Tags:     []string{rule.Portability},
	Aliases:  []string{"ARRAY_ITEMS_MISSING", "OBJECT_SCHEMA_WITHOUT_PROPERTIES", "SCHEMA_TYPE_MISSING", "UNSAFE_PROPERTY_NAME"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Each finding says which shape the client takes.",
	Surface: tell,
}

const unportable = "card/unportable-schema"

// propertyNames holds the parameters' names against what the Anthropic API takes.
func (v *survey) propertyNames(c *card.Card) {
	for n := range c.Parameters() {
		if !portableName(n.Key(), v.pass.Limits.PropertyNameBytes) {
			v.shape(c, client.PropertyName, rule.Key(n), unportable,
				"a parameter's name is longer than 64 characters or holds others than A-Z, a-z, 0-9, _, . and -", "rename the parameter")
		}
	}
}

func portableName(s string, most int) bool {
	if s == "" || len(s) > most {
		return false
	}
	for _, r := range s {
		if !nameRune(r) {
			return false
		}
	}
	return true
}

// typing are the keywords that say what a value is without type.
var typing = [...]string{"type", "$ref", "$dynamicRef", "anyOf", "oneOf", "allOf", "enum", "const", "not", "if", "properties", "items"}

// shapes looks for the shapes at any depth of a schema.
func (v *survey) shapes(c *card.Card, n source.Node, property bool) {
	if n.Kind() != source.Object {
		return
	}
	kind := n.Get("type")
	typed := false
	for _, key := range typing {
		typed = typed || n.Get(key).Valid()
	}
	switch {
	case property && !typed:
		v.shape(c, client.UntypedProperty, rule.At(n), unportable, "a parameter says nothing of its type", "add a type, also where any value will do")
	case kind.Kind() == source.Array:
		v.shape(c, client.TypeArray, rule.At(kind), unportable, "a type is a list", `use one type, and say in the description what null means; or anyOf`)
	case kind.Text() == "array" && !n.Get("items").Valid() && !n.Get("prefixItems").Valid():
		v.shape(c, client.UntypedItems, rule.At(n), unportable, "an array says nothing of its items", `add "items"`)
	case property && kind.Text() == "object" && n.Get("properties").Len() == 0:
		v.shape(c, client.OpenObject, rule.At(n), unportable, "an object has no properties", "list its properties, or take the value as a string of JSON")
	}
	for m := range n.Children() {
		switch m.Key() {
		case "$ref":
			v.shape(c, client.Reference, rule.At(m), unportable, "a schema stands elsewhere ($ref)", "write the schema out where it is used")
		case "properties", "$defs", "definitions", "patternProperties", "dependentSchemas":
			for p := range m.Children() {
				v.shapes(c, p, m.Key() == "properties")
			}
		case "default", "const", "enum", "examples", "required": // values, not schemas
		case "additionalProperties":
			v.shape(c, client.ClosedObject, rule.Key(m), unportable, "additionalProperties is set", "leave it out: the server can still refuse what it does not know")
			v.shapes(c, m, false)
		default:
			v.shapes(c, m, false)
			if m.Kind() == source.Array {
				for p := range m.Children() {
					v.shapes(c, p, false)
				}
			}
		}
	}
}
