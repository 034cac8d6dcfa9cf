package manifest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Revision is a dated schema of server.json.
type Revision int8

// The revisions, in their order.
const (
	// Unsaid is a manifest without $schema, Unknown one whose $schema is none of these.
	Unsaid Revision = iota
	Unknown
	R20250709
	R20250916
	R20250929
	R20251011
	R20251017
	R20251211

	first   = R20250709
	camel   = R20250916 // since when names are written so
	Current = R20251211
)

var dates = []string{R20250709: "2025-07-09", R20250916: "2025-09-16", R20250929: "2025-09-29", R20251011: "2025-10-11", R20251017: "2025-10-17", R20251211: "2025-12-11"}

func (r Revision) String() string {
	if r < first || int(r) >= len(dates) {
		return "unknown"
	}
	return dates[r]
}

const (
	schemaFile = "server.schema.json"
	schemaBase = "https://static.modelcontextprotocol.io/schemas/"
)

// URL is what $schema holds for a revision.
func (r Revision) URL() string { return schemaBase + r.String() + "/" + schemaFile }

func revisionOf(n source.Node) Revision {
	if !n.Valid() {
		return Unsaid
	}
	for r := first; r <= Current; r++ {
		if n.Text() == r.URL() {
			return r
		}
	}
	return Unknown
}

// Changes says what a manifest of a revision must change to be one of the current, in the order of the dates; none where
// only the date differs.
func (r Revision) Changes() (all []string) {
	for _, c := range []struct {
		in  Revision
		was string
	}{
		{R20250916, "names are written in camelCase (registry_type is registryType)"},
		{R20250929, "status and the registry's own _meta are gone"},
		{R20251011, "oci has its version in the identifier, and mcpb its address there"},
	} {
		if r < c.in {
			all = append(all, c.was)
		}
	}
	return all
}

// snake is the name that the first revision had for a member.
func snake(name string) string {
	var b strings.Builder
	for i, c := range name {
		if 'A' <= c && c <= 'Z' && i > 0 {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(c)))
	}
	return b.String()
}

// shape is an object of the schema.
type shape struct {
	fields []field
	// closed are the revisions up to which it may have no other members; 0 for none. Open is one that is everyone's.
	closed Revision
	open   bool
}

// renamed are the names of the first revision that the next one changed, and what they are now.
var renamed = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	seen := map[*shape]bool{}
	var visit func(*shape)
	visit = func(s *shape) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		for _, f := range s.fields {
			if was := snake(f.name); was != f.name {
				all[was] = f.name
			}
			visit(f.of)
		}
	}
	visit(shapes())
	return all
})

// field is a member. Since and until are the revisions that have it, 0 for all.
type field struct {
	name         string
	since, until Revision
	// required are the revisions up to which it is, 0 for never.
	required Revision
	value
}

// value is what a member may hold. Lengths are in characters (code points), 0 for no bound.
type value struct {
	kind     source.Kind
	min, max int
	pattern  string
	// patternSince is the revision that brought the pattern.
	patternSince Revision
	words        []string
	not          string
	// of are the members of an object, or of those in a list or a map.
	of *shape
	// each is what else stands in a list.
	each *value
	// free is an object whose members have any name and hold of.
	free bool
}

var (
	word   = value{kind: source.String}
	truth  = value{kind: source.Bool}
	always = Current
)

func listOf(s *shape) value { return value{kind: source.Array, of: s} }

// shapes are the objects of every revision: what server.schema.json says, as data.
var shapes = sync.OnceValue(func() *shape {
	input := []field{
		{name: "description", value: word}, {name: "isRequired", value: truth}, {name: "isSecret", value: truth},
		{name: "format", value: value{kind: source.String, words: []string{"string", "number", "boolean", "filepath"}}},
		{name: "value", value: word}, {name: "default", value: word}, {name: "placeholder", value: word, since: R20251011},
		{name: "choices", value: value{kind: source.Array, each: &value{kind: source.String}}},
	}
	variables := field{name: "variables", value: value{kind: source.Object, free: true, of: &shape{fields: input}}}
	keyed := &shape{fields: slices.Concat(input, []field{variables, {name: "name", required: always, value: word}})}
	argument := &shape{fields: slices.Concat(input, []field{variables,
		{name: "type", required: always, value: value{kind: source.String, words: []string{"named", "positional"}}},
		{name: "name", value: word}, {name: "valueHint", value: word}, {name: "isRepeated", value: truth}})}
	transport := func(types ...string) []field {
		return []field{
			{name: "type", required: always, value: value{kind: source.String, words: types}},
			{name: "url", value: value{kind: source.String, pattern: `^https?://\S+$`, patternSince: R20251211}},
			{name: "headers", value: listOf(keyed)},
		}
	}
	remote := &shape{fields: append(transport("streamable-http", "sse"), field{name: "variables", since: R20251211, value: variables.value})}
	pack := &shape{closed: R20250929, fields: []field{
		{name: "registryType", required: always, value: word}, {name: "registryBaseUrl", value: word}, {name: "identifier", required: always, value: word},
		{name: "version", required: R20250929, value: value{kind: source.String, min: 1, max: 255, not: "latest"}},
		{name: "fileSha256", value: value{kind: source.String, pattern: `^[a-f0-9]{64}$`}}, {name: "runtimeHint", value: word},
		{name: "transport", required: always, value: value{kind: source.Object, of: &shape{fields: transport("stdio", "streamable-http", "sse")}}},
		{name: "runtimeArguments", value: listOf(argument)}, {name: "packageArguments", value: listOf(argument)}, {name: "environmentVariables", value: listOf(keyed)},
	}}
	icon := &shape{fields: []field{
		{name: "src", required: always, value: value{kind: source.String, max: 255}},
		{name: "mimeType", value: value{kind: source.String, words: []string{"image/png", "image/jpeg", "image/jpg", "image/svg+xml", "image/webp"}}},
		{name: "sizes", value: value{kind: source.Array, each: &value{kind: source.String, pattern: `^(\d+x\d+|any)$`}}},
		{name: "theme", value: value{kind: source.String, words: []string{"light", "dark"}}},
	}}
	repository := &shape{fields: []field{{name: "url", required: always, value: word}, {name: "source", required: always, value: word}, {name: "id", value: word}, {name: "subfolder", value: word}}}
	anything := value{kind: source.Object, free: true}
	meta := &shape{open: true, fields: []field{{name: PublisherMeta, value: anything}, {name: OfficialMeta, until: R20250916, value: anything}}}
	return &shape{fields: []field{
		{name: "$schema", value: word},
		{name: "name", required: always, value: value{kind: source.String, min: 3, max: 200, pattern: `^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`}},
		{name: "title", since: R20251011, value: value{kind: source.String, min: 1, max: 100}},
		{name: "description", required: always, value: value{kind: source.String, min: 1, max: 100}},
		{name: "status", until: R20250916, value: value{kind: source.String, words: []string{"active", "deprecated", "deleted"}}},
		{name: "version", required: always, value: value{kind: source.String, max: 255}},
		{name: "websiteUrl", value: word}, {name: "repository", value: value{kind: source.Object, of: repository}},
		{name: "icons", since: R20251011, value: listOf(icon)},
		{name: "packages", value: listOf(pack)}, {name: "remotes", value: listOf(remote)}, {name: "_meta", value: value{kind: source.Object, of: meta}},
	}}
})

// FaultKind is in what way a manifest is not what its schema says.
type FaultKind uint8

// The kinds.
const (
	Missing   FaultKind = iota // a member that must be there
	WrongType                  // of another type
	TooLong                    // more characters than may be
	TooShort                   // fewer
	WrongWord                  // none of the words that may stand there
	WrongForm                  // not of the form
	Refused                    // the one value that may not stand there
	Stray                      // a member that the schema does not have
)

// Fault is one difference between a manifest and its schema. Node is the value, of a missing member the object that lacks it.
type Fault struct {
	Kind FaultKind
	Node source.Node
	// Field is the name of the member; Want what should be there, in words; Length the characters of what is.
	Field, Want string
	Length      int
	// Near is a member that a stray one may have been meant as, Closed says that the schema refuses strays.
	Near   string
	Closed bool
}

// Faults are all differences between a manifest and the schema of its revision, in the order of the document.
func (f *File) Faults() []Fault { return check(f.Root(), f.Judged()) }

func check(root source.Node, r Revision) []Fault {
	c := &checker{rev: r}
	c.object(root, shapes())
	return c.faults
}

type checker struct {
	rev    Revision
	faults []Fault
	// strays are those so far: of the first ones is looked what they may have been meant as.
	strays int
}

func (c *checker) add(f Fault) { c.faults = append(c.faults, f) }

// named is the name of a field in the revision.
func (c *checker) named(f *field) string {
	if c.rev < camel && f.name[0] != '$' && f.name[0] != '_' && !strings.Contains(f.name, "/") {
		return snake(f.name)
	}
	return f.name
}

func (c *checker) has(f *field) bool { return f.since <= c.rev && (f.until == 0 || c.rev <= f.until) }

func (c *checker) object(n source.Node, s *shape) {
	known := map[string]*field{}
	for i := range s.fields {
		f := &s.fields[i]
		if !c.has(f) {
			continue
		}
		name := c.named(f)
		known[name] = f
		if f.required >= c.rev && !n.Get(name).Valid() {
			c.add(Fault{Kind: Missing, Node: n, Field: name})
		}
	}
	c.together(n, s, known)
	for m := range n.Children() {
		if m.Overridden() {
			continue
		}
		if f := known[m.Key()]; f != nil {
			c.value(m, m.Key(), &f.value)
			continue
		}
		if !s.open || m.Key() == OfficialMeta {
			meant := ""
			if c.strays++; c.strays <= limits.Default.RuleFindings {
				meant = near(m.Key(), known)
			}
			c.add(Fault{Kind: Stray, Node: m, Field: m.Key(), Near: meant, Closed: s.closed >= c.rev && s.closed != 0})
		}
	}
}

// together are the demands on members that hang on another: what a transport or an argument is decides what it must have.
func (c *checker) together(n source.Node, s *shape, known map[string]*field) {
	kind := n.Get("type").Text()
	if _, ok := known["url"]; ok && known["type"] != nil && kind != "stdio" && slices.Contains(known["type"].words, kind) && !n.Get("url").Valid() {
		c.add(Fault{Kind: Missing, Node: n, Field: "url"})
	}
	hint := "valueHint"
	if c.rev < camel {
		hint = snake(hint)
	}
	if _, ok := known[hint]; !ok {
		return
	}
	switch {
	case kind == "named" && !n.Get("name").Valid():
		c.add(Fault{Kind: Missing, Node: n, Field: "name"})
	case kind == "positional" && !n.Get("value").Valid() && !n.Get(hint).Valid():
		c.add(Fault{Kind: Missing, Node: n, Field: "value or " + hint})
	}
}

// near is the field that a stray member may have been meant as: by its old name, or by one that differs little.
func near(name string, known map[string]*field) string {
	var names []string
	for k := range known {
		if snake(k) == strings.ToLower(name) || strings.EqualFold(k, name) {
			return k
		}
		names = append(names, k)
	}
	slices.Sort(names)
	if hits := text.Nearest(name, names, 1); len(hits) > 0 && text.Distance(strings.ToLower(name), strings.ToLower(hits[0])) <= closeBy {
		return hits[0]
	}
	return ""
}

// closeBy is how many letters a misspelt name differs in.
const closeBy = 2

func (c *checker) value(n source.Node, name string, v *value) {
	if n.Kind() != v.kind {
		c.add(Fault{Kind: WrongType, Node: n, Field: name, Want: v.kind.String()})
		return
	}
	switch v.kind {
	case source.String:
		c.text(n, name, v)
	case source.Object:
		switch {
		case v.free && v.of != nil:
			for m := range n.Children() {
				c.each(m, m.Key(), v.of)
			}
		case !v.free:
			c.object(n, v.of)
		}
	case source.Array:
		for m := range n.Children() {
			if v.of != nil {
				c.each(m, name, v.of)
			} else {
				c.value(m, name, v.each)
			}
		}
	}
}

func (c *checker) each(n source.Node, name string, s *shape) {
	if n.Kind() != source.Object {
		c.add(Fault{Kind: WrongType, Node: n, Field: name, Want: source.Object.String()})
		return
	}
	c.object(n, s)
}

func (c *checker) text(n source.Node, name string, v *value) {
	s := n.Text()
	length := utf8.RuneCountInString(s)
	switch {
	case v.max > 0 && length > v.max:
		c.add(Fault{Kind: TooLong, Node: n, Field: name, Want: fmt.Sprint(v.max), Length: length})
	case length < v.min:
		c.add(Fault{Kind: TooShort, Node: n, Field: name, Want: fmt.Sprint(v.min), Length: length})
	case len(v.words) > 0 && !slices.Contains(v.words, s):
		c.add(Fault{Kind: WrongWord, Node: n, Field: name, Want: strings.Join(v.words, ", ")})
	case v.pattern != "" && v.patternSince <= c.rev && !form(v.pattern).MatchString(s):
		c.add(Fault{Kind: WrongForm, Node: n, Field: name, Want: v.pattern})
	case v.not != "" && s == v.not:
		c.add(Fault{Kind: Refused, Node: n, Field: name, Want: v.not})
	}
}

var compiled sync.Map

// form is a compiled pattern. There are as many as the table has.
func form(pattern string) *regexp.Regexp {
	if r, ok := compiled.Load(pattern); ok {
		return r.(*regexp.Regexp)
	}
	r := regexp.MustCompile(pattern)
	compiled.Store(pattern, r)
	return r
}
