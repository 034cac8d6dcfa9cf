package schema

import (
	"sync"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Options says how schemas are read.
type Options struct {
	// Limits bounds what is looked at.
	Limits limits.Set
	// Default is the dialect of a schema that declares none. MCP says 2020-12 (SEP-1613), which NewOptions sets.
	Default Dialect
	// Remote answers the documents of other URIs (without a fragment) that are at hand; nil for none. Nothing is
	// ever fetched.
	Remote func(uri string) source.Node
	// Formats says that format is an assertion.
	Formats bool
}

// NewOptions are those for what an MCP server sends.
func NewOptions(lim limits.Set) Options { return Options{Limits: lim, Default: Draft2020} }

// Result is what Check found.
type Result struct {
	// Dialect is the one the schema was judged by, Unknown if it names another.
	Dialect Dialect
	// Declared is the root's $schema, not Valid without one.
	Declared source.Node
	// Faults in the order of the document.
	Faults []Fault
	// Schemas and Depth are how many schemas there are, and how deep they nest, the root being 0.
	Schemas, Depth int
	// Expansion is how many schemas there would be with each reference replaced by what it leads to, a recursive one
	// counted once. It ends at math.MaxInt64.
	Expansion int64
}

// Unjudged says that a part of the schema was not looked at, which the faults name.
func (r Result) Unjudged() bool {
	for _, f := range r.Faults {
		if f.Kind.Unjudged() {
			return true
		}
	}
	return false
}

// checkers keeps the lists of a check for the next one: a schema without faults costs no memory.
var checkers = sync.Pool{New: func() any { return new(checker) }}

// Check judges the structure of a schema. It takes time linear in the schema's bytes, whatever they are.
func Check(root source.Node, o Options) Result {
	c := checkers.Get().(*checker)
	defer checkers.Put(c)
	defer c.release()
	c.o, c.words = o, words()
	c.run(root)
	c.result.Faults = c.faults
	return c.result
}

// record is one schema of a document.
type record struct {
	node   source.Node
	parent int32 // the schema around it, -1 for none
	end    int32 // its descendants are the records up to this one
	top    int32 // the outermost schema around it that judges the same value
	res    int32
	refs   int32 // the first of its references, -1 for none
	edge   edge
	doubt  bool // the value need not pass: it is in a not or an if
	hidden bool // beside its $ref nothing counts
}

// resource is a schema with a URI of its own, or a document.
type resource struct {
	root    int32
	uri     string // without fragment, "" for none
	dialect Dialect
	// noAssertions says that its metaschema leaves the validation vocabulary out.
	noAssertions bool
}

type reference struct {
	from int32 // the record that holds it
	next int32 // the next reference of that record, -1 for none
	to   int32 // the record that it leads to, or one of the following
	node source.Node
	word keyword
	said bool // Endless
	// anchor is the name by which it leads there, "" for a pointer.
	anchor string
}

// Where a reference leads that leads to no record.
const (
	nowhere    = -1 - iota
	toMeta     // a metaschema
	unexplored // what lies beyond a limit
)

type anchorKey struct {
	res  int32
	name string
}

type anchored struct {
	at      int32
	dynamic bool
}

// pending is a required name that its own schema does not define.
type pending struct {
	at   int32
	name source.Node
}

type checker struct {
	o      Options
	words  map[string]*word
	result Result
	faults []Fault

	records   []record
	resources []resource
	refs      []reference
	pending   []pending
	anchors   map[anchorKey]anchored
	byURI     map[string]int32
	byNode    map[source.Node]int32
	follower  follower
	stack     []step

	work    int  // left for the ambiguity of patterns
	ids     bool // the document may hold identifiers
	mute    bool // faults are not wanted
	lenient bool // of the structure, only what no dialect changes is judged
	cut     bool
}

// release empties the checker, so that it holds no document.
func (c *checker) release() {
	clear(c.records)
	clear(c.refs)
	clear(c.pending)
	*c = checker{records: c.records[:0], resources: c.resources[:0], refs: c.refs[:0], pending: c.pending[:0], stack: c.stack[:0]}
}

func (c *checker) run(root source.Node) {
	c.result.Dialect, c.work = c.o.Default, c.o.Limits.PatternWork
	noAssertions := false
	if s := root.Get("$schema"); s.Valid() {
		c.result.Declared = s
		if name, ok := s.Str(); ok {
			if c.result.Dialect = DialectOf(name); c.result.Dialect == Unknown {
				if d, none, ok := c.vocabularyOf(name); ok {
					c.result.Dialect, noAssertions = d, none
				} else {
					c.add(Fault{Kind: UnknownDialect, Node: s, Name: name})
				}
			}
		}
	}
	c.document(root, "", c.result.Dialect, noAssertions)
	c.result.Schemas = len(c.records)
	c.result.Expansion = int64(len(c.records))
	if len(c.refs) > 0 {
		c.resolveAll()
		c.loops()
	}
	c.undefined()
	c.sort()
}

// document reads a whole document, whose base is a URI.
func (c *checker) document(root source.Node, uri string, d Dialect, noAssertions bool) (at int32) {
	at = int32(len(c.records))
	lenient := d == Unknown
	if lenient {
		d = Draft2020
	}
	c.lenient = lenient
	c.ids = identifies(root, d)
	c.resources = append(c.resources, resource{root: at, uri: uri, dialect: d, noAssertions: noAssertions})
	res := int32(len(c.resources) - 1)
	if uri != "" {
		c.register(uri, res, source.Node{})
	}
	c.schema(root, -1, stored, 0, res, true)
	return at
}

func (c *checker) add(f Fault) {
	switch {
	case c.mute || c.lenient && f.Kind < BadPattern || c.lenient && f.Kind == OtherDialect:
	case len(c.faults) < c.o.Limits.SchemaFaults:
		c.faults = append(c.faults, f)
	case len(c.faults) == c.o.Limits.SchemaFaults:
		c.faults = append(c.faults, Fault{Kind: MoreFaults, Node: c.records[0].node})
	}
}

// bounds are the keywords whose values are compared with each other: those from kwMinimum to kwMaxContains.
type bounds [kwMaxContains - kwMinimum + 1]source.Node

func (b *bounds) of(k keyword) source.Node { return b[k-kwMinimum] }

// schema reads a schema and those in it. whole says that it may be a boolean in every dialect.
func (c *checker) schema(n source.Node, parent int32, e edge, depth int, res int32, whole bool) {
	kind, d := n.Kind(), c.resources[res].dialect
	if kind != source.Object && (kind != source.Bool || d == Draft4 && !whole) {
		c.add(Fault{Kind: NotSchema, Node: n, Want: wantSchema(d)})
		return
	}
	if len(c.records) >= c.o.Limits.SchemaNodes {
		if !c.cut {
			c.add(Fault{Kind: TooMany, Node: n})
		}
		c.cut = true
		return
	}
	if depth > c.o.Limits.SchemaDepth {
		c.add(Fault{Kind: TooDeep, Node: n})
		c.cut = true
		return
	}
	c.result.Depth = max(c.result.Depth, depth)
	at := int32(len(c.records))
	r := record{node: n, parent: parent, top: at, res: res, refs: -1, edge: e, doubt: e == inDoubt}
	if parent >= 0 {
		r.doubt = r.doubt || c.records[parent].doubt
		if e == inPlace || e == inDoubt {
			r.top = c.records[parent].top
		}
	}
	c.records = append(c.records, r)
	if c.byNode != nil {
		c.byNode[n] = at
	}
	if kind == source.Object {
		if c.ids {
			res = c.identify(n, at, res)
			d = c.resources[res].dialect
		}
		c.members(n, at, depth, res, d)
	}
	c.records[at].end = int32(len(c.records))
}

func (c *checker) members(n source.Node, at int32, depth int, res int32, d Dialect) {
	var b bounds
	bounded := false
	var required, properties source.Node
	for m := range n.Children() {
		w := c.words[m.Key()]
		if w == nil {
			continue
		}
		switch {
		case w.id == kwRequired:
			required = m
		case w.id == kwProperties:
			properties = m
		case w.id >= kwMinimum && w.id <= kwMaxContains:
			b[w.id-kwMinimum], bounded = m, true
		case w.id == kwSchema && at != c.resources[res].root:
			c.add(Fault{Kind: NestedDialect, Node: m, Name: m.Text()})
		}
		c.value(m, w, at, depth, res, d)
	}
	if bounded {
		c.compare(&b, d)
	}
	if required.Kind() == source.Array && !c.records[at].doubt {
		has := members(properties)
		for name := range required.Children() {
			if s, ok := name.Str(); !ok || has.name(s) {
				continue
			}
			if len(c.pending) == c.o.Limits.SchemaNodes {
				c.add(Fault{Kind: TooMany, Node: name})
				break
			}
			c.pending = append(c.pending, pending{at, name})
		}
	}
}

// memberNames answers which names an object has, at a cost that does not hang on how long its other names are.
type memberNames struct {
	n     source.Node
	names [few]string
	count int
}

func members(n source.Node) (m memberNames) {
	m.n = n
	if n.Kind() != source.Object || n.Doc().Plain() {
		return m
	}
	if n.Len() <= few {
		for c := range n.Children() {
			m.names[m.count] = c.Key()
			m.count++
		}
	}
	return m
}

func (m *memberNames) name(s string) bool {
	for _, have := range m.names[:m.count] {
		if have == s {
			return true
		}
	}
	return m.count == 0 && m.n.Get(s).Valid()
}

// value judges the value of a keyword and reads the schemas in it.
func (c *checker) value(m source.Node, w *word, at int32, depth int, res int32, d Dialect) {
	want := ""
	kind := m.Kind()
	switch s := w.in[d]; s {
	case foreign:
		c.add(Fault{Kind: OtherDialect, Node: m, Key: true, Legal: true, Name: w.name})
	case text:
		if kind != source.String {
			want = "a string"
		}
	case flag:
		if kind != source.Bool {
			want = "a boolean"
		}
	case number:
		if kind != source.Number {
			want = "a number"
		}
	case positive, count:
		want = c.numeric(m, s)
	case typeNames:
		want = c.types(m)
	case values:
		want = c.values(m, d)
	case list:
		if kind != source.Array {
			want = "an array"
		}
	case names, namesSome:
		want = c.names(m, s == namesSome)
	case uri:
		if kind != source.String {
			want = "a string"
		}
	case ref:
		if kind != source.String {
			want = "a string"
			break
		}
		if m.Overridden() {
			break // one schema could hold any number of them
		}
		c.refs = append(c.refs, reference{from: at, next: c.records[at].refs, to: nowhere, node: m, word: w.id})
		c.records[at].refs = int32(len(c.refs) - 1)
		if w.id == kwRef && d.refHides() {
			c.records[at].hidden = true
		}
	case anchor:
		if kind != source.String {
			want = "a string"
		} else if !anchorName(m.Text(), d) {
			c.add(Fault{Kind: BadName, Node: m, Name: m.Text()})
		}
	case vocabulary:
		if kind != source.Object {
			want = "an object of booleans"
		}
		for v := range m.Children() {
			if v.Kind() != source.Bool && want == "" {
				c.add(Fault{Kind: WrongType, Node: v, Want: "a boolean"})
			}
		}
	case pattern:
		if kind != source.String {
			want = "a string"
		} else {
			c.pattern(m.Text(), m, false)
		}
	case one:
		if w.id == kwItems && kind == source.Array && d == Draft2020 {
			c.add(Fault{Kind: TupleItems, Node: m, Want: wantSchema(d)})
			for i := range m.Children() {
				c.schema(i, at, w.edge, depth+1, res, false)
			}
			break
		}
		c.schema(m, at, w.edge, depth+1, res, false)
	case oneOrFlag:
		c.schema(m, at, w.edge, depth+1, res, true)
	case oneOrList, some:
		if kind != source.Array {
			if s == oneOrList {
				c.schema(m, at, w.edge, depth+1, res, false)
			} else {
				want = "an array of schemas"
			}
			break
		}
		any := false
		for i := range m.Children() {
			any = true
			c.schema(i, at, w.edge, depth+1, res, false)
		}
		if !any {
			c.add(Fault{Kind: Empty, Node: m})
		}
	case named, patterned:
		if kind != source.Object {
			want = "an object of schemas"
			break
		}
		for i := range m.Children() {
			if s == patterned {
				c.pattern(i.Key(), i, true)
			}
			c.schema(i, at, w.edge, depth+1, res, false)
		}
	case namedNames, eitherNamed, formerNamed:
		if s == formerNamed {
			c.add(Fault{Kind: OtherDialect, Node: m, Key: true, Legal: true, Name: w.name})
		}
		if kind != source.Object {
			want = "an object"
			break
		}
		for i := range m.Children() {
			if i.Kind() == source.Array || s == namedNames {
				if want := c.names(i, d == Draft4); want != "" {
					c.add(Fault{Kind: WrongType, Node: i, Want: want})
				}
				continue
			}
			c.schema(i, at, w.edge, depth+1, res, false)
		}
	}
	if want != "" {
		c.add(Fault{Kind: WrongType, Node: m, Want: want})
	}
}
