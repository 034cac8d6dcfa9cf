package schema

import (
	"time"

	"github.com/mcpassay/mcpassay/internal/source"
)

// Verdict is what is known of a value.
type Verdict uint8

// The verdicts. Unknown is neither: a budget was spent, a reference leads nowhere, or a pattern can not be matched.
const (
	Valid Verdict = iota
	Incomplete
	Invalid
)

func (v Verdict) String() string { return [...]string{"valid", "incomplete", "invalid"}[v] }

// and is what two conditions give together.
func (v Verdict) and(w Verdict) Verdict { return max(v, w) }

// Violation is a keyword that a value does not meet.
type Violation struct {
	// Instance is the value.
	Instance source.Node
	// Schema is the value of the keyword, or the schema itself where it is false or not there.
	Schema source.Node
	// Name is the property that is missing, or of the value that should not be there: untrusted.
	Name string
}

// Outcome is what Validate found.
type Outcome struct {
	Verdict Verdict
	// Violations in the order in which they were found, up to the limit; none of branches that were only tried.
	Violations []Violation
	// Why says in words what made an outcome Incomplete.
	Why string
	// Steps is how much of the budget was spent.
	Steps int64
}

// Schema is a schema that is ready to judge values. It is not safe for concurrent use, as documents are not.
type Schema struct {
	// Result is what Check says of it.
	Result
	c       checker
	rules   []*rule
	collect bool // some schema asks for what others left over
}

// New reads a schema.
func New(root source.Node, o Options) *Schema {
	s := &Schema{}
	s.c.o, s.c.words = o, words()
	s.c.run(root)
	s.Result = s.c.result
	s.Faults = s.c.faults
	if s.c.byNode == nil {
		s.c.index()
	}
	s.rules = make([]*rule, len(s.c.records))
	for i := range s.c.records {
		n := s.c.records[i].node
		s.collect = s.collect || n.Get("unevaluatedProperties").Valid() || n.Get("unevaluatedItems").Valid()
	}
	return s
}

// Validate judges a value. It ends after the limit of steps, whatever schema and value are.
func (s *Schema) Validate(instance source.Node) Outcome { return s.validate(0, instance) }

// ValidateBy judges a value by one of the schemas in this one, such as a default by the property that has it.
func (s *Schema) ValidateBy(part, instance source.Node) Outcome {
	at, ok := s.c.byNode[part]
	if !ok {
		return Outcome{Verdict: Incomplete, Why: "it is no schema"}
	}
	return s.validate(at, instance)
}

func (s *Schema) validate(at int32, instance source.Node) Outcome {
	v := run{s: s, steps: s.c.o.Limits.SchemaSteps, left: s.c.o.Limits.PatternTime}
	out := Outcome{Verdict: Incomplete, Why: "the schema was not read to its end"}
	switch {
	case !instance.Valid():
		out.Why = "there is no value"
	case len(s.c.records) == 0:
		out.Why = "it is no schema"
	case s.Dialect == Unknown:
		out.Why = "the dialect of the schema is unknown"
	default:
		out.Verdict = v.schema(at, instance, nil)
		if s.c.cut {
			out.Verdict = max(out.Verdict, Incomplete)
			v.unsure("the schema was not read to its end")
		}
		out.Violations, out.Why = v.violations, v.why
	}
	if out.Verdict != Incomplete {
		out.Why = ""
	}
	if out.Verdict != Invalid {
		out.Violations = nil
	}
	out.Steps = s.c.o.Limits.SchemaSteps - max(v.steps, 0)
	return out
}

// run is one value being judged.
type run struct {
	s          *Schema
	steps      int64
	left       time.Duration
	why        string
	depth      int
	quiet      int // above 0, violations are not wanted
	violations []Violation
	scope      []int32 // the resources that were entered, outermost first
	members    map[source.Node]object
}

// object is an object's members, by name where there are many.
type object struct {
	list   []member
	byName map[string]int32
}

func (o object) has(name string) bool {
	if o.byName != nil {
		_, ok := o.byName[name]
		return ok
	}
	for i := range o.list {
		if o.list[i].key == name {
			return true
		}
	}
	return false
}

// member is a member of an object that no later one of its name replaces.
type member struct {
	key   string
	value source.Node
}

// spend takes steps, and says whether there are any left.
func (v *run) spend(n int64) bool {
	if v.steps -= min(n, v.steps+1); v.steps < 0 {
		v.unsure(tooManySteps)
		return false
	}
	return true
}

func (v *run) step() bool { return v.spend(1) }

func (v *run) unsure(why string) Verdict {
	if v.why == "" {
		v.why = why
	}
	return Incomplete
}

func (v *run) fail(instance, schema source.Node, name string) Verdict {
	if v.quiet == 0 && len(v.violations) < v.s.c.o.Limits.SchemaFaults {
		v.violations = append(v.violations, Violation{instance, schema, name})
	}
	return Invalid
}

func (v *run) object(n source.Node) object {
	o, ok := v.members[n]
	if !ok {
		repeats := n.Repeats()
		o.list = make([]member, 0, n.Len())
		for c := range n.Children() {
			if key := c.Key(); !repeats || n.Get(key) == c {
				o.list = append(o.list, member{key, c})
			}
		}
		if len(o.list) > few {
			o.byName = make(map[string]int32, len(o.list))
			for i, m := range o.list {
				o.byName[m.key] = int32(i)
			}
		}
		v.spend(int64(len(o.list)))
		if v.members == nil {
			v.members = map[source.Node]object{}
		}
		v.members[n] = o
	}
	return o
}

// marks are the members or items of one value that some schema has judged.
type marks struct {
	all   bool
	some  []uint64 // a bit for each
	vague bool     // a schema that may have judged more is Incomplete
}

func (m *marks) add(i int) {
	if m == nil {
		return
	}
	for len(m.some) <= i/64 {
		m.some = append(m.some, 0)
	}
	m.some[i/64] |= 1 << (i % 64)
}

func (m *marks) has(i int) bool {
	return m.all || i/64 < len(m.some) && m.some[i/64]&(1<<(i%64)) != 0
}

// lose notes that a schema did not come to say what it judges, and answers the verdict.
func (m *marks) lose(v Verdict) Verdict {
	if m != nil {
		m.vague = true
	}
	return v
}

func (m *marks) merge(from *marks) {
	if m == nil {
		return
	}
	m.all, m.vague = m.all || from.all, m.vague || from.vague
	for i, bits := range from.some {
		if i == len(m.some) {
			m.some = append(m.some, 0)
		}
		m.some[i] |= bits
	}
}

// try judges without collecting violations, and without a say on the outcome.
func (v *run) try(at int32, n source.Node, m *marks) Verdict {
	v.quiet++
	defer func() { v.quiet-- }()
	return v.schema(at, n, m)
}

// schema judges a value by a schema. What was judged of it is added to out when the value is not Invalid.
func (v *run) schema(at int32, n source.Node, out *marks) Verdict {
	if v.steps < 0 || !v.step() {
		return out.lose(Incomplete)
	}
	if v.depth >= v.s.c.o.Limits.SchemaCalls {
		return out.lose(v.unsure("the schema calls itself too often"))
	}
	v.depth++
	defer func() { v.depth-- }()
	r := v.s.rules[at]
	if r == nil {
		if r = v.s.compile(at, v.spend); v.steps < 0 {
			return out.lose(Incomplete)
		}
		v.s.rules[at] = r
	}
	if r.never {
		return v.fail(n, r.node, "")
	}
	if len(v.scope) == 0 || v.scope[len(v.scope)-1] != r.res {
		v.scope = append(v.scope, r.res)
		defer func() { v.scope = v.scope[:len(v.scope)-1] }()
	}
	var own *marks
	if v.s.collect {
		own = &marks{}
	}
	verdict := v.scalar(r, n)
	for _, i := range r.refs {
		verdict = verdict.and(v.reference(i, n, own))
	}
	for i := range r.checks {
		if verdict == Invalid && v.quiet > 0 {
			return Invalid
		}
		verdict = verdict.and(v.check(&r.checks[i], n, own))
	}
	if r.cond != nil {
		verdict = verdict.and(v.condition(r.cond, n, own))
	}
	switch n.Kind() {
	case source.Object:
		if r.object != nil {
			verdict = verdict.and(v.properties(r.object, n, own))
		}
		if r.leftIn >= 0 {
			verdict = verdict.and(v.leftover(r.leftIn, n, own))
		}
	case source.Array:
		if r.array != nil {
			verdict = verdict.and(v.items(r.array, n, own))
		}
		if r.leftOf >= 0 {
			verdict = verdict.and(v.leftover(r.leftOf, n, own))
		}
	}
	if own != nil && verdict != Invalid {
		if verdict == Incomplete {
			own.vague = true
		}
		v.spend(int64(len(own.some)) / bytesOfStep)
		out.merge(own)
	}
	return verdict
}

// scalar judges the type.
func (v *run) scalar(r *rule, n source.Node) Verdict {
	if !r.typed.Valid() || r.types == 0 {
		return Valid
	}
	bit := uint8(0)
	switch n.Kind() {
	case source.Null:
		bit = typeBit("null")
	case source.Bool:
		bit = typeBit("boolean")
	case source.String:
		bit = typeBit("string")
	case source.Array:
		bit = typeBit("array")
	case source.Object:
		bit = typeBit("object")
	case source.Number:
		bit = typeBit("number")
		if _, ok := small(n); ok {
			bit |= typeBit("integer")
		} else if d, _ := decimalOf(n); d.integer() && (v.s.c.resources[r.res].dialect > Draft4 || whole(n)) {
			bit |= typeBit("integer")
		}
	}
	if r.types&bit == 0 {
		return v.fail(n, r.typed, "")
	}
	return Valid
}

// whole says that a number is written as an integer, as draft-04 wants.
func whole(n source.Node) bool {
	for _, c := range n.Raw() {
		if c == '.' || c == 'e' || c == 'E' {
			return false
		}
	}
	return true
}

// reference judges by what a reference leads to.
func (v *run) reference(i int32, n source.Node, own *marks) Verdict {
	r := &v.s.c.refs[i]
	to := r.to
	switch {
	case to == toMeta:
		return v.meta(r, n)
	case to < 0:
		return own.lose(v.unsure("a reference leads nowhere"))
	case r.word == kwDynamicRef && r.anchor != "":
		if a, ok := v.s.c.anchors[anchorKey{v.s.c.records[to].res, r.anchor}]; ok && a.dynamic && a.at == to {
			to = v.dynamic(r.anchor, to)
		}
	case r.word == kwRecursiveRef:
		if a, ok := v.s.c.anchors[anchorKey{v.s.c.records[to].res, ""}]; ok && a.dynamic && a.at == to {
			to = v.dynamic("", to)
		}
	}
	return v.schema(to, n, own)
}

// dynamic is the outermost schema on the way here that has the name.
func (v *run) dynamic(name string, to int32) int32 {
	v.spend(int64(len(v.scope)))
	for _, res := range v.scope {
		if a, ok := v.s.c.anchors[anchorKey{res, name}]; ok && a.dynamic {
			return a.at
		}
	}
	return to
}

// meta judges a value that must be a schema.
func (v *run) meta(r *reference, n source.Node) Verdict {
	if !v.spend(int64(len(n.Raw()))/bytesOfStep + 1) {
		return Incomplete
	}
	d := DialectOf(r.node.Text())
	if d == Unknown {
		return v.unsure("a part of a metaschema is not supported")
	}
	var c checker
	c.o, c.words = v.s.c.o, words()
	c.o.Remote = nil
	c.document(n, "", d, false)
	if c.cut {
		return v.unsure("a value that must be a schema was not read to its end")
	}
	for _, f := range c.faults {
		if f.BreaksMeta() && f.Kind != BadPattern {
			return v.fail(f.Node, r.node, "")
		}
	}
	return Valid
}
