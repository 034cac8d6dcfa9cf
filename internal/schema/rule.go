package schema

import (
	"cmp"

	"github.com/mcpassay/mcpassay/internal/source"
)

// assertion is a rule's keyword with what it needs, read once.
type assertion struct {
	id   keyword
	node source.Node // the keyword's value

	number  decimal        // of a bound
	strict  bool           // the bound itself is out
	count   int64          // of a size
	names   []string       // of required
	kids    []int32        // the schemas of a list
	byName  map[string]int // of a map: the index in kids
	lists   map[string][]string
	pattern matcher
}

// rule is one schema, ready for values.
type rule struct {
	node   source.Node
	res    int32
	never  bool
	types  uint8 // a bit for each of the seven
	typed  source.Node
	refs   []int32
	checks []assertion // in the order in which they are judged
	object *objectRule
	array  *arrayRule
	cond   *condition
	leftIn int32 // unevaluatedProperties, -1 for none
	leftOf int32 // unevaluatedItems
}

// objectRule is properties, patternProperties and additionalProperties, which go together.
type objectRule struct {
	named      map[string]int32
	patterns   []patternKid
	additional int32
}

type patternKid struct {
	matcher
	kid int32
}

// arrayRule is prefixItems (or a tuple of items) and what judges the items after them, and contains.
type arrayRule struct {
	prefix          []int32
	rest            int32
	contains        int32
	containsNode    source.Node
	least, most     int64
	leastAt, mostAt source.Node
	containsCounts  bool // what it holds counts as evaluated: 2020-12
}

type condition struct{ test, then, other int32 }

// compile reads a schema. Its patterns take steps: while there are too few the rule must not be kept.
func (s *Schema) compile(at int32, spend func(int64) bool) *rule {
	rec := &s.c.records[at]
	r := &rule{node: rec.node, res: rec.res, leftIn: -1, leftOf: -1}
	if v, ok := rec.node.Bool(); ok {
		r.never = !v
		return r
	}
	res := s.c.resources[rec.res]
	d := res.dialect
	for i := rec.refs; i >= 0; i = s.c.refs[i].next {
		r.refs = append(r.refs, i)
	}
	if rec.hidden {
		return r
	}
	a := arrayRule{rest: -1, contains: -1, least: 1, most: -1, containsCounts: d >= Draft2020}
	o := objectRule{additional: -1}
	var hasArray, hasObject, tuple bool
	cond := condition{-1, -1, -1}
	additionalItems := int32(-1)
	for m := range rec.node.Children() {
		w := s.c.words[m.Key()]
		if w == nil || w.in[d] == noKeyword || w.in[d] == foreign || w.in[d] == formerNamed || rec.node.Get(m.Key()) != m {
			continue
		}
		if res.noAssertions && w.id >= kwType && w.id <= kwRequired {
			continue
		}
		kid := int32(-1)
		if k, ok := s.c.byNode[m]; ok {
			kid = k
		}
		switch w.id {
		case kwType:
			r.typed = m
			if m.Kind() == source.String {
				r.types = typeBit(m.Text())
			}
			for i := range m.Children() {
				r.types |= typeBit(i.Text())
			}
		case kwProperties:
			hasObject = true
			o.named = make(map[string]int32, m.Len())
			for i := range m.Children() {
				if k, ok := s.c.byNode[i]; ok {
					o.named[i.Key()] = k
				}
			}
		case kwPatternProperties:
			hasObject = true
			for i := range m.Children() {
				if k, ok := s.c.byNode[i]; ok && !i.Overridden() {
					o.patterns = append(o.patterns, patternKid{compilePattern(i.Key(), s.c.o.Limits, spend), k})
				}
			}
		case kwAdditionalProperties:
			hasObject, o.additional = true, kid
		case kwPrefixItems:
			hasArray, a.prefix = true, s.kids(m)
		case kwItems:
			hasArray = true
			if m.Kind() == source.Array {
				a.prefix, tuple = s.kids(m), true
			} else {
				a.rest = kid
			}
		case kwAdditionalItems:
			additionalItems = kid
		case kwContains:
			hasArray, a.contains, a.containsNode = true, kid, m
		case kwMinContains:
			if v, ok := decimalOf(m); ok {
				a.least, a.leastAt = v.count(), m
			}
		case kwMaxContains:
			if v, ok := decimalOf(m); ok {
				a.most, a.mostAt = v.count(), m
			}
		case kwIf:
			cond.test = kid
		case kwThen:
			cond.then = kid
		case kwElse:
			cond.other = kid
		case kwUnevaluatedProperties:
			r.leftIn = kid
		case kwUnevaluatedItems:
			r.leftOf = kid
		default:
			if c, ok := s.assertion(m, w, kid, rec.node, d, spend); ok {
				r.checks = append(r.checks, c)
			}
		}
	}
	if tuple {
		hasArray, a.rest = true, additionalItems
	}
	if hasArray {
		r.array = &a
	}
	if hasObject {
		r.object = &o
	}
	if cond.test >= 0 && (cond.then >= 0 || cond.other >= 0 || s.collect) {
		r.cond = &cond
	}
	return r
}

func typeBit(name string) uint8 {
	if i := typeIndex(name); i >= 0 {
		return 1 << i
	}
	return 0
}

// kids are the records of the schemas in a list.
func (s *Schema) kids(list source.Node) (kids []int32) {
	for i := range list.Children() {
		if k, ok := s.c.byNode[i]; ok {
			kids = append(kids, k)
		}
	}
	return kids
}

// assertion reads a keyword that stands for itself. ok is false for one that asserts nothing.
func (s *Schema) assertion(m source.Node, w *word, kid int32, around source.Node, d Dialect, spend func(int64) bool) (a assertion, ok bool) {
	a = assertion{id: w.id, node: m}
	switch w.id {
	case kwEnum:
		return a, m.Kind() == source.Array
	case kwConst:
		return a, true
	case kwMultipleOf, kwMinimum, kwMaximum, kwExclusiveMinimum, kwExclusiveMaximum:
		a.number, ok = decimalOf(m)
		if w.id == kwMultipleOf {
			return a, ok && a.number.sign() > 0
		}
		a.strict = w.id == kwExclusiveMinimum || w.id == kwExclusiveMaximum
		if d == Draft4 {
			beside := kwMinimum
			if w.id == kwMinimum {
				a.strict, _ = around.Get("exclusiveMinimum").Bool()
			} else if w.id == kwMaximum {
				a.strict, _ = around.Get("exclusiveMaximum").Bool()
			} else {
				beside = kwOther
			}
			ok = ok && beside != kwOther
		}
		return a, ok
	case kwMinLength, kwMaxLength, kwMinItems, kwMaxItems, kwMinProperties, kwMaxProperties:
		v, ok := decimalOf(m)
		a.count = v.count()
		return a, ok
	case kwPattern:
		text, ok := m.Str()
		if ok {
			a.pattern = compilePattern(text, s.c.o.Limits, spend)
		}
		return a, ok
	case kwUniqueItems:
		v, _ := m.Bool()
		return a, v
	case kwFormat:
		return a, s.c.o.Formats && m.Kind() == source.String
	case kwRequired:
		a.names = texts(m)
		return a, len(a.names) > 0
	case kwDependentRequired, kwDependencies, kwDependentSchemas:
		for i := range m.Children() {
			if i.Overridden() {
				continue
			}
			if i.Kind() == source.Array {
				if a.lists == nil {
					a.lists = map[string][]string{}
				}
				a.lists[i.Key()] = texts(i)
			} else if k, ok := s.c.byNode[i]; ok {
				if a.byName == nil {
					a.byName = map[string]int{}
				}
				a.byName[i.Key()] = len(a.kids)
				a.kids = append(a.kids, k)
			}
		}
		return a, len(a.lists)+len(a.kids) > 0
	case kwAllOf, kwAnyOf, kwOneOf:
		a.kids = s.kids(m)
		return a, len(a.kids) > 0
	case kwNot, kwPropertyNames:
		a.kids = []int32{kid}
		return a, kid >= 0
	}
	return a, false
}

func texts(list source.Node) (all []string) {
	for i := range list.Children() {
		if s, ok := i.Str(); ok {
			all = append(all, s)
		}
	}
	return all
}

// bound says whether a number keeps to a bound.
func (a *assertion) bound(v decimal) (yes, known bool) {
	c, known := v.compare(a.number)
	if a.id == kwMaximum || a.id == kwExclusiveMaximum {
		c = cmp.Compare(0, c)
	}
	return c > 0 || c == 0 && !a.strict, known
}
