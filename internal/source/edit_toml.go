package source

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/mcpassay/mcpassay/internal/finding"
)

// hasHeader says that a TOML object has a header of its own: its span starts with the bracket of it.
func (n Node) hasHeader() bool {
	return n.Kind() == Object && n.Parent().Valid() && n.doc.Raw[n.Span().Start] == '['
}

// tables says that a TOML array is made of [[headers]].
func (n Node) tables() bool {
	first := n.first()
	return first >= 0 && (Node{n.doc, first}).hasHeader()
}

// removeTOML takes out lines, except between brackets. What lies between the tables of a value stays.
func (n Node) removeTOML() finding.Edit {
	item, start := n, n.Span().Start
	if n.IsMember() {
		start = n.KeySpan().Start
	}
	for p := n.Parent(); p.Valid() && !p.hasHeader(); item, p = p, p.Parent() {
		if !p.flow() {
			continue
		}
		if item != n { // behind dots, in braces: the name starts where that of the outermost part does
			start = n.doc.nameStart(start)
		}
		return n.removeItem(start)
	}
	if !n.Parent().Valid() {
		return finding.Edit{Offset: start, Length: n.Span().Len()}
	}
	lines := n.lines(nil)
	slices.SortFunc(lines, func(a, b finding.Span) int { return a.Start - b.Start })
	edits := make([]finding.Edit, 0, len(lines))
	end := 0
	for _, l := range lines {
		l.Start = max(l.Start, end)
		if l.End > l.Start {
			edits = append(edits, finding.Edit{Offset: l.Start, Length: l.Len()})
			end = l.End
		}
	}
	return join(n.doc.Raw, edits)
}

// lines are the lines that a value takes: its own table with the blank lines behind it, and those of what it holds.
func (n Node) lines(all []finding.Span) []finding.Span {
	raw, s := n.doc.Raw, n.Span()
	if !n.spread() {
		start := s.Start
		if n.IsMember() {
			start = n.KeySpan().Start
		}
		return append(all, finding.Span{Start: n.doc.lineStart(start), End: lineEnd(raw, s.End)})
	}
	if n.hasHeader() {
		end := lineEnd(raw, s.End)
		for end < len(raw) && len(strings.TrimSpace(string(raw[end:lineEnd(raw, end)]))) == 0 {
			end = lineEnd(raw, end)
		}
		all = append(all, finding.Span{Start: n.doc.lineStart(s.Start), End: end})
	}
	for c := range n.Children() {
		all = c.lines(all)
	}
	return all
}

// nameStart goes back from a part of a dotted name to the first part.
func (d *Doc) nameStart(i int) int {
	raw := d.Raw
	for {
		dot := bytes.TrimRight(raw[:i], " \t")
		name := bytes.TrimRight(bytes.TrimSuffix(dot, []byte(".")), " \t")
		if !bytes.HasSuffix(dot, []byte(".")) || len(name) == 0 {
			return i
		}
		i = len(name)
		if quote := raw[i-1]; quote == '"' || quote == '\'' {
			for i -= 2; i > 0 && (raw[i] != quote || quote == '"' && escaped(raw, i)); i-- {
			}
			continue
		}
		for i > 0 && bare(string(raw[i-1])) {
			i--
		}
	}
}

// mentions are the places of a member's name: for a table without braces, in every header and every dotted name that
// goes through it.
func (n Node) mentions() []finding.Span {
	if !n.spread() || !n.IsMember() {
		return []finding.Span{n.KeySpan()}
	}
	// The name is part header of the headers that go through it, and part dotted of the names behind dots.
	header, dotted, inside := 0, 0, true
	for p := n.Parent(); p.Valid(); p = p.Parent() {
		inside = inside && !p.hasHeader() && !p.flow()
		if p.IsMember() {
			header++
			if inside {
				dotted++
			}
		}
	}
	found := map[finding.Span]bool{n.KeySpan(): true}
	n.mentioned(header, dotted, found)
	all := make([]finding.Span, 0, len(found))
	for s := range found {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b finding.Span) int { return a.Start - b.Start })
	return all
}

// mentioned looks for a name in the expressions that make n and what it holds. Dotted is -1 in a table whose header
// goes through the name already.
func (n Node) mentioned(header, dotted int, found map[finding.Span]bool) {
	start, part := n.Span().Start, header
	switch {
	case n.hasHeader():
		dotted = -1
	case n.spread():
		part = -1
	default:
		start, part = n.doc.nameStart(n.KeySpan().Start), dotted
	}
	if part >= 0 {
		keys := n.doc.nameAt(start, n.Span().End)
		if part < len(keys) {
			found[keys[part]] = true
		}
	}
	if n.spread() {
		for c := range n.Children() {
			c.mentioned(header, dotted, found)
		}
	}
}

// nameAt are the parts of the name in the header or the key = value at start.
func (d *Doc) nameAt(start, end int) (parts []finding.Span) {
	var p unstable.Parser
	p.Reset(d.Raw[start:end])
	if !p.NextExpression() {
		return nil
	}
	for it := p.Expression().Key(); it.Next(); {
		at := start + int(it.Node().Raw.Offset)
		parts = append(parts, finding.Span{Start: at, End: at + int(it.Node().Raw.Length)})
	}
	return parts
}

// insertTOML puts `name = value` on the line behind the header. The root has its first line, a table behind dots the
// line in front of the first that names it, and one that only longer headers name gets a header.
func (n Node) insertTOML(name, value string) finding.Edit {
	raw, s := n.doc.Raw, n.Span()
	text := n.doc.name(name) + " = " + value
	nl := newline(raw, s.Start)
	switch {
	case n.hasHeader():
		header := s.Start
		if keys := n.doc.nameAt(s.Start, s.End); len(keys) > 0 {
			header = keys[len(keys)-1].End
		}
		at := lineEnd(raw, header)
		indent := n.doc.indent(s.Start)
		for c := range n.Children() {
			if !c.spread() {
				indent = n.doc.indent(c.KeySpan().Start)
				break
			}
		}
		if at == len(raw) && (raw[at-1] != '\n') {
			return finding.Edit{Offset: at, Text: nl + indent + text}
		}
		return finding.Edit{Offset: at, Text: indent + text + nl}
	case !n.IsMember():
		at := s.Start
		for c := range n.Children() {
			if !c.spread() {
				at = n.doc.lineStart(c.KeySpan().Start)
				break
			}
		}
		return finding.Edit{Offset: at, Text: n.doc.indent(at) + text + nl}
	}
	key := n.KeySpan()
	at := n.doc.nameStart(key.Start)
	line := n.doc.lineStart(at)
	indent := n.doc.indent(at)
	through := string(raw[at:key.End]) // the name as far as this table
	switch before := strings.Trim(string(raw[line:at]), " \t"); before {
	case "":
		text = through + "." + text + nl + indent
	case "[", "[[":
		at, text = line, indent+"["+through+"]"+nl+indent+text+nl+nl
	default: // in braces
		text = through + "." + text + ", "
	}
	return finding.Edit{Offset: at, Text: text}
}

// indent is the white space at the start of the line that holds i.
func (d *Doc) indent(i int) string {
	start := d.lineStart(i)
	end := start
	for end < len(d.Raw) && (d.Raw[end] == ' ' || d.Raw[end] == '\t') {
		end++
	}
	return string(d.Raw[start:end])
}
