package card

import (
	"strconv"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// RootNotObject is card/root-not-object.
var RootNotObject = &rule.Rule{
	ID:       "card/root-not-object",
	Title:    "a schema whose root is no object",
	Trigger:  `The root of inputSchema does not say "type": "object", as every revision requires; that of outputSchema does not, before 2026-07-28.`,
	Message:  `{names}: {what} has no "type": "object" at its root: clients refuse the tool, or the whole list`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"ROOT_SCHEMA_NOT_OBJECT"},
	Since:    "0.1.0",
	Fix:      finding.Safe, FixDescription: `Add "type": "object" where the root has no type.`,
	Surface: tell,
}

func (v *survey) rootNotObject(c *card.Card) {
	root := func(schema source.Node, what string) {
		if schema.Kind() != source.Object {
			return
		}
		is := schema.Get("type")
		k := fault{rule: "card/root-not-object", what: what}
		switch {
		case !is.Valid():
			v.add(c, rule.At(schema), k)
			v.Of(k).With(rule.WithFix(finding.Safe, `add "type": "object"`, v.typed(k, schema)...))
		case is.Text() != "object":
			k.is, k.message = is.Kind().String(), `{names}: the type of {what} is {is}, and must be "object"`
			if text, ok := is.Str(); ok {
				k.is = strconv.Quote(text)
			}
			k.remedy = `say "type": "object"`
			v.add(c, rule.At(is), k)
		}
	}
	root(c.Input, "inputSchema")
	// SEP-2106 lets a tool answer anything; who speaks an older revision must still answer an object.
	if s := v.server; s.Revision != "" && s.Revision >= rev202506 && s.Revision < rev202607 {
		root(c.Output, "outputSchema")
	}
}

// typed are the edits that give a type to every root of the fault so far.
func (v *survey) typed(k fault, schema source.Node) []finding.Edit {
	if v.edits == nil {
		v.edits = map[fault][]finding.Edit{}
	}
	v.edits[k] = append(v.edits[k], schema.Insert("type", `"object"`))
	return v.edits[k]
}
