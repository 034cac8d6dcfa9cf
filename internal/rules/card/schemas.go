package card

import (
	"strconv"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/schema"
	"github.com/mcpassay/mcpassay/internal/source"
)

// schemas judges the schemas of a tool, each in the dialect that it declares.
func (v *survey) schemas(c *card.Card) {
	for _, n := range [...]source.Node{c.Input, c.Output} {
		if n.Kind() != source.Object {
			continue
		}
		r := schema.Check(n, v.options)
		for _, f := range r.Faults {
			at := rule.At(f.Node)
			if f.Key {
				at = rule.Key(f.Node)
			}
			if k := v.ofSchema(f, r.Declared.Valid()); k.rule != "" {
				k.by = k.by + f.Kind.String()
				v.add(c, at, k)
			}
		}
	}
}

// ofSchema is what a finding says of a fault of a schema; without a rule it says nothing.
func (v *survey) ofSchema(f schema.Fault, declared bool) fault {
	keyword := f.Node.Key()
	if !f.Node.IsMember() {
		keyword = f.Node.Parent().Key()
	}
	k := fault{rule: "card/invalid-schema", what: keyword, want: f.Want}
	switch f.Kind {
	case schema.NotSchema:
		return fault{rule: k.rule, is: f.Node.Kind().String(), message: "{names}: {is} stands where a schema belongs"}
	case schema.WrongType, schema.OutOfRange:
	case schema.UnknownType:
		k.is, k.message = strconv.Quote(f.Name), "{names}: {is} is no type of JSON Schema"
	case schema.Empty:
		if f.Legal {
			return fault{rule: "card/impossible-schema", what: keyword, message: `{names}: no value is in an empty "{what}"`}
		}
		k.message = `{names}: "{what}" must not be empty`
	case schema.Duplicate:
		if f.Legal {
			return fault{}
		}
		k.message = `{names}: "{what}" lists one thing twice`
	case schema.TupleItems:
		k.message = `{names}: "items" is a list, which 2020-12 calls "prefixItems"`
		if !declared && !(v.server.Revision >= rev202511) {
			k.severity = finding.Warning // the older revisions name no dialect
		}
	case schema.BadName:
		k.message = `{names}: "{what}" holds no name that JSON Schema allows`
	case schema.SameName:
		k.severity, k.is, k.message = finding.Warning, strconv.Quote(f.Name), "{names}: two schemas are called {is}"

	case schema.BadPattern:
		return fault{rule: "card/invalid-pattern", want: f.Want}
	case schema.LoosePattern:
		return fault{rule: "card/invalid-pattern", severity: finding.Info, want: f.Want, message: "{names}: a pattern compiles only without the u flag: {want}"}
	case schema.UnsafePattern:
		return fault{rule: "card/unsafe-pattern"}
	case schema.Inverted:
		return fault{rule: "card/impossible-schema", what: keyword, is: f.Other.Key()}
	case schema.Undefined:
		return fault{rule: "card/undefined-required", what: f.Name, confidence: finding.Medium}
	case schema.OtherDialect:
		return fault{rule: "card/ignored-keyword", what: keyword}
	case schema.NestedDialect:
		return fault{rule: "card/ignored-keyword", what: "$schema", message: `{names}: "{what}" does nothing below the root of a schema`}
	case schema.UnknownDialect:
		return fault{rule: "card/unknown-dialect", is: strconv.Quote(f.Name)}
	case schema.Dangling:
		return fault{rule: "card/dangling-ref", is: strconv.Quote(f.Name)}
	case schema.Elsewhere:
		return fault{rule: "card/dangling-ref", is: strconv.Quote(f.Name), message: "{names}: the reference {is} leads to a document that no client has"}
	case schema.BadURI:
		return fault{rule: "card/dangling-ref", is: strconv.Quote(f.Name), message: "{names}: the reference {is} is no URI"}
	case schema.Network:
		return fault{rule: "card/network-ref", is: strconv.Quote(f.Name)}
	case schema.Endless:
		return fault{rule: "card/endless-schema", is: strconv.Quote(f.Name)}
	case schema.Maze:
		return fault{rule: "card/endless-schema", message: "{names}: the references of the schema blow it up beyond measure when they are written out"}
	case schema.TooMany:
		return fault{rule: "card/unjudged-schema", what: "the schema holds too many schemas"}
	case schema.TooDeep:
		return fault{rule: "card/unjudged-schema", what: "the schema nests too deep"}
	case schema.MoreFaults:
		return fault{rule: "card/unjudged-schema", what: "the schema has too many faults", message: "{names}: {what} to list them all"}
	}
	return k
}
