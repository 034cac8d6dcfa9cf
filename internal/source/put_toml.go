package source

import (
	"bytes"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
)

// putTable puts a value as a table with a header of its own: behind the last one of n where other tables follow or
// nothing does, else at the end of the file. A further element of an array of tables has no name.
func (d *Doc) putTable(n Node, path []string, name string, v Value) []finding.Edit {
	raw := d.Raw
	st := style{format: TOML, line: d.newlineOf(0), unit: "  ", comma: ", ", pad: " "}
	var b strings.Builder
	header := make([]string, 0, len(path)+1)
	for _, p := range path {
		header = append(header, d.name(p))
	}
	open, shut := "[", "]"
	if name == "" {
		open, shut = "[[", "]]"
	} else {
		header = append(header, d.name(name))
	}
	indent := ""
	for c := range n.Children() {
		if c.hasHeader() {
			indent = d.indent(c.Span().Start)
			for k := range c.Children() {
				if k.Kind() == Array && !k.Empty() && k.flow() {
					st.items = bytes.ContainsAny(k.Raw(), "\r\n")
				}
			}
		}
	}
	b.WriteString(indent + open + strings.Join(header, ".") + shut)
	inner := indent
	if c := n.lastChild(); c.hasHeader() {
		if k := c.lastChild(); k.Valid() && !k.spread() {
			inner = d.indent(k.KeySpan().Start)
		}
	}
	for _, m := range v.Members {
		b.WriteString(st.line + inner)
		st.member(&b, d, m, inner)
	}
	at := d.tablePlace(n, len(path))
	_, first := d.body()
	ends := at == len(raw) && at > first && raw[at-1] != '\n' && raw[at-1] != '\r'
	switch {
	case at == first:
		b.WriteString(st.line)
	case ends:
		return []finding.Edit{{Offset: at, Text: st.line + st.line + b.String()}}
	default:
		return []finding.Edit{{Offset: at, Text: st.line + b.String() + st.line}}
	}
	return []finding.Edit{{Offset: at, Text: b.String()}}
}

// tablePlace is where a new table may begin: behind the last of n, if n is the map itself and nothing would fall into
// the new table that was in another.
func (d *Doc) tablePlace(n Node, depth int) int {
	raw := d.Raw
	if !n.Valid() || n.depth() != depth {
		return len(raw)
	}
	at := lineEnd(raw, n.lastEnd())
	behind := at
	for behind < len(raw) && strings.HasPrefix(strings.TrimLeft(string(raw[behind:lineEnd(raw, behind)]), " \t"), "#") {
		behind = lineEnd(raw, behind)
	}
	if behind == len(raw) || len(bytes.TrimSpace(raw[behind:lineEnd(raw, behind)])) == 0 { // the comments belong to what is above
		at = behind
	}
	next := d.tokenAfter(at)
	if next < len(raw) && raw[next] != '[' {
		return len(raw)
	}
	return at
}

func (n Node) depth() (depth int) {
	for n = n.Parent(); n.Valid(); n = n.Parent() {
		depth++
	}
	return depth
}

// lastEnd is the end of the last thing that a table or an array of tables holds.
func (n Node) lastEnd() int {
	end := n.Span().End
	if n.spread() {
		for c := range n.Children() {
			end = max(end, c.lastEnd())
		}
	}
	return end
}

// cutTable takes out a table that has a header, with its own tables behind it and the blank line in front of it. Where
// others stand between these, or no lines are whole, it is taken out part by part.
func (n Node) cutTable() finding.Edit {
	d, raw := n.doc, n.doc.Raw
	start, end := d.lineStart(n.Span().Start), lineEnd(raw, n.lastEnd())
	for c := range d.Nodes() {
		if at := c.Span().Start; c.hasHeader() && at > start && at < end && !c.within(n) {
			return n.Remove()
		}
	}
	_, first := d.body()
	if start > first {
		line := start - len(d.breakBefore(start))
		if blank := d.lineStart(line); strings.TrimSpace(string(raw[blank:line])) == "" && (blank > first || line == first) && blank < start {
			start = blank
		}
	}
	return d.cut(start, end)
}

func (n Node) within(outer Node) bool {
	for ; n.Valid(); n = n.Parent() {
		if n == outer {
			return true
		}
	}
	return false
}
