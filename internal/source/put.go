package source

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/finding"
)

// Undo says how a place was before something was put into it, so that it can be as it was, to the byte, when that is
// taken out again. The zero Undo is that of a place which needs no words: others stand beside what was put.
type Undo struct {
	// Made is the pointer of the outermost object that had to be made to hold it, "" for none.
	Made string `json:"made,omitempty"`
	// Holder is the pointer of the object or array that held nothing, and Was its text (in YAML all that stood behind its
	// colon). Held says that there is one.
	Holder string `json:"holder,omitempty"`
	Was    string `json:"was,omitempty"`
	Held   bool   `json:"held,omitempty"`
}

// ErrNoPlace says that the value which should hold something is none that can.
var ErrNoPlace = errors.New("what stands there can not hold it")

// Put gives the edits that put a value into the object or the list at path, behind what is in it, and make the objects
// that path names where there are none: with lists true the last of them a list. name is the member's, or "" for one
// more item of a list.
//
// What is there keeps its bytes. The new text follows the style of what stands beside it: indentation, line breaks,
// white space, commas; it is a table of its own in TOML and a block in YAML where the others are.
func (d *Doc) Put(path []string, list bool, name string, v Value) ([]finding.Edit, Undo, error) {
	n, at := d.Root(), 0
	for at < len(path) && n.Kind() == Object && n.Get(path[at]).Valid() {
		n = n.Get(path[at])
		at++
	}
	missing := path[at:]
	if n.Shared() || !n.holds(len(missing) == 0 && name == "", d) {
		return nil, Undo{}, ErrNoPlace
	}
	if d.Format == TOML && (n.spread() || !n.Valid() || n.Kind() == Object && !n.flow()) {
		edits := d.putTable(n, path, name, v)
		return edits, Undo{}, nil
	}
	var undo Undo
	if len(missing) > 0 {
		undo.Made = pointer(path[:at+1])
		inner := Value{Kind: Object, Members: []Member{{name, v}}}
		if list {
			inner = Value{Kind: Array, Items: []Value{v}}
		}
		for _, p := range slices.Backward(missing[1:]) {
			inner = Value{Kind: Object, Members: []Member{{p, inner}}}
		}
		name, v = missing[0], inner
	}
	if !n.Valid() { // an empty file of YAML
		return d.putFirst(name, v), undo, nil
	}
	if n.Empty() || n.Kind() == Null {
		s := n.holder()
		undo.Holder, undo.Was, undo.Held = n.Pointer(), string(d.Raw[s.Start:s.End]), true
	}
	if d.Format == YAML && !n.flow() || d.Format == YAML && n.Empty() && n.doc.withinBlock(n) {
		return n.putBlock(name, v), undo, nil
	}
	if n.Kind() == Null {
		st, _, _ := n.style()
		whole := Value{Kind: Object, Members: []Member{{name, v}}}
		if name == "" {
			whole = Value{Kind: Array, Items: []Value{v}}
		}
		s := n.Span()
		return []finding.Edit{{Offset: s.Start, Length: s.Len(), Text: st.text(d, whole, d.indent(s.Start))}}, undo, nil
	}
	return n.putFlow(name, v), undo, nil
}

// holds says whether something can be put into the value: an object, a list for an item, and null.
func (n Node) holds(item bool, d *Doc) bool {
	switch n.Kind() {
	case Object:
		return !item
	case Array:
		return item
	case Null:
		return true
	}
	return !n.Valid() && d.Format != JSON
}

func pointer(path []string) string {
	var b strings.Builder
	for _, p := range path {
		b.WriteString("/" + strings.ReplaceAll(strings.ReplaceAll(p, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// holder is the text that a value without members is made of.
func (n Node) holder() finding.Span {
	s := n.Span()
	if n.doc.Format == YAML && n.IsMember() {
		if colon := n.doc.tokenAfter(n.KeySpan().End); colon < s.Start && n.doc.Raw[colon] == ':' {
			s.Start = colon + 1
		}
	}
	return s
}

// lastChild is the child that ends last.
func (n Node) lastChild() (last Node) {
	for c := range n.Children() {
		if !c.Shared() && (!last.Valid() || c.Span().End >= last.Span().End) {
			last = c
		}
	}
	return last
}

// start is where a child starts: at its name, or at its value.
func (n Node) start() int {
	if n.IsMember() {
		return n.KeySpan().Start
	}
	return n.Span().Start
}

// ownLine is the indentation of what starts a line, ok false for what stands behind something else.
func (d *Doc) ownLine(at int) (indent string, ok bool) {
	line := d.lineStart(at)
	before := string(d.Raw[line:at])
	return before, line > 0 && strings.Trim(before, " \t") == ""
}

// newlineOf is the line break that the text uses at i.
func (d *Doc) newlineOf(i int) string { return newline(d.Raw, min(i, len(d.Raw))) }

// style is how a new child of n is to be written, and the indentation of its line where it gets one of its own.
func (n Node) style() (st style, indent string, own bool) {
	d := n.doc
	root := bytes.TrimSpace(d.Root().Raw())
	st = style{format: d.Format, line: d.newlineOf(n.Span().Start), colon: ": ", comma: ", ", unit: d.unit()}
	several := d.Root().Empty() || bytes.ContainsAny(root, "\r\n")
	last := n.lastChild()
	if !last.Valid() {
		st.lines = several
		if d.Format == JSON && !several && n.IsMember() {
			st.colonOf(n)
		}
		return st, d.indent(n.Span().Start) + st.unit, several
	}
	indent, own = d.ownLine(last.start())
	st.lines = own
	outer := d.indent(n.Span().Start)
	if own && len(indent) > len(outer) && strings.HasPrefix(indent, outer) {
		st.unit = indent[len(outer):]
	}
	st.colonOf(last)
	for c := range n.Children() {
		if c.Kind() != Object || c.Empty() {
			continue
		}
		st.lines = bytes.ContainsAny(c.Raw(), "\r\n")
		inner := c.lastChild()
		st.colonOf(inner)
		if in, ok := d.ownLine(inner.start()); ok && len(in) > len(indent) && strings.HasPrefix(in, indent) {
			st.unit = in[len(indent):]
		} else if !st.lines && bytes.HasPrefix(c.Raw(), []byte("{ ")) {
			st.pad = " "
		}
		for v := range c.Children() {
			if v.Kind() == Array && !v.Empty() {
				st.items = bytes.ContainsAny(v.Raw(), "\r\n") && st.lines
			}
		}
	}
	return st, indent, own
}

// colonOf takes the white space around the colon of a member of JSON.
func (s *style) colonOf(n Node) {
	if s.format != JSON || !n.IsMember() {
		return
	}
	between := string(n.doc.Raw[n.KeySpan().End:n.Span().Start])
	if strings.Trim(between, " ") == ":" {
		s.colon = between
		s.comma = ", "
		if between == ":" {
			s.comma = ","
		}
	}
}

// unit is one step of indentation: that of the first member of the root that stands on a line of its own.
func (d *Doc) unit() string {
	for c := range d.Root().Children() {
		if in, ok := d.ownLine(c.start()); ok && in != "" {
			return in
		}
		for k := range c.Children() {
			if in, ok := d.ownLine(k.start()); ok && in != "" && d.Format == YAML && !c.flow() {
				return in
			}
		}
	}
	return "  "
}

// written is one child between brackets.
func (n Node) written(st style, name string, v Value, indent string) string {
	var b strings.Builder
	if n.Kind() == Array {
		st.inline(&b, n.doc, v, indent)
	} else {
		st.member(&b, n.doc, Member{name, v}, indent)
	}
	return b.String()
}

// putFlow puts a child between brackets, behind the last one.
func (n Node) putFlow(name string, v Value) []finding.Edit {
	d, raw := n.doc, n.doc.Raw
	st, indent, own := n.style()
	if d.Format == TOML && n.Kind() == Object || d.Format == YAML {
		st.lines, own = false, own && !n.Empty()
	}
	open, shut := n.Span().Start+1, n.Span().End-1
	text := n.written(st, name, v, indent)
	sep := " "
	if own {
		sep = st.line + indent
	}
	last := n.lastChild()
	if !last.Valid() {
		if comment := d.tokenBefore(shut); comment == open && d.tokenAfter(open) == skipBlank(raw, open) { // nothing but white space
			if own {
				text = sep + text + st.line + d.indent(n.Span().Start)
			}
			return []finding.Edit{{Offset: open, Length: shut - open, Text: text}}
		}
		end := shut // behind the last comment
		for end > open && blankByte(raw[end-1]) {
			end--
		}
		text = st.line + indent + text
		if !bytes.ContainsAny(raw[end:shut], "\r\n") {
			text += st.line + d.indent(n.Span().Start)
		}
		return []finding.Edit{{Offset: end, Text: text}}
	}
	end := last.Span().End
	next := d.tokenAfter(end)
	if next < len(raw) && raw[next] == ',' {
		return []finding.Edit{{Offset: d.behindComment(next + 1), Text: sep + text + ","}}
	}
	if !own && st.comma == "," {
		sep = ""
	}
	at := d.behindComment(end)
	if at == end {
		return []finding.Edit{{Offset: end, Text: "," + sep + text}}
	}
	return []finding.Edit{{Offset: end, Text: ","}, {Offset: at, Text: sep + text}}
}

// behindComment moves behind a comment that ends the line.
func (d *Doc) behindComment(at int) int {
	i := at
	for i < len(d.Raw) && (d.Raw[i] == ' ' || d.Raw[i] == '\t') {
		i++
	}
	c, found := slices.BinarySearchFunc(d.Comments, i, func(s finding.Span, off int) int { return s.Start - off })
	if !found {
		return at
	}
	end := d.Comments[c].End
	if end < len(d.Raw) && d.Raw[end] != '\n' && d.Raw[end] != '\r' {
		return at
	}
	return end
}

// withinBlock says that a block may stand in the place of a value without members: it is the root, or it and all that
// holds it have no brackets around them.
func (d *Doc) withinBlock(n Node) bool {
	for p := n.Parent(); p.Valid(); p = p.Parent() {
		if p.flow() {
			return false
		}
	}
	return n.IsMember()
}

// putBlock puts an entry into a block collection of YAML, behind the last one, or in the place of a value without any.
func (n Node) putBlock(name string, v Value) []finding.Edit {
	d, raw := n.doc, n.doc.Raw
	st := style{format: YAML, line: d.newlineOf(n.Span().Start), unit: d.unit(), comma: ", ", colon: ": "}
	entry := Value{Kind: Object, Members: []Member{{name, v}}}
	if name == "" {
		entry = Value{Kind: Array, Items: []Value{v}}
	}
	var b strings.Builder
	last := n.lastChild()
	if !last.Valid() {
		indent := d.indent(n.holder().Start) + st.unit
		b.WriteString(st.line + indent)
		st.block(&b, d, entry, indent)
		s := n.holder()
		if s.Len() == 0 {
			s.Start = d.behindComment(s.Start)
			s.End = s.Start
		}
		return []finding.Edit{{Offset: s.Start, Length: s.Len(), Text: b.String()}}
	}
	at := n.Span().Start
	indent := strings.Repeat(" ", utf8.RuneCount(raw[d.lineStart(at):at]))
	for c := range n.Children() {
		if k := c.lastChild(); c.Kind() == Object && !c.flow() && c.IsMember() && k.Valid() {
			if in, ok := d.ownLine(k.start()); ok && len(in) > len(indent) {
				st.unit = in[len(indent):]
			}
		}
	}
	st.block(&b, d, entry, indent)
	end := lineEnd(raw, n.Span().End)
	if end == len(raw) && !bytes.HasSuffix(raw, []byte("\n")) && !bytes.HasSuffix(raw, []byte("\r")) {
		return []finding.Edit{{Offset: end, Text: st.line + indent + b.String()}}
	}
	return []finding.Edit{{Offset: end, Text: indent + b.String() + st.line}}
}

// putFirst is what a file without a value begins with, behind its comments.
func (d *Doc) putFirst(name string, v Value) []finding.Edit {
	st := style{format: d.Format, line: d.newlineOf(0), unit: "  ", comma: ", ", colon: ": "}
	var b strings.Builder
	st.block(&b, d, Value{Kind: Object, Members: []Member{{name, v}}}, "")
	text := b.String() + st.line
	if body, _ := d.body(); len(body) > 0 && !bytes.HasSuffix(body, []byte("\n")) && !bytes.HasSuffix(body, []byte("\r")) {
		text = st.line + b.String()
	}
	return []finding.Edit{{Offset: len(d.Raw), Text: text}}
}

// Take is the edits that take out what Put put, or what a person wrote in its place. With the Undo of the Put the place
// is as it was before, to the byte.
func (n Node) Take(u Undo) []finding.Edit {
	d := n.doc
	target := n
	if made := d.Lookup(u.Made); u.Made != "" && made.Valid() && made.only(n) {
		target = made
	}
	p := target.Parent()
	if u.Held && p.Valid() && p.Pointer() == u.Holder && p.Len() == 1 {
		s := p.holder()
		if d.Format == YAML && u.Was == "" { // there was nothing behind the colon: take the lines
			return []finding.Edit{target.cutLines()}
		}
		if left := string(d.Raw[s.Start:target.start()]) + string(d.Raw[target.Span().End:s.End]); solid(left) == solid(u.Was) || u.Was == "null" && len(solid(left)) == len("{}") || d.Format == YAML && !p.flow() && strings.Trim(solid(left), "-") == "" {
			return []finding.Edit{{Offset: s.Start, Length: s.Len(), Text: u.Was}}
		}
	}
	switch {
	case d.Format == TOML && target.hasHeader():
		return []finding.Edit{target.cutTable()}
	case d.Format != TOML && p.flow():
		return []finding.Edit{target.cutItem()}
	case d.Format == YAML && u.Made == "" && p.Len() == 1, !p.Valid():
		return []finding.Edit{target.Remove()}
	case d.Format == YAML:
		return []finding.Edit{target.cutLines()}
	}
	return []finding.Edit{target.Remove()}
}

// only says that nothing but inner is in the value, on the whole way down.
func (n Node) only(inner Node) bool {
	for {
		if n == inner {
			return true
		}
		if n.Len() != 1 {
			return false
		}
		for c := range n.Children() {
			n = c
		}
	}
}

// solid is a text without its white space.
func solid(s string) string { return strings.Join(strings.Fields(s), "") }

// cutItem takes out a child between brackets: the last one with what parts it from the one before.
func (n Node) cutItem() finding.Edit {
	d, raw := n.doc, n.doc.Raw
	start, end := n.start(), n.Span().End
	prev := start
	for prev > 0 && blankByte(raw[prev-1]) {
		prev--
	}
	next := d.tokenAfter(end)
	_, comment := d.commentAt(prev)
	last := n.Parent().lastChild() == n
	trailing := last && next < len(raw) && raw[next] == ','
	alone := n.Parent().Len() == 1
	switch {
	case trailing && !alone:
		end = next + 1
	case alone && comment && next == skipBlank(raw, end):
	default:
		return n.Remove()
	}
	if rest := bytes.TrimLeft(raw[end:], " \t"); comment && len(rest) > 0 && rest[0] != '\n' && rest[0] != '\r' {
		return n.Remove()
	}
	return finding.Edit{Offset: prev, Length: end - prev}
}

// cutLines takes out the lines of an entry of a YAML block.
func (n Node) cutLines() finding.Edit {
	d, raw := n.doc, n.doc.Raw
	start := n.entry()
	line := d.lineStart(start)
	if strings.Trim(string(raw[line:start]), " ") != "" {
		return n.Remove()
	}
	end := lineEnd(raw, n.Span().End)
	return d.cut(line, end)
}

// cut takes out whole lines. The last ones of a text that does not end in a line break leave none.
func (d *Doc) cut(line, end int) finding.Edit {
	raw := d.Raw
	_, first := d.body()
	if end == len(raw) && end > line && raw[end-1] != '\n' && raw[end-1] != '\r' && line > first {
		line -= len(d.breakBefore(line))
	}
	return finding.Edit{Offset: line, Length: end - line}
}

// breakBefore is the line break that ends at off.
func (d *Doc) breakBefore(off int) string {
	switch {
	case off >= 2 && d.Raw[off-2] == '\r' && d.Raw[off-1] == '\n':
		return "\r\n"
	case off >= 1 && (d.Raw[off-1] == '\n' || d.Raw[off-1] == '\r'):
		return string(d.Raw[off-1])
	}
	return ""
}

// Next is the first of the edits that make the object hold what v holds: a member that differs is written anew where it
// differs, one that is missing is put in. Members that v does not name are left, unless drop says that they go. It answers
// none where nothing is left to do: whoever applies it parses and asks again.
func (n Node) Next(v Value, drop func(name string) bool) ([]finding.Edit, error) {
	if n.Shared() || n.Kind() != Object {
		return nil, ErrNoPlace
	}
	for c := range n.Children() {
		if c.Overridden() || !drop(c.Key()) || v.Get(c.Key()).Kind != Invalid {
			continue
		}
		if c.Shared() {
			return nil, ErrNoPlace
		}
		return c.Take(Undo{}), nil
	}
	for _, m := range v.Members {
		c := n.Get(m.Name)
		if !c.Valid() {
			return n.add(m.Name, m.Value), nil
		}
		edits, err := c.become(m.Value)
		if len(edits) > 0 || err != nil {
			return edits, err
		}
	}
	return nil, nil
}

// become is the first edit that makes a value mean v.
func (n Node) become(v Value) ([]finding.Edit, error) {
	scalar := n.Kind() != Object && n.Kind() != Array && v.Kind != Object && v.Kind != Array
	switch {
	case v.Means(n), scalar && v.Text == ValueOf(n).Text:
		return nil, nil
	case n.Shared():
		return nil, ErrNoPlace
	case v.Kind == Object && n.Kind() == Object && !n.Empty():
		return n.Next(v, func(string) bool { return true })
	case v.Kind == Array && n.Kind() == Array && n.Len() == len(v.Items):
		for i, item := range v.Items {
			if edits, err := n.At(i).become(item); len(edits) > 0 || err != nil {
				return edits, err
			}
		}
		return nil, nil
	}
	st, indent, _ := n.Parent().style()
	if several := bytes.ContainsAny(n.Raw(), "\r\n"); !n.Empty() {
		st.lines, st.items = several, several
	}
	if n.doc.Format == YAML {
		st.lines, st.items = false, false
	}
	if n.doc.Format == TOML && n.spread() {
		return nil, ErrNoPlace // the tables of an object that becomes something else
	}
	return []finding.Edit{n.Replace(st.text(n.doc, v, indent))}, nil
}

// add puts a member into an object that others stand in, and that is an entry, not a map of them.
func (n Node) add(name string, v Value) []finding.Edit {
	d := n.doc
	switch {
	case d.Format == TOML && n.hasHeader():
		st, _, _ := n.style()
		end, indent := n.Span().Start, d.indent(n.Span().Start)
		if keys := d.nameAt(n.Span().Start, n.Span().End); len(keys) > 0 {
			end = keys[len(keys)-1].End
		}
		for c := range n.Children() {
			if !c.spread() {
				end, indent = c.Span().End, d.indent(c.KeySpan().Start)
			}
		}
		text := indent + d.name(name) + " = " + style{format: TOML, line: st.line, comma: ", ", pad: " "}.text(d, v, indent)
		at := lineEnd(d.Raw, end)
		if at == len(d.Raw) && d.breakBefore(at) == "" {
			return []finding.Edit{{Offset: at, Text: st.line + text}}
		}
		return []finding.Edit{{Offset: at, Text: text + st.line}}
	case d.Format == TOML && !n.flow():
		return []finding.Edit{n.Insert(name, style{format: TOML, comma: ", ", pad: " "}.text(d, v, ""))}
	case d.Format == YAML && !n.flow():
		return n.putBlock(name, v)
	}
	return n.putFlow(name, v)
}
