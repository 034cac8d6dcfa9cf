package card

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// LooseSchema is card/loose-schema.
var LooseSchema = &rule.Rule{
	ID:       "card/loose-schema",
	Title:    "schemas that take anything",
	Trigger:  "Parameters have no bounds (maxLength, maxItems, minimum and maximum), or objects take properties that the schema does not name.",
	Message:  "{count} tools take more than they say: {names} ({what})",
	One:      "{names} takes more than it says ({what})",
	Severity: finding.Info,
	Tags:     []string{rule.Hygiene},
	Aliases: []string{"ADDITIONAL_PROPERTIES_ALLOWED", "ADDITIONAL_PROPERTIES_SCHEMA_BROAD", "ADDITIONAL_PROPERTIES_UNSPECIFIED", "ARRAY_BOUND_RECOMMENDED",
		"INEFFECTIVE_SIZE_BOUND", "NUMERIC_BOUNDS_MISSING", "PERMISSIVE_PATTERN", "STRING_BOUND_RECOMMENDED"},
	Since: "0.1.0",
	Fix:   finding.Manual, FixDescription: `Bound strings, numbers and arrays, and say "additionalProperties": false.`,
	Surface: looseSchema,
}

func looseSchema(p *rule.Pass, s *card.Server) {
	var g rule.Gather
	l := loose{max: p.Limits.EffectiveSize, met: map[string]bool{}}
	for c := range s.Of(card.Tool) {
		l.first = source.Node{}
		l.schema(c.Input, true)
		if l.first.Valid() {
			g.AddCard(c, rule.At(l.first))
		}
	}
	g.Report(p, p.Rule.Message, rule.Args{"what": strings.Join(l.what, ", ")})
}

// loose collects what the schemas of one server leave open.
type loose struct {
	max   int
	met   map[string]bool
	what  []string // in the order in which they were met
	first source.Node
}

func (l *loose) note(n source.Node, what string) {
	if !l.first.Valid() {
		l.first = n
	}
	if !l.met[what] {
		l.met[what] = true
		l.what = append(l.what, what)
	}
}

// bounded says whether a schema bounds by one of the keywords.
func bounded(n source.Node, keys ...string) bool {
	for _, key := range append(keys, "enum", "const", "$ref") {
		if n.Get(key).Valid() {
			return true
		}
	}
	return false
}

func (l *loose) schema(n source.Node, root bool) {
	if n.Kind() != source.Object {
		return
	}
	switch n.Get("type").Text() {
	case "string":
		if !bounded(n, "maxLength", "pattern", "format") {
			l.note(n, "text of any length")
		}
		if pattern := n.Get("pattern").Text(); pattern == ".*" || pattern == "^.*$" || pattern == ".+" || pattern == "^.+$" || pattern == `[\s\S]*` || pattern == `^[\s\S]*$` {
			l.note(n.Get("pattern"), "a pattern that takes anything")
		}
	case "array":
		if !bounded(n, "maxItems") {
			l.note(n, "lists of any length")
		}
	case "number", "integer":
		if !bounded(n, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") {
			l.note(n, "any number")
		}
	case "object":
		extra := n.Get("additionalProperties")
		closed, isBool := extra.Bool()
		if !n.Get("unevaluatedProperties").Valid() &&
			(!extra.Valid() && root && n.Get("properties").Len() > 0 || isBool && closed || extra.Kind() == source.Object && extra.Len() == 0) {
			l.note(n, "properties that are not named")
		}
	}
	for _, key := range [...]string{"maxLength", "maxItems", "maxProperties"} {
		if digits, ok := n.Get(key).Number(); ok && len(digits) > l.max {
			l.note(n.Get(key), "bounds that bound nothing")
		}
	}
	for _, key := range [...]string{"properties", "$defs", "definitions"} {
		for m := range n.Get(key).Children() {
			l.schema(m, false)
		}
	}
	l.schema(n.Get("items"), false)
	for _, key := range [...]string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		for m := range n.Get(key).Children() {
			l.schema(m, false)
		}
	}
}
