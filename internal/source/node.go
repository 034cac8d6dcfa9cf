package source

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpassay/mcpassay/internal/finding"
)

// Node is a value of a document. The zero Node is no value: it is not Valid, and asking it anything answers nothing.
type Node struct {
	doc *Doc
	i   int32
}

// Valid says whether the node is a value.
func (n Node) Valid() bool { return n.doc != nil }

// Doc is the document that the node belongs to.
func (n Node) Doc() *Doc { return n.doc }

// Kind is the kind of the value.
func (n Node) Kind() Kind {
	if n.doc == nil {
		return Invalid
	}
	return n.doc.nodes[n.i].kind
}

// Span is the bytes of the value.
func (n Node) Span() finding.Span {
	if n.doc == nil {
		return finding.Span{}
	}
	at := &n.doc.nodes[n.i]
	return finding.Span{Start: int(at.start), End: int(at.end)}
}

// Raw is the text of the value.
func (n Node) Raw() []byte {
	s := n.Span()
	if n.doc == nil {
		return nil
	}
	return n.doc.Raw[s.Start:s.End]
}

// Shared says that the value is reached through a YAML alias, so that an edit would change it elsewhere too.
func (n Node) Shared() bool { return n.doc != nil && n.doc.nodes[n.i].shared }

// IsMember says whether the value has a name.
func (n Node) IsMember() bool { return n.doc != nil && n.doc.nodes[n.i].member }

// KeySpan is the bytes of the member's name, its quotes included; the value's own span where there is no name.
func (n Node) KeySpan() finding.Span {
	if !n.IsMember() {
		return n.Span()
	}
	if n.doc.details != nil {
		e := &n.doc.details[n.i]
		return finding.Span{Start: int(e.keyStart), End: int(e.keyEnd)}
	}
	at := &n.doc.nodes[n.i]
	if at.name > 0 {
		return finding.Span{Start: int(at.key), End: int(at.key) + int(at.name) + len(`""`)}
	}
	return finding.Span{Start: int(at.key), End: stringEnd(n.doc.Raw, int(at.key))}
}

// Key is the member's name, "" for an array item or the root.
func (n Node) Key() string {
	if n.doc == nil {
		return ""
	}
	if at := &n.doc.nodes[n.i]; at.name > 0 {
		return unsafe.String(&n.doc.Raw[at.key+1], at.name)
	}
	return n.oddKey()
}

// oddKey is a name that is not the bytes between its quotes, or may not be.
func (n Node) oddKey() string {
	if !n.IsMember() {
		return ""
	}
	if n.doc.details != nil {
		return n.doc.details[n.i].key
	}
	s := n.KeySpan()
	return n.doc.unquote(n.doc.Raw[s.Start:s.End])
}

// Parent is the value that holds this one.
func (n Node) Parent() Node {
	if n.doc == nil || n.doc.nodes[n.i].parent < 0 {
		return Node{}
	}
	return Node{n.doc, n.doc.nodes[n.i].parent}
}

func (n Node) first() int32 {
	if n.doc == nil || n.i+1 >= int32(len(n.doc.nodes)) || n.doc.nodes[n.i+1].parent != n.i {
		return -1
	}
	return n.i + 1
}

// Children are the members of an object or the items of an array, duplicates included.
func (n Node) Children() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for i := n.first(); i >= 0; i = n.doc.nodes[i].next {
			if !yield(Node{n.doc, i}) {
				return
			}
		}
	}
}

// Len is the number of children.
func (n Node) Len() int {
	c := 0
	for i := n.first(); i >= 0; i = n.doc.nodes[i].next {
		c++
	}
	return c
}

// Empty says that there are no children.
func (n Node) Empty() bool { return n.first() < 0 }

// At is the item of an array with that index.
func (n Node) At(index int) Node {
	if n.Kind() != Array || index < 0 {
		return Node{}
	}
	i := n.first()
	for ; i >= 0 && index > 0; index-- {
		i = n.doc.nodes[i].next
	}
	if i < 0 {
		return Node{}
	}
	return Node{n.doc, i}
}

// manyMembers is where a map pays for itself.
const manyMembers = 16

// Get is the member of that name: the last of its duplicates, as clients read it.
func (n Node) Get(key string) Node {
	if n.Kind() != Object {
		return Node{}
	}
	if x := n.doc.indexes[n.i]; x != nil {
		if i := x.find(key).node; i > 0 {
			return Node{n.doc, i}
		}
		return Node{}
	}
	found, count := int32(-1), 0
	for i := n.first(); i >= 0; i = n.doc.nodes[i].next {
		if (Node{n.doc, i}).Key() == key {
			found = i
		}
		count++
	}
	if count > manyMembers {
		n.index(count)
	}
	if found < 0 {
		return Node{}
	}
	return Node{n.doc, found}
}

// Repeats says that two members of the object have the same name.
func (n Node) Repeats() bool {
	if n.Kind() != Object {
		return false
	}
	count := 0
	for c := range n.Children() {
		if count++; count > manyMembers {
			count = n.Len()
			return n.index(count).names < count
		}
		key := c.Key()
		for i := n.first(); i != c.i; i = n.doc.nodes[i].next {
			if (Node{n.doc, i}).Key() == key {
				return true
			}
		}
	}
	return false
}

// index finds the members of an object by their names, the last of duplicates. It is made once.
func (n Node) index(count int) *index {
	x := n.doc.indexes[n.i]
	if x == nil {
		x = newIndex(n.doc, count)
		for c := range n.Children() {
			x.add(c.Key(), c.i)
		}
		if n.doc.indexes == nil {
			n.doc.indexes = map[int32]*index{}
		}
		n.doc.indexes[n.i] = x
	}
	return x
}

// All are the members of that name, first to last.
func (n Node) All(key string) []Node {
	var all []Node
	for c := range n.Children() {
		if c.IsMember() && c.Key() == key {
			all = append(all, c)
		}
	}
	return all
}

// Overridden says that a later member of the same object has the same name, so that no client reads this one.
func (n Node) Overridden() bool {
	if !n.IsMember() {
		return false
	}
	return n.Parent().Get(n.Key()) != n
}

// Str is the text of a string.
func (n Node) Str() (string, bool) {
	if n.Kind() != String {
		return "", false
	}
	if n.doc.details != nil {
		return n.doc.details[n.i].value, true
	}
	return n.doc.unquote(n.Raw()), true
}

// Inner is the bytes of a string's text, without the quotes. ok is false where escapes or a fold make the bytes differ
// from the text. Asking for the same string again costs nothing, however long it is.
func (n Node) Inner() (s finding.Span, ok bool) {
	if n.Kind() != String {
		return finding.Span{}, false
	}
	in := &n.doc.inner
	if !in.known || in.node != n.i {
		*in = inner{node: n.i, known: true, span: n.Span()}
		raw, text := n.Raw(), n.Text()
		switch {
		case len(raw) == len(text):
			in.ok = string(raw) == text
		case len(raw) == len(text)+2:
			in.span.Start++
			in.span.End--
			in.ok = string(raw[1:len(raw)-1]) == text
		}
	}
	return in.span, in.ok
}

// Text is the text of a string, "" for anything else.
func (n Node) Text() string {
	s, _ := n.Str()
	return s
}

// Bool is the value of a boolean.
func (n Node) Bool() (value, ok bool) {
	if n.Kind() != Bool {
		return false, false
	}
	return n.scalar() == "true", true
}

// Number is a number as it is written.
func (n Node) Number() (string, bool) {
	if n.Kind() != Number {
		return "", false
	}
	return n.scalar(), true
}

func (n Node) scalar() string {
	if n.doc.details != nil {
		return n.doc.details[n.i].value
	}
	return string(n.Raw())
}

// Pointer is the RFC 6901 JSON Pointer of the value.
func (n Node) Pointer() string { return n.path(true) }

// Shape is the pointer without the indexes of arrays: it stays the same when an item moves.
func (n Node) Shape() string { return n.path(false) }

// path writes the pointer from its end, since a node knows only its parent.
func (n Node) path(indexes bool) string {
	var buf [256]byte
	b := buf[:0]
	for n.Valid() && n.doc.nodes[n.i].parent >= 0 {
		if n.IsMember() {
			b = appendReversed(b, n.Key())
			b = append(b, '/')
		} else if indexes {
			b = appendReversed(b, strconv.Itoa(int(n.doc.nodes[n.i].key)))
			b = append(b, '/')
		}
		n = n.Parent()
	}
	slices.Reverse(b)
	return string(b)
}

// appendReversed writes a part of a pointer back to front, escaped.
func appendReversed(b []byte, part string) []byte {
	for i := len(part) - 1; i >= 0; i-- {
		switch part[i] {
		case '~':
			b = append(b, '0', '~')
		case '/':
			b = append(b, '1', '~')
		default:
			b = append(b, part[i])
		}
	}
	return b
}

// Equal compares two values by meaning: member order does not matter, the last duplicate counts, numbers are
// compared as written.
func Equal(a, b Node) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case Invalid, Null:
		return true
	case Array:
		i, j := a.first(), b.first()
		for i >= 0 && j >= 0 {
			if !Equal(Node{a.doc, i}, Node{b.doc, j}) {
				return false
			}
			i, j = a.doc.nodes[i].next, b.doc.nodes[j].next
		}
		return i < 0 && j < 0
	case Object:
		for c := range a.Children() {
			if !Equal(a.Get(c.Key()), b.Get(c.Key())) {
				return false
			}
		}
		for c := range b.Children() {
			if !a.Get(c.Key()).Valid() {
				return false
			}
		}
		return true
	case String:
		return a.Text() == b.Text()
	}
	return a.scalar() == b.scalar()
}

// unquote is the meaning of a quoted JSON string that is known to be well formed. Text without escapes is not copied:
// it is the document's own bytes, which nobody changes after Parse.
func (d *Doc) unquote(raw []byte) string {
	if len(raw) <= 2 {
		return ""
	}
	if d.Plain() {
		return unsafe.String(&raw[1], len(raw)-2)
	}
	if text := raw[1 : len(raw)-1]; bytes.IndexByte(text, '\\') >= 0 || d.BadText.Len() > 0 && !utf8.Valid(text) {
		out, _ := jsontext.AppendUnquote(make([]byte, 0, len(raw)), raw)
		return unsafe.String(unsafe.SliceData(out), len(out))
	}
	return unsafe.String(&raw[1], len(raw)-2)
}

// stringEnd is the offset after the closing quote of the string that starts at i.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}
