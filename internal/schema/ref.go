package schema

import (
	"bytes"
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/source"
)

// identifies says whether a document may hold identifiers: its bytes name a keyword for them, or hold an escape that
// can hide one.
func identifies(n source.Node, d Dialect) bool {
	raw := n.Raw()
	if d == Draft4 || n.Doc().Format != source.JSON || bytes.Contains(raw, []byte(`\u`)) {
		return true
	}
	for {
		i := bytes.IndexByte(raw, '$')
		if i < 0 {
			return false
		}
		raw = raw[i+1:]
		for _, name := range [...]string{"id", "anchor", "dynamicAnchor", "recursiveAnchor"} {
			if len(raw) > len(name) && string(raw[:len(name)]) == name && raw[len(name)] == '"' {
				return true
			}
		}
	}
}

// anchorName says whether the text may be a plain-name fragment.
func anchorName(s string, d Dialect) bool {
	for i, c := range []byte(s) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' && d != Draft2019
		if !letter && (i == 0 || !('0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == ':' && d == Draft2019)) {
			return false
		}
	}
	return s != ""
}

// identify reads what gives a schema a name, and answers the resource that it belongs to: its own with an $id.
func (c *checker) identify(n source.Node, at, res int32) int32 {
	d := c.resources[res].dialect
	name := "$id"
	if d == Draft4 {
		name = "id"
	}
	hidden := d.refHides() && n.Get("$ref").Kind() == source.String
	if v := n.Get(name); v.Kind() == source.String && !hidden {
		id := v.Text()
		rest, fragment, _ := strings.Cut(id, "#")
		switch u, err := c.resolve(c.resources[res].uri, rest); {
		case err != nil:
			c.add(Fault{Kind: BadURI, Node: v, Name: id})
		case fragment != "" && !d.refHides():
			c.add(Fault{Kind: BadName, Node: v, Name: id})
		default:
			if rest != "" {
				if s, ok := n.Get("$schema").Str(); ok && at != c.resources[res].root {
					if own := DialectOf(s); own != Unknown {
						d = own
					}
				}
				if at == c.resources[res].root {
					c.resources[res].uri = u
				} else {
					c.resources = append(c.resources, resource{root: at, uri: u, dialect: d})
					res = int32(len(c.resources) - 1)
					c.records[at].res = res
				}
				c.register(u, res, v)
			}
			if fragment != "" && fragment[0] != '/' {
				c.name(anchorKey{res, fragment}, at, v, false)
			}
		}
	}
	if d >= Draft2019 {
		if v, ok := n.Get("$anchor").Str(); ok {
			c.name(anchorKey{res, v}, at, n.Get("$anchor"), false)
		}
	}
	if d >= Draft2020 {
		if v, ok := n.Get("$dynamicAnchor").Str(); ok {
			c.name(anchorKey{res, v}, at, n.Get("$dynamicAnchor"), true)
		}
	}
	if v, _ := n.Get("$recursiveAnchor").Bool(); v && d == Draft2019 && at == c.resources[res].root {
		c.name(anchorKey{res, ""}, at, source.Node{}, true)
	}
	return res
}

func (c *checker) register(uri string, res int32, v source.Node) {
	if c.byURI == nil {
		c.byURI = map[string]int32{}
	}
	if other, ok := c.byURI[uri]; ok && other != res {
		c.add(Fault{Kind: SameName, Node: v, Name: uri, Other: c.records[c.resources[other].root].node})
		return
	}
	c.byURI[uri] = res
}

func (c *checker) name(k anchorKey, at int32, v source.Node, dynamic bool) {
	if c.anchors == nil {
		c.anchors = map[anchorKey]anchored{}
	}
	if other, ok := c.anchors[k]; ok && other.at != at {
		c.add(Fault{Kind: SameName, Node: v, Name: k.name, Other: c.records[other.at].node})
		return
	}
	c.anchors[k] = anchored{at, dynamic}
}

var errLongURI = errors.New("a URI is too long")

// resolve is a URI reference against a base (RFC 3986, section 5), both without fragments. Long ones are refused:
// many references against one long base would take time quadratic in the document.
func (c *checker) resolve(base, s string) (string, error) {
	if len(base)+len(s) > c.o.Limits.SchemaURIBytes {
		return "", errLongURI
	}
	u, err := url.Parse(s)
	if err != nil {
		return "", err
	}
	if base == "" || u.IsAbs() {
		return s, nil
	}
	if s == "" {
		return base, nil
	}
	b, err := url.Parse(base)
	if err != nil || b.Opaque != "" {
		return s, nil
	}
	return b.ResolveReference(u).String(), nil
}

// resolveAll finds where the references lead. What they lead to may hold references.
func (c *checker) resolveAll() {
	c.index()
	for i := 0; i < len(c.refs); i++ {
		c.refs[i].to = c.find(i)
	}
}

// index finds records by their values.
func (c *checker) index() {
	c.byNode = make(map[source.Node]int32, len(c.records))
	for i := range c.records {
		c.byNode[c.records[i].node] = int32(i)
	}
}

// find is where a reference leads.
func (c *checker) find(i int) int32 {
	r := c.refs[i]
	s := r.node.Text()
	res := c.records[r.from].res
	rest, fragment, _ := strings.Cut(s, "#")
	if rest != "" {
		u, err := c.resolve(c.resources[res].uri, rest)
		if err != nil {
			c.add(Fault{Kind: BadURI, Node: r.node, Name: s})
			return nowhere
		}
		if at, ok := c.byURI[u]; ok {
			res = at
		} else if at, ok := c.load(u); ok {
			res = at
		} else if metaschema(u) {
			return toMeta
		} else {
			kind := Elsewhere
			if network(u) {
				kind = Network
			}
			c.add(Fault{Kind: kind, Node: r.node, Name: s, Want: u})
			return nowhere
		}
	}
	plain, err := url.PathUnescape(fragment)
	if err != nil {
		c.add(Fault{Kind: BadURI, Node: r.node, Name: s})
		return nowhere
	}
	root := c.resources[res].root
	switch {
	case plain == "":
		return root
	case plain[0] != '/':
		if a, ok := c.anchors[anchorKey{res, plain}]; ok {
			c.refs[i].anchor = plain
			return a.at
		}
	default:
		if to := c.follower.follow(c.records[root].node, plain); to.Valid() {
			return c.at(to, r.node)
		}
	}
	if c.cut {
		return unexplored
	}
	c.add(Fault{Kind: Dangling, Node: r.node, Name: s})
	return nowhere
}

// at is the record of a value that a reference leads to. What no keyword leads to is read as a schema now.
func (c *checker) at(n, from source.Node) int32 {
	if at, ok := c.byNode[n]; ok {
		return at
	}
	if k := n.Kind(); k != source.Object && k != source.Bool {
		c.add(Fault{Kind: Dangling, Node: from, Name: from.Text(), Other: n})
		return nowhere
	}
	around, depth := n.Parent(), 1
	at, ok := c.byNode[around]
	for ; !ok && around.Valid(); at, ok = c.byNode[around] {
		around, depth = around.Parent(), depth+1
	}
	if !ok {
		return nowhere
	}
	next := int32(len(c.records))
	c.schema(n, -1, stored, 0, c.records[at].res, true)
	if len(c.records) == int(next) {
		return unexplored
	}
	return next
}

// load reads a document that is at hand.
func (c *checker) load(uri string) (res int32, ok bool) {
	if c.o.Remote == nil {
		return 0, false
	}
	root := c.o.Remote(uri)
	if !root.Valid() {
		return 0, false
	}
	mute, lenient, ids := c.mute, c.lenient, c.ids
	c.mute = true
	d := c.resources[0].dialect
	if s, ok := root.Get("$schema").Str(); ok {
		if own := DialectOf(s); own != Unknown {
			d = own
		}
	}
	res = int32(len(c.resources))
	at := c.document(root, uri, d, false)
	c.mute, c.lenient, c.ids = mute, lenient, ids
	if int(at) == len(c.records) { // its root is no schema, or beyond the limit
		delete(c.byURI, uri)
		return 0, false
	}
	return res, true
}

// vocabularyOf is the dialect that a metaschema at hand stands on, and whether it leaves out what asserts.
func (c *checker) vocabularyOf(uri string) (d Dialect, noAssertions, known bool) {
	if c.o.Remote == nil {
		return Unknown, false, false
	}
	m := c.o.Remote(strings.TrimSuffix(uri, "#"))
	d = DialectOf(m.Get("$schema").Text())
	v := m.Get("$vocabulary")
	return d, v.Valid() && !v.Get(d.vocabulary("validation")).Valid(), d != Unknown
}

// network says that a URI leads to another host, or to a file.
func network(uri string) bool {
	u, err := url.Parse(uri)
	if err != nil {
		return true
	}
	switch u.Scheme {
	case "":
		return u.Host != ""
	case "urn", "tag", "uuid", "did", "about":
		return false
	}
	return true
}

// follower follows JSON pointers. It indexes the arrays and objects on its way, so that many pointers through a large
// one cost no more than their bytes.
type follower struct {
	items   map[source.Node][]source.Node
	members map[source.Node]map[string]source.Node
}

func (f *follower) follow(n source.Node, pointer string) source.Node {
	for part := range strings.SplitSeq(pointer[1:], "/") {
		if strings.IndexByte(part, '~') >= 0 {
			part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		}
		switch n.Kind() {
		case source.Array:
			n = f.item(n, part)
		case source.Object:
			n = f.member(n, part)
		default:
			return source.Node{}
		}
	}
	return n
}

func (f *follower) item(n source.Node, part string) source.Node {
	i, err := strconv.Atoi(part)
	if err != nil || i < 0 || part[0] == '+' || len(part) > 1 && part[0] == '0' {
		return source.Node{}
	}
	if i < few {
		return n.At(i)
	}
	list, ok := f.items[n]
	if !ok {
		list = slices.Collect(n.Children())
		if f.items == nil {
			f.items = map[source.Node][]source.Node{}
		}
		f.items[n] = list
	}
	if i >= len(list) {
		return source.Node{}
	}
	return list[i]
}

func (f *follower) member(n source.Node, part string) source.Node {
	if n.Doc().Plain() {
		return n.Get(part)
	}
	m, ok := f.members[n]
	if !ok {
		m = make(map[string]source.Node, n.Len())
		for c := range n.Children() {
			m[c.Key()] = c
		}
		if f.members == nil {
			f.members = map[source.Node]map[string]source.Node{}
		}
		f.members[n] = m
	}
	return m[part]
}

// step is a schema on the way of a walk through the graph of schemas.
type step struct {
	at    int32
	child int32 // the next child to look at
	ref   int32 // the next reference to look at
	via   int32 // the reference that led here, -1 for a child
}

const (
	unseen = iota
	onTheWay
	done
)

// loops finds the references that lead back without a step into the value, and counts what an expansion would give.
func (c *checker) loops() {
	state := make([]uint8, len(c.records))
	c.stack = c.stack[:0]
	for i := range c.records {
		c.walk(int32(i), true, state, nil)
	}
	clear(state)
	size := make([]int64, len(c.records))
	c.walk(0, false, state, size)
	c.result.Expansion = size[0]
	if size[0] > c.o.Limits.SchemaExpansion {
		c.add(Fault{Kind: Maze, Node: c.records[0].node})
	}
}

// walk goes through the graph from a schema, depth first: over the schemas for the same value only, or over all and
// then adding up sizes. It keeps its own stack, since a chain of references may be as long as a document.
func (c *checker) walk(from int32, same bool, state []uint8, size []int64) {
	if state[from] != unseen {
		return
	}
	enter := func(stack []step, at, via int32) []step {
		state[at] = onTheWay
		if size != nil {
			size[at] = 1
		}
		return append(stack, step{at, at + 1, c.records[at].refs, via})
	}
	stack := enter(c.stack[:0], from, -1)
	defer func() { c.stack = stack[:0] }()
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		r := &c.records[top.at]
		var to, via int32
		switch {
		case top.ref >= 0:
			via = top.ref
			to = c.refs[via].to
			top.ref = c.refs[via].next
			if to < 0 {
				continue
			}
		case top.child < r.end:
			to, via = top.child, -1
			child := &c.records[to]
			top.child = child.end
			if child.edge == stored || r.hidden || same && child.edge == away {
				continue
			}
		default:
			state[top.at] = done
			at := top.at
			stack = stack[:len(stack)-1]
			if size != nil && len(stack) > 0 {
				up := stack[len(stack)-1].at
				size[up] = addSat(size[up], size[at])
			}
			continue
		}
		switch state[to] {
		case unseen:
			stack = enter(stack, to, via)
		case onTheWay:
			if same {
				c.endless(stack, via)
			}
			if size != nil {
				size[top.at] = addSat(size[top.at], 1)
			}
		case done:
			if size != nil {
				size[top.at] = addSat(size[top.at], size[to])
			}
		}
	}
}

// endless names the last reference on the way to where the loop closes.
func (c *checker) endless(stack []step, via int32) {
	for i := len(stack) - 1; via < 0 && i >= 0; i-- {
		via = stack[i].via
	}
	if via >= 0 && !c.refs[via].said {
		c.refs[via].said = true
		c.add(Fault{Kind: Endless, Node: c.refs[via].node, Name: c.refs[via].node.Text()})
	}
}

func (c *checker) sort() {
	slices.SortStableFunc(c.faults, func(a, b Fault) int { return cmp.Compare(a.Node.Span().Start, b.Node.Span().Start) })
}
