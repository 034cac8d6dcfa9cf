package source

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// defined says what made the last member of a name, and so who may add to it.
type defined uint8

const (
	byValue    defined = iota // a scalar, an array or an inline table: nobody
	byDots                    // a part of a dotted key: dotted keys, and headers of longer names
	byLonger                  // a part of the header of a longer name: its own header, once
	byHeader                  // its own header: headers of longer names
	byElements                // [[name]]: the same again, and headers of longer names for its last element
)

// table is an object that is still being read. Its members are the last ones of each name.
type table struct {
	*branch
	by      defined
	depth   int
	members map[string]*table
	element *table // the last one, of an array of tables
}

// tomlReader makes one tree of the expressions that go-toml reads one by one. go-toml's own decoder is of no use: it
// forgets where things are, refuses duplicates, and looks names up in linear time.
type tomlReader struct {
	d       *Doc
	parser  unstable.Parser
	lim     limits.Set
	skip    int // what go-toml does not see of Raw: the byte order mark
	at      int // everything in front is read
	root    *table
	current *table // where key = value goes
}

func (d *Doc) parseTOML(lim limits.Set) error {
	text, skip := d.body()
	if i := invalidUTF8(text); i >= 0 {
		return &SyntaxError{Msg: "the text is not UTF-8", Offset: i + skip, Cause: "encoding"}
	}
	if err := measureTOML(d.Raw, skip, lim); err != nil {
		return err
	}
	r := &tomlReader{d: d, lim: lim, skip: skip, at: skip}
	r.root = &table{branch: &branch{kind: Object, start: skip, end: len(d.Raw)}, by: byHeader}
	r.current = r.root
	r.parser.Reset(text)
	for r.parser.NextExpression() {
		if err := r.expression(r.parser.Expression()); err != nil {
			return err
		}
	}
	if err := r.parser.Error(); err != nil {
		e := &SyntaxError{Msg: err.Error()}
		var pe *unstable.ParserError
		if errors.As(err, &pe) {
			e.Offset = cap(text) - cap(pe.Highlight) + skip
		}
		return e
	}
	r.blank()
	if len(r.root.kids) > 0 {
		closeTables(r.root.branch)
		d.flatten(r.root.branch)
	}
	return nil
}

// measureTOML refuses brackets that nest too deep before a parser recurses into them, and more values than a tree
// may hold: every value follows a bracket, a comma, a dot or an equals sign.
func measureTOML(raw []byte, at int, lim limits.Set) error {
	depth, values := 0, 0
	for at < len(raw) {
		switch raw[at] {
		case '#':
			at = commentEndTOML(raw, at)
			continue
		case '"', '\'':
			at = stringEndTOML(raw, at)
			continue
		case '[', '{':
			depth++
			values++
			if depth > lim.Depth {
				return tooDeep(at, lim)
			}
		case ']', '}':
			depth = max(depth-1, 0)
		case ',', '.', '=':
			values++
		}
		at++
	}
	if values > lim.Values {
		return &SyntaxError{Msg: fmt.Sprintf("more than %d values", lim.Values), Cause: "size"}
	}
	return nil
}

func tooDeep(at int, lim limits.Set) *SyntaxError {
	return &SyntaxError{Msg: fmt.Sprintf("nested more than %d deep", lim.Depth), Offset: at, Cause: "depth"}
}

// stringEndTOML is the offset after the string that starts at i, or where one that is not closed stops being one.
func stringEndTOML(raw []byte, i int) int {
	quote := raw[i]
	long := i+2 < len(raw) && raw[i+1] == quote && raw[i+2] == quote
	if long {
		i += 2
	}
	for i++; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\\' && quote == '"':
			i++
		case c == '\n' && !long:
			return i
		case c == quote && !long:
			return i + 1
		case c == quote && i+2 < len(raw) && raw[i+1] == quote && raw[i+2] == quote:
			// Up to two more quotes belong to the string.
			i += 3
			for more := 0; more < 2 && i < len(raw) && raw[i] == quote; more++ {
				i++
			}
			return i
		}
	}
	return len(raw)
}

func commentEndTOML(raw []byte, i int) int {
	if n := bytes.IndexByte(raw[i:], '\n'); n >= 0 {
		end := i + n
		if end > i && raw[end-1] == '\r' {
			end--
		}
		return end
	}
	return len(raw)
}

// blank moves over white space, commas and comments, which are remembered.
func (r *tomlReader) blank() {
	for raw := r.d.Raw; r.at < len(raw); r.at++ {
		switch c := raw[r.at]; {
		case c == '#':
			end := commentEndTOML(raw, r.at)
			r.d.Comments = append(r.d.Comments, finding.Span{Start: r.at, End: end})
			r.at = end - 1
		case !blankByte(c) && c != ',':
			return
		}
	}
}

func (r *tomlReader) expression(n *unstable.Node) error {
	r.blank()
	if n.Kind == unstable.KeyValue {
		err := r.keyValue(r.current, n)
		r.current.end = max(r.current.end, r.at)
		return err
	}
	start := r.at
	t := r.root
	for it := n.Key(); it.Next(); {
		key := r.span(it.Node())
		r.at = key.End
		name := string(it.Node().Data)
		var err error
		switch {
		case !it.IsLast():
			t, err = r.enter(t, name, key, byLonger)
		case n.Kind == unstable.Table:
			t, err = r.header(t, name, key)
		default:
			t, err = r.elementHeader(t, name, key, start)
		}
		if err != nil {
			return err
		}
	}
	r.at = skipBlank(r.d.Raw, r.at) + 1 // the bracket
	if n.Kind == unstable.ArrayTable {
		r.at++
	}
	t.start, t.end = start, r.at
	r.current = t
	return nil
}

// header is the table that [name] opens in t.
func (r *tomlReader) header(t *table, name string, key finding.Span) (*table, error) {
	if m := t.members[name]; m != nil && m.by == byLonger {
		m.by, m.keyStart, m.keyEnd = byHeader, key.Start, key.End
		return m, nil
	}
	return r.add(t, name, key, Object, byHeader)
}

// elementHeader is the table that [[name]] opens in t.
func (r *tomlReader) elementHeader(t *table, name string, key finding.Span, start int) (*table, error) {
	array := t.members[name]
	if array == nil || array.by != byElements {
		var err error
		if array, err = r.add(t, name, key, Array, byElements); err != nil {
			return nil, err
		}
		array.start = start
	}
	if array.depth+1 >= r.lim.Depth {
		return nil, tooDeep(key.Start, r.lim)
	}
	array.element = &table{branch: &branch{kind: Object}, by: byHeader, depth: array.depth + 1}
	array.kids = append(array.kids, array.element.branch)
	return array.element, nil
}

// enter is the table that a part of a name leads to: of a header (by is byLonger) or of a dotted key (byDots).
func (r *tomlReader) enter(t *table, name string, key finding.Span, by defined) (*table, error) {
	if m := t.members[name]; m != nil {
		switch {
		case by == byLonger && m.by == byElements:
			return m.element, nil
		case m.by == byDots, by == byLonger && m.by != byValue:
			return m, nil
		}
	}
	return r.add(t, name, key, Object, by)
}

// add gives t a member that holds others. The name may be taken: TOML forbids that, and so it is remembered.
func (r *tomlReader) add(t *table, name string, key finding.Span, kind Kind, by defined) (*table, error) {
	if t.depth+1 >= r.lim.Depth {
		return nil, tooDeep(key.Start, r.lim)
	}
	m := &table{branch: &branch{kind: kind, start: key.Start}, by: by, depth: t.depth + 1}
	r.join(t, m, name, key)
	return m, nil
}

func (r *tomlReader) join(t, m *table, name string, key finding.Span) {
	if t.members == nil {
		t.members = map[string]*table{}
	}
	if t.members[name] != nil {
		r.d.Conflicts = append(r.d.Conflicts, key)
	}
	t.members[name] = m
	m.key, m.keyStart, m.keyEnd, m.member = name, key.Start, key.End, true
	t.kids = append(t.kids, m.branch)
}

// keyValue reads `a.b = value` into t and leaves r.at behind it.
func (r *tomlReader) keyValue(t *table, n *unstable.Node) error {
	var name string
	var key finding.Span
	for it := n.Key(); it.Next(); {
		name, key = string(it.Node().Data), r.span(it.Node())
		if it.IsLast() {
			break
		}
		var err error
		if t, err = r.enter(t, name, key, byDots); err != nil {
			return err
		}
	}
	r.at = skipBlank(r.d.Raw, skipBlank(r.d.Raw, key.End)+1) // the equals sign
	b, err := r.value(n.Value(), t.depth+1)
	if err != nil {
		return err
	}
	r.join(t, &table{branch: b, by: byValue}, name, key)
	return nil
}

// value reads the value that starts at r.at.
func (r *tomlReader) value(n *unstable.Node, depth int) (*branch, error) {
	b := &branch{kind: String, start: r.at}
	switch n.Kind {
	case unstable.Array, unstable.InlineTable:
		if depth >= r.lim.Depth {
			return nil, tooDeep(b.start, r.lim)
		}
		b.kind = Array
		t := &table{branch: b, depth: depth}
		if n.Kind == unstable.InlineTable {
			b.kind = Object
		}
		r.at++
		for it := n.Children(); it.Next(); {
			r.blank()
			if b.kind == Object {
				if err := r.keyValue(t, it.Node()); err != nil {
					return nil, err
				}
				continue
			}
			item, err := r.value(it.Node(), depth+1)
			if err != nil {
				return nil, err
			}
			b.kids = append(b.kids, item)
		}
		r.blank()
		r.at++
		b.end = r.at
		return b, nil
	case unstable.Bool:
		b.kind = Bool
	case unstable.Integer, unstable.Float:
		b.kind = Number
	case unstable.LocalDate, unstable.LocalTime, unstable.LocalDateTime, unstable.DateTime:
		// A string as it is written: JSON has no other word for it. The parser only finds its end.
		if err := toml.Unmarshal(append([]byte("date = "), n.Data...), &map[string]any{}); err != nil {
			return nil, &SyntaxError{Msg: strings.TrimPrefix(err.Error(), "toml: "), Offset: b.start}
		}
	}
	b.value = string(n.Data)
	b.end = r.span(n).End
	r.at = b.end
	return b, nil
}

func (r *tomlReader) span(n *unstable.Node) finding.Span {
	start := int(n.Raw.Offset) + r.skip
	return finding.Span{Start: start, End: start + int(n.Raw.Length)}
}

// closeTables ends what no header of its own opens: a table behind dots, one that only longer headers name, an array
// of tables. They reach from their name (an array: its first header) to the end of the last thing they hold.
func closeTables(b *branch) (last int) {
	last = b.end
	for _, k := range b.kids {
		last = max(last, closeTables(k))
	}
	if b.end == 0 {
		b.end = last
	}
	return last
}
