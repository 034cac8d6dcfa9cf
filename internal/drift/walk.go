package drift

import (
	"cmp"
	"encoding/json"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// edit is one value that is new, gone or another.
type edit struct {
	pointer       string
	before, after any
	direction     string
}

// differ walks two values side by side. Its depth is that of the documents, which limits.Depth bounds.
type differ struct{ edits []edit }

func (d *differ) walk(at string, before, after any) {
	if reflect.DeepEqual(before, after) {
		return
	}
	if b, ok := before.(map[string]any); ok {
		if a, ok := after.(map[string]any); ok {
			d.members(at, b, a)
			return
		}
	}
	name := at[strings.LastIndexByte(at, '/')+1:]
	if b, ok := before.([]any); ok && !asWhole[name] {
		if a, ok := after.([]any); ok {
			d.items(at, b, a)
			return
		}
	}
	d.edits = append(d.edits, edit{at, before, after, direction(at, before, after)})
}

// asWhole are lists that are sets: what is in them counts, not where.
var asWhole = map[string]bool{"required": true, "enum": true, "type": true, "examples": true}

func (d *differ) members(at string, before, after map[string]any) {
	for _, name := range sorted(before, after) {
		b, was := before[name]
		a, is := after[name]
		pointer := at + "/" + escape(name)
		switch {
		case was && is:
			d.walk(pointer, orNull(b), orNull(a))
		case was:
			d.edits = append(d.edits, edit{pointer, orNull(b), nil, direction(pointer, orNull(b), nil)})
		default:
			d.edits = append(d.edits, edit{pointer, nil, orNull(a), direction(pointer, nil, orNull(a))})
		}
	}
}

func (d *differ) items(at string, before, after []any) {
	for i := range max(len(before), len(after)) {
		pointer := at + "/" + strconv.Itoa(i)
		switch {
		case i >= len(after):
			d.edits = append(d.edits, edit{pointer, orNull(before[i]), nil, direction(pointer, orNull(before[i]), nil)})
		case i >= len(before):
			d.edits = append(d.edits, edit{pointer, nil, orNull(after[i]), direction(pointer, nil, orNull(after[i]))})
		default:
			d.walk(pointer, orNull(before[i]), orNull(after[i]))
		}
	}
}

func orNull(v any) any {
	if v == nil {
		return null{}
	}
	return v
}

func sorted(a, b map[string]any) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	return slices.Compact(names)
}

func escape(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// classOf is the class of a change inside an item.
func classOf(pointer string) Class {
	steps := strings.Split(pointer, "/")[1:]
	if len(steps) == 0 {
		return Schema
	}
	last := steps[len(steps)-1]
	switch steps[0] {
	case "description", "title":
		return Text
	case "icons": // what a person knows it by, and an address that a client fetches
		return Identity
	case "annotations":
		if last == "title" {
			return Text
		}
		return Capability
	case "execution":
		return Capability
	case "inputSchema", "outputSchema":
		// A property may be called "description", and a default value may hold one: only a keyword is text.
		if text := last == "description" || last == "title" || last == "$comment"; text && len(steps) > 1 && isSchema(steps[1:len(steps)-1]) {
			return Text
		}
	case "arguments":
		if (last == "description" || last == "title") && len(steps) == 3 {
			return Text
		}
	}
	return Schema
}

// The keywords of JSON Schema that hold schemas: by names that an author chose, in a list, or one.
var (
	byNames = map[string]bool{"properties": true, "patternProperties": true, "$defs": true, "definitions": true, "dependentSchemas": true, "dependencies": true}
	listed  = map[string]bool{"allOf": true, "anyOf": true, "oneOf": true, "prefixItems": true}
	single  = map[string]bool{"items": true, "additionalItems": true, "unevaluatedItems": true, "contains": true, "contentSchema": true, "propertyNames": true,
		"additionalProperties": true, "unevaluatedProperties": true, "not": true, "if": true, "then": true, "else": true}
)

// isSchema says whether what stands at these steps below a schema is a schema itself, not a value of a keyword such as default.
func isSchema(steps []string) bool {
	for len(steps) > 0 {
		switch first := steps[0]; {
		case (byNames[first] || listed[first]) && len(steps) > 1:
			steps = steps[2:]
		case first == "items" && len(steps) > 1 && isIndex(steps[1]): // a list of them, in earlier drafts
			steps = steps[2:]
		case single[first]:
			steps = steps[1:]
		default:
			return false
		}
	}
	return true
}

func isIndex(step string) bool {
	_, err := strconv.Atoi(step)
	return err == nil
}

// direction says whether a change lets more through than before or less, "" for neither or both.
func direction(pointer string, before, after any) string {
	steps := strings.Split(pointer, "/")[1:]
	if len(steps) == 0 {
		return gained(before, after)
	}
	switch last := steps[len(steps)-1]; steps[0] {
	case "inputSchema", "outputSchema":
		return ofSchema(steps[1:], before, after)
	case "arguments":
		if last == "required" {
			return lost(orFalse(before), orFalse(after))
		}
		return gained(before, after)
	case "annotations":
		return hint(last, before, after)
	}
	return gained(before, after)
}

// orFalse is nil for what is not true.
func orFalse(v any) any {
	if v == any(true) {
		return v
	}
	return nil
}

// ofSchema is the direction of a change at these steps below a schema.
func ofSchema(steps []string, before, after any) string {
	if len(steps) == 0 {
		return ""
	}
	last, parent := steps[len(steps)-1], steps[:len(steps)-1]
	if n := len(parent); n > 0 && isSchema(parent[:n-1]) {
		switch in := parent[n-1]; {
		case byNames[in], in == "anyOf", in == "oneOf": // a parameter, a definition, a choice more
			return gained(before, after)
		case in == "allOf":
			return lost(before, after)
		}
	}
	if !isSchema(parent) {
		return "" // a value
	}
	switch last {
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains":
		return bound(before, after, 1)
	case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains":
		return bound(before, after, -1)
	case "required":
		return sets(after, before)
	case "enum", "type":
		if before == nil || after == nil {
			return lost(before, after)
		}
		return sets(before, after)
	case "pattern", "format", "const", "multipleOf", "not", "uniqueItems", "propertyNames", "contains":
		return lost(before, after)
	case "additionalProperties", "unevaluatedProperties", "additionalItems":
		switch b, a := open(before), open(after); {
		case b == a:
			return ""
		case a:
			return Wider
		}
		return Narrower
	}
	return ""
}

// gained: what is new lets more through.
func gained(before, after any) string {
	switch {
	case before == nil:
		return Wider
	case after == nil:
		return Narrower
	}
	return ""
}

// lost: what is new is one more thing to keep to.
func lost(before, after any) string { return gained(after, before) }

// bound compares upper bounds (sign 1) or lower ones (-1).
func bound(before, after any, sign int) string {
	b, a := number(before), number(after)
	if b == nil || a == nil {
		return lost(before, after)
	}
	switch b.Cmp(a) * sign {
	case -1:
		return Wider
	case 1:
		return Narrower
	}
	return ""
}

func number(v any) *big.Float {
	n, ok := v.(json.Number)
	if !ok {
		return nil
	}
	f, _, err := big.ParseFloat(n.String(), 10, 128, big.ToNearestEven)
	if err != nil {
		return nil
	}
	return f
}

// sets compares what is allowed before and after.
func sets(before, after any) string {
	b, a := items(before), items(after)
	more := slices.ContainsFunc(a, func(v any) bool { return !contains(b, v) })
	less := slices.ContainsFunc(b, func(v any) bool { return !contains(a, v) })
	switch {
	case more: // whatever else was lost
		return Wider
	case less:
		return Narrower
	}
	return ""
}

func items(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}

func contains(all []any, v any) bool {
	return slices.ContainsFunc(all, func(o any) bool { return reflect.DeepEqual(o, v) })
}

// open says whether a schema for what is left over lets anything through. None does.
func open(v any) bool { return v == nil || v != any(false) }

// hints are what the hints of the specification stand for where they are missing.
var hints = map[string]bool{"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true}

// hint says whether a tool now says that it does more. What is assumed of a tool that does not say is the worst.
func hint(name string, before, after any) string {
	worst, known := hints[name]
	if !known {
		return ""
	}
	b, ok := cmp.Or(before, any(worst)).(bool)
	a, also := cmp.Or(after, any(worst)).(bool)
	switch {
	case !ok || !also || b == a:
		return ""
	case a == worst:
		return Wider
	}
	return Narrower
}
