package schema

import (
	"github.com/mcpassay/mcpassay/internal/source"
)

func wantSchema(d Dialect) string {
	if d == Draft4 {
		return "a schema: an object"
	}
	return "a schema: an object or a boolean"
}

// numeric judges a number that must be above 0, or a count.
func (c *checker) numeric(m source.Node, s shape) (want string) {
	if v, ok := small(m); ok && v > 0 {
		return ""
	}
	v, ok := decimalOf(m)
	if s == positive {
		if ok && v.sign() <= 0 {
			c.add(Fault{Kind: OutOfRange, Node: m, Want: "a number above 0"})
		}
		if !ok {
			want = "a number above 0"
		}
		return want
	}
	const whole = "an integer from 0"
	if !ok {
		return whole
	}
	if v.sign() < 0 || !v.integer() {
		c.add(Fault{Kind: OutOfRange, Node: m, Want: whole})
	}
	return ""
}

// typeIndex is the place of a type's name among the seven, -1 for none.
func typeIndex(name string) int {
	switch name {
	case "null":
		return 0
	case "boolean":
		return 1
	case "integer":
		return 2
	case "number":
		return 3
	case "string":
		return 4
	case "array":
		return 5
	case "object":
		return 6
	}
	return -1
}

func (c *checker) types(m source.Node) (want string) {
	const wantType, wantTypes = "the name of a type", "the name of a type or an array of several"
	switch m.Kind() {
	case source.String:
		if name := m.Text(); typeIndex(name) < 0 {
			c.add(Fault{Kind: UnknownType, Node: m, Name: name})
		}
		return ""
	case source.Array:
	default:
		return wantTypes
	}
	var seen [7]source.Node
	any := false
	for i := range m.Children() {
		any = true
		name, ok := i.Str()
		at := typeIndex(name)
		switch {
		case !ok:
			c.add(Fault{Kind: WrongType, Node: i, Want: wantType})
		case at < 0:
			c.add(Fault{Kind: UnknownType, Node: i, Name: name})
		case seen[at].Valid():
			c.add(Fault{Kind: Duplicate, Node: i, Other: seen[at], Name: name})
		default:
			seen[at] = i
		}
	}
	if !any {
		c.add(Fault{Kind: Empty, Node: m})
	}
	return ""
}

func (c *checker) values(m source.Node, d Dialect) (want string) {
	if m.Kind() != source.Array {
		return "an array of values"
	}
	if m.Len() == 0 {
		c.add(Fault{Kind: Empty, Node: m, Legal: d >= Draft7})
	}
	if again, first := duplicate(m, nil); again.Valid() {
		c.add(Fault{Kind: Duplicate, Node: again, Other: first, Legal: d >= Draft7})
	}
	return ""
}

func (c *checker) names(m source.Node, some bool) (want string) {
	if m.Kind() != source.Array {
		return "an array of property names"
	}
	any := false
	for i := range m.Children() {
		any = true
		if i.Kind() != source.String {
			c.add(Fault{Kind: WrongType, Node: i, Want: "a property name"})
		}
	}
	if !any && some {
		c.add(Fault{Kind: Empty, Node: m})
	}
	if again, first := duplicate(m, nil); again.Valid() {
		c.add(Fault{Kind: Duplicate, Node: again, Other: first, Name: again.Text()})
	}
	return ""
}

func (c *checker) pattern(s string, at source.Node, key bool) {
	p := readPattern(s, c.o.Limits.PatternDepth, noForm, &c.work)
	switch {
	case p.deep:
		c.add(Fault{Kind: TooDeep, Node: at, Key: key})
		return
	case p.bad != "":
		c.add(Fault{Kind: BadPattern, Node: at, Key: key, Want: p.bad})
		return
	case p.loose != "":
		c.add(Fault{Kind: LoosePattern, Node: at, Key: key, Want: p.loose, Legal: true})
	}
	if p.unsafe {
		c.add(Fault{Kind: UnsafePattern, Node: at, Key: key})
	}
}

// pairs are the bounds that are compared, lower and upper.
var pairs = [...]struct {
	low, high keyword
	strict    bool // equal bounds leave nothing
}{
	{kwMinimum, kwMaximum, false},
	{kwMinimum, kwExclusiveMaximum, true},
	{kwExclusiveMinimum, kwMaximum, true},
	{kwExclusiveMinimum, kwExclusiveMaximum, true},
	{kwMinLength, kwMaxLength, false},
	{kwMinItems, kwMaxItems, false},
	{kwMinProperties, kwMaxProperties, false},
	{kwMinContains, kwMaxContains, false},
}

func (c *checker) compare(b *bounds, d Dialect) {
	for _, p := range pairs {
		low, high := b.of(p.low), b.of(p.high)
		if low.Kind() != source.Number || high.Kind() != source.Number || p.low == kwMinContains && d < Draft2019 {
			continue
		}
		order, known := compareNumbers(low, high)
		strict := p.strict
		if d == Draft4 && p.low == kwMinimum {
			for _, k := range [...]keyword{kwExclusiveMinimum, kwExclusiveMaximum} {
				if v, _ := b.of(k).Bool(); v {
					strict = true
				}
			}
		}
		if known && (order > 0 || order == 0 && strict) {
			c.add(Fault{Kind: Inverted, Node: low, Other: high})
		}
	}
}
