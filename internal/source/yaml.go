package source

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// yamlReader turns the nodes of yaml.v3 into a tree. Those nodes know the line and the column where they start (both
// from 1, in code points) and not where they end, so one cursor walks the bytes along with the tree and finds the
// ends: of a quoted scalar by its quotes, of the others by the characters that their values are made of.
type yamlReader struct {
	d      *Doc
	lim    limits.Set
	skip   int // what yaml.v3 does not see of Raw: the byte order mark
	at     int // everything in front is read
	values int
	copied int // values that aliases repeat

	starts            []int // of the lines, as yaml.v3 counts them
	line, column, off int   // the last answer of offset
	anchors           map[*yaml.Node]*branch
}

func (d *Doc) parseYAML(lim limits.Set) error {
	text, skip := d.body()
	if len(text) > lim.YAMLBytes {
		return &SyntaxError{Msg: fmt.Sprintf("YAML of more than %d bytes", lim.YAMLBytes), Cause: "size"}
	}
	if i := invalidUTF8(text); i >= 0 {
		return &SyntaxError{Msg: "the text is not UTF-8", Offset: i + skip, Cause: "encoding"}
	}
	for bytes.HasPrefix(text, []byte("\uFEFF")) { // yaml.v3 would take one more mark and not count it
		text, skip = text[3:], skip+3
	}
	r := &yamlReader{d: d, lim: lim, skip: skip, at: skip, anchors: map[*yaml.Node]*branch{}}
	r.indexLines()
	doc, err := r.document(text)
	if err != nil {
		return err
	}
	var root *branch
	if doc != nil {
		if root, err = r.node(doc, 0, 0); err != nil {
			return err
		}
	}
	r.moveTo(len(d.Raw))
	if root != nil {
		d.flatten(root)
	}
	return nil
}

// document is the first document of the text. Others may only be empty: a client that reads one value either refuses
// them or never sees them. No depth is refused before: yaml.v3 itself stops at 10,000, which costs little.
func (r *yamlReader) document(text []byte) (first *yaml.Node, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	defer func() {
		if p := recover(); p != nil {
			first, err = nil, &SyntaxError{Msg: fmt.Sprintf("the parser gave up: %v", p)}
		}
	}()
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if err == io.EOF {
			return first, nil
		}
		if err != nil {
			return nil, r.syntaxError(dec, err)
		}
		if len(doc.Content) == 0 {
			continue
		}
		value := doc.Content[0]
		if first == nil {
			first = value
		} else if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!null" {
			return nil, &SyntaxError{Msg: "more than one document", Offset: r.position(value.Line, value.Column)}
		}
	}
}

// moveTo moves the cursor forward over white space, indicators and comments, which are remembered.
func (r *yamlReader) moveTo(to int) {
	for r.at < to {
		if r.d.Raw[r.at] == '#' {
			r.comment()
		} else {
			r.at++
		}
	}
}

func (r *yamlReader) comment() {
	start := r.at
	for r.at < len(r.d.Raw) && breakAt(r.d.Raw, r.at) == 0 {
		r.at++
	}
	r.d.Comments = append(r.d.Comments, finding.Span{Start: start, End: r.at})
}

// blank moves over white space and comments.
func (r *yamlReader) blank() {
	for r.at < len(r.d.Raw) {
		if n := blankAt(r.d.Raw, r.at); n > 0 {
			r.at += n
		} else if r.d.Raw[r.at] == '#' {
			r.comment()
		} else {
			return
		}
	}
}

// properties moves over the anchor and the tag in front of a value, and up to the value unless that is empty.
func (r *yamlReader) properties(n *yaml.Node, empty bool) {
	own := 0
	if n.Anchor != "" {
		own++
	}
	if n.Style&yaml.TaggedStyle != 0 {
		own++
	}
	for raw := r.d.Raw; r.at < len(raw) && (raw[r.at] == '&' || raw[r.at] == '!'); {
		anchor := raw[r.at] == '&'
		for r.at++; r.at < len(raw) && blankAt(raw, r.at) == 0 && (!anchor || bare(string(raw[r.at]))); r.at++ {
		}
		if own--; own <= 0 && empty {
			return
		}
		r.blank()
	}
}

// indicator moves behind the colon, dash or question mark after which an empty value has its place.
func (r *yamlReader) indicator(c byte) {
	at, comments := r.at, len(r.d.Comments)
	r.blank()
	if r.at < len(r.d.Raw) && r.d.Raw[r.at] == c {
		r.at++
		return
	}
	r.at, r.d.Comments = at, r.d.Comments[:comments]
}

const (
	quotedStyles = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle
	blockStyles  = yaml.LiteralStyle | yaml.FoldedStyle
)

// node reads a value and leaves the cursor at its end. Its span is without anchor and tag. Lead is the indicator that
// stands in front of it.
func (r *yamlReader) node(n *yaml.Node, depth int, lead byte) (*branch, error) {
	if r.values++; r.values > r.lim.Values {
		return nil, &SyntaxError{Msg: fmt.Sprintf("more than %d values", r.lim.Values), Offset: r.at, Cause: "size"}
	}
	if n.Kind == yaml.AliasNode {
		return r.alias(n, depth)
	}
	empty := n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&(quotedStyles|blockStyles) == 0
	tagged := n.Anchor != "" || n.Style&yaml.TaggedStyle != 0
	if empty && !tagged {
		r.indicator(lead)
	} else {
		r.moveTo(r.offset(n))
	}
	// The anchor at the start of a block mapping without one is that of its first key.
	if tagged || n.Kind == yaml.ScalarNode && !empty || n.Style&yaml.FlowStyle != 0 && !pair(n) {
		r.properties(n, empty)
	}
	b := &branch{kind: kindYAML(n), start: r.at, value: n.Value}
	if b.kind == Bool {
		b.value = strings.ToLower(b.value)
	}
	var err error
	switch {
	case n.Kind != yaml.ScalarNode:
		err = r.collection(n, b, depth)
	case !empty:
		err = r.scalar(n)
	}
	b.end = r.at
	if n.Anchor != "" && err == nil {
		r.anchors[n] = b
	}
	return b, err
}

// kindYAML is the kind of what yaml.v3 resolves a node to. A tag that its value does not bear makes it a string.
func kindYAML(n *yaml.Node) Kind {
	switch n.Kind {
	case yaml.MappingNode:
		return Object
	case yaml.SequenceNode:
		return Array
	}
	tag := n.ShortTag()
	plain := tag
	if n.Style&yaml.TaggedStyle != 0 {
		plain = (&yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}).ShortTag()
	}
	switch {
	case tag == "!!null" && plain == tag:
		return Null
	case tag == "!!bool" && plain == tag:
		return Bool
	case (tag == "!!int" || tag == "!!float") && (plain == "!!int" || plain == "!!float"):
		return Number
	}
	return String
}

// pair says that a flow mapping is an item of a list and has no braces of its own: [a: b].
func pair(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && len(n.Content) > 0 && n.Line == n.Content[0].Line && n.Column == n.Content[0].Column
}

func (r *yamlReader) scalar(n *yaml.Node) error {
	raw := r.d.Raw
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		r.at = stringEnd(raw, r.at)
	case n.Style&yaml.SingleQuotedStyle != 0:
		for r.at++; r.at < len(raw); r.at++ {
			if raw[r.at] != '\'' {
				continue
			}
			if r.at++; r.at == len(raw) || raw[r.at] != '\'' {
				break
			}
		}
	case n.Style&blockStyles != 0:
		for r.at < len(raw) && bytes.IndexByte([]byte("|>+-123456789"), raw[r.at]) >= 0 {
			r.at++
		}
		if strings.TrimLeft(n.Value, " \t\n\u2028\u2029") == "" {
			return nil
		}
		for r.at < len(raw) && breakAt(raw, r.at) == 0 {
			if raw[r.at] == '#' {
				r.comment()
			} else {
				r.at++
			}
		}
		if err := r.match(n.Value); err != nil {
			return err
		}
		for r.at < len(raw) && breakAt(raw, r.at) == 0 {
			r.at++
		}
	default:
		return r.match(n.Value)
	}
	return nil
}

// match moves behind the characters of a value that is written without escapes. White space is not compared: that of
// a folded value is not what is written.
func (r *yamlReader) match(value string) error {
	raw, v := r.d.Raw, []byte(value)
	for i := 0; i < len(v); {
		if n := blankAt(v, i); n > 0 {
			i += n
			continue
		}
		for r.at < len(raw) && blankAt(raw, r.at) > 0 {
			r.at += blankAt(raw, r.at)
		}
		if r.at == len(raw) || raw[r.at] != v[i] {
			return &SyntaxError{Msg: "a value is not where the parser saw it", Offset: r.at}
		}
		r.at++
		i++
	}
	return nil
}

func (r *yamlReader) collection(n *yaml.Node, b *branch, depth int) error {
	if depth >= r.lim.Depth {
		return tooDeep(r.at, r.lim)
	}
	raw := r.d.Raw
	flow := n.Style&yaml.FlowStyle != 0
	closed := flow && !pair(n) && r.at < len(raw) && (raw[r.at] == '[' || raw[r.at] == '{')
	if closed {
		r.at++
	}
	if b.kind == Array {
		lead := byte('-')
		if flow {
			lead = 0
		}
		for _, c := range n.Content {
			item, err := r.node(c, depth+1, lead)
			if err != nil {
				return err
			}
			b.kids = append(b.kids, item)
		}
	} else if err := r.members(n, b, depth); err != nil {
		return err
	}
	for closed && r.at < len(raw) {
		c := raw[r.at]
		if c == '#' {
			r.comment()
			continue
		}
		r.at++
		closed = c != ']' && c != '}'
	}
	return nil
}

func (r *yamlReader) members(n *yaml.Node, b *branch, depth int) error {
	var merged []*branch
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		key, err := r.node(k, depth+1, '?')
		if err != nil {
			return err
		}
		m, err := r.node(n.Content[i+1], depth+1, ':')
		if err != nil {
			return err
		}
		if k.ShortTag() == "!!merge" && mergeable(m) {
			merged = append(merged, mergedMembers(m)...)
			continue
		}
		m.member, m.keyStart, m.keyEnd = true, key.start, key.end
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		m.key = k.Value
		if k.Kind != yaml.ScalarNode {
			m.key = string(r.d.Raw[key.start:key.end])
		}
		b.kids = append(b.kids, m)
	}
	// What is merged comes first, wherever it stands, so that the last of a name is the one that counts.
	b.kids = append(merged, b.kids...)
	return nil
}

func mergeable(b *branch) bool {
	return b.kind == Object || b.kind == Array && !slices.ContainsFunc(b.kids, func(k *branch) bool { return k.kind != Object })
}

// mergedMembers are the members that `<<: value` brings. The first of a list of mappings counts, so it comes last.
func mergedMembers(b *branch) []*branch {
	if b.kind == Object {
		share(b)
		return b.kids
	}
	var all []*branch
	for _, k := range slices.Backward(b.kids) {
		all = append(all, mergedMembers(k)...)
	}
	return all
}

func share(b *branch) {
	b.shared = true
	for _, k := range b.kids {
		share(k)
	}
}

// alias reads `*name`: a copy of what has that anchor, whose own span is the alias and whose parts stay where they are.
func (r *yamlReader) alias(n *yaml.Node, depth int) (*branch, error) {
	r.moveTo(r.offset(n))
	start := r.at
	source := r.anchors[n.Alias]
	if source == nil {
		return nil, &SyntaxError{Msg: "an alias of the value that it stands in", Offset: start}
	}
	b, err := r.copy(source, depth)
	if err != nil {
		return nil, err
	}
	r.at += 1 + len(n.Value)
	b.start, b.end = start, r.at
	b.member, b.key, b.keyStart, b.keyEnd = false, "", 0, 0
	return b, nil
}

func (r *yamlReader) copy(b *branch, depth int) (*branch, error) {
	if r.copied++; r.copied > r.lim.AliasValues {
		return nil, &SyntaxError{Msg: fmt.Sprintf("aliases repeat more than %d values", r.lim.AliasValues), Offset: r.at, Cause: "size"}
	}
	if depth >= r.lim.Depth && (b.kind == Object || b.kind == Array) {
		return nil, tooDeep(r.at, r.lim)
	}
	c := *b
	c.shared = true
	c.kids = make([]*branch, 0, len(b.kids))
	for _, k := range b.kids {
		kid, err := r.copy(k, depth+1)
		if err != nil {
			return nil, err
		}
		c.kids = append(c.kids, kid)
	}
	return &c, nil
}
