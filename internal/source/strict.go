package source

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
)

// Ambiguous finds what parsers of JSON read in different ways, so that who judges a document and who acts on it may see two: a
// name that stands twice in an object with values that mean different things (RFC 8259, section 4), and a number that no double
// holds (section 6). why is "" where there is none of it.
func (d *Doc) Ambiguous() (at finding.Span, why string) {
	for i := range d.nodes {
		switch n := &d.nodes[i]; n.kind {
		case Object:
			if m := (Node{d, int32(i)}).conflict(); m.Valid() {
				return m.KeySpan(), "a name stands twice, with different values"
			}
		case Number:
			if text := d.Raw[n.start:n.end]; len(text) > doubleDigits || bytes.ContainsAny(text, "eE") {
				if f, err := strconv.ParseFloat(string(text), 64); err != nil && math.IsInf(f, 0) {
					return (Node{d, int32(i)}).Span(), "a number is larger than any that a double holds"
				}
			}
		}
	}
	return finding.Span{}, ""
}

// doubleDigits is how many characters a number without an exponent has at most that is surely a double.
const doubleDigits = 300

// conflict is a member whose name an earlier one has too, with another value.
func (n Node) conflict() Node {
	first := n.first()
	if first < 0 || n.doc.nodes[first].next < 0 {
		return Node{}
	}
	count := 0
	for i := first; i >= 0; i = n.doc.nodes[i].next {
		if count++; count > manyMembers {
			return n.crowded()
		}
		for k := first; k != i; k = n.doc.nodes[k].next {
			a, b := &n.doc.nodes[k], &n.doc.nodes[i]
			if a.name != b.name || a.name != 0 && n.doc.Raw[a.key+1] != n.doc.Raw[b.key+1] {
				continue
			}
			if one, two := (Node{n.doc, k}), (Node{n.doc, i}); one.Key() == two.Key() && !Equal(one, two) {
				return two
			}
		}
	}
	return Node{}
}

// crowded is conflict for an object with many members.
func (n Node) crowded() Node {
	if !n.Repeats() {
		return Node{}
	}
	seen := map[string]Node{}
	for c := range n.Children() {
		if was, ok := seen[c.Key()]; ok && !Equal(was, c) {
			return c
		}
		seen[c.Key()] = c
	}
	return Node{}
}

// Alias is a member whose name differs from an earlier one's in case alone: some parsers take it for that one. The zero Node: none.
func (n Node) Alias() Node {
	names := make([]string, 0, 8)
	for c := range n.Children() {
		key := c.Key()
		for _, name := range names {
			if len(name) == len(key) && name != key && strings.EqualFold(name, key) {
				return c
			}
		}
		if names = append(names, key); len(names) > manyMembers {
			return Node{}
		}
	}
	return Node{}
}

// Within is the bytes of a string's text from start to end, in a JSON document: its escapes are counted by what they stand for.
// With key it is the member's name that is meant.
func (n Node) Within(start, end int, key bool) finding.Span {
	s := n.Span()
	if key {
		s = n.KeySpan()
	}
	raw := n.doc.Raw[s.Start:s.End]
	from, to := len(raw)-1, len(raw)-1
	text := 0
	for i := 1; i < len(raw)-1; {
		if text >= start && from == len(raw)-1 {
			from = i
		}
		if text >= end {
			to = i
			break
		}
		wide, stands := 1, 1
		if raw[i] == '\\' {
			wide, stands = escapeWidth(raw, i)
		}
		i += wide
		text += stands
	}
	return finding.Span{Start: s.Start + from, End: s.Start + max(from, to)}
}

// escapeWidth is how many bytes the escape at i has, and for how many bytes of text it stands.
func escapeWidth(raw []byte, i int) (wide, stands int) {
	unit, ok := escapedUnit(raw, i)
	switch {
	case !ok:
		return 2, 1
	case unit < 0x80:
		return 6, 1
	case unit < 0x800:
		return 6, 2
	case unit >= 0xD800 && unit < 0xDC00:
		if low, ok := escapedUnit(raw, i+6); ok && low >= 0xDC00 && low < 0xE000 {
			return 12, 4
		}
	}
	return 6, 3
}
