package source

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpassay/mcpassay/internal/finding"
)

// Apply makes edits on raw. Equal edits are made once; edits that overlap are an error, since one of them was
// judged on bytes that the other takes away.
func Apply(raw []byte, edits []finding.Edit) ([]byte, error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b finding.Edit) int {
		if a.Offset != b.Offset {
			return a.Offset - b.Offset
		}
		return a.Length - b.Length
	})
	edits = slices.Compact(edits)
	var out bytes.Buffer
	at := 0
	for i, e := range edits {
		if e.Offset < at || e.Length < 0 || e.Offset+e.Length > len(raw) {
			return nil, fmt.Errorf("edits overlap at byte %d", e.Offset)
		}
		if i > 0 && e.Offset == edits[i-1].Offset && edits[i-1].Length == 0 && e.Length == 0 {
			return nil, fmt.Errorf("two insertions at byte %d", e.Offset)
		}
		out.Write(raw[at:e.Offset])
		out.WriteString(e.Text)
		at = e.Offset + e.Length
	}
	out.Write(raw[at:])
	return out.Bytes(), nil
}

// Quote writes s as a string that JSON, TOML and YAML all read.
func Quote(s string) string {
	out, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		out, _ = jsontext.AppendQuote(nil, bytes.ToValidUTF8([]byte(s), []byte("\uFFFD")))
	}
	if !bytes.ContainsFunc(out, unfit) {
		return string(out)
	}
	var b strings.Builder
	for _, r := range string(out) {
		if unfit(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unfit says that JSON lets a character stand in a string and TOML or YAML does not, or YAML folds it to a space.
func unfit(r rune) bool {
	return r >= 0x7F && r < 0xA0 || r == 0x2028 || r == 0x2029 || r == 0xFEFF || r == 0xFFFE || r == 0xFFFF
}

// Replace is the edit that puts text in the place of the value.
func (n Node) Replace(text string) finding.Edit {
	if n.doc.Format == YAML {
		return n.replaceYAML(text)
	}
	s := n.Span()
	return finding.Edit{Offset: s.Start, Length: s.Len(), Text: text}
}

// Rename is the edit that gives the member another name. A TOML table is renamed in every header that goes through it.
func (n Node) Rename(name string) finding.Edit {
	places := []finding.Span{n.KeySpan()}
	if n.doc.Format == TOML {
		places = n.mentions()
	}
	edits := make([]finding.Edit, 0, len(places))
	for _, s := range places {
		text := n.doc.name(name)
		if n.doc.Raw[s.Start] == '"' || n.doc.Raw[s.Start] == '\'' {
			text = Quote(name)
		}
		edits = append(edits, finding.Edit{Offset: s.Start, Length: s.Len(), Text: text})
	}
	return join(n.doc.Raw, edits)
}

// join makes one edit of several that are in order, by writing what stands between them again.
func join(raw []byte, edits []finding.Edit) finding.Edit {
	first, last := edits[0], edits[len(edits)-1]
	var b strings.Builder
	at := first.Offset
	for _, e := range edits {
		b.Write(raw[at:e.Offset])
		b.WriteString(e.Text)
		at = e.Offset + e.Length
	}
	return finding.Edit{Offset: first.Offset, Length: last.Offset + last.Length - first.Offset, Text: b.String()}
}

// name writes the name of a member as the format has it, without quotes where it can.
func (d *Doc) name(name string) string {
	switch {
	case d.Format == JSON, !bare(name):
	case d.Format == TOML:
		return name
	default:
		// A number, a boolean (of YAML 1.1, too) and a dash are no plain names.
		c := name[0] | 0x20
		if c >= 'a' && c <= 'z' && !slices.Contains([]string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(name)) {
			return name
		}
	}
	return Quote(name)
}

func bare(name string) bool {
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-') {
			return false
		}
	}
	return name != ""
}

// flow says that the value is written between brackets, as all of JSON is.
func (n Node) flow() bool {
	if !n.Valid() || n.Kind() != Object && n.Kind() != Array {
		return false
	}
	if n.Kind() == Object {
		return n.doc.Raw[n.Span().Start] == '{'
	}
	return n.doc.Raw[n.Span().Start] == '[' && !(n.doc.Format == TOML && n.tables())
}

// spread says that what a value holds is on lines of its own: it is no scalar and not between brackets.
func (n Node) spread() bool { return (n.Kind() == Object || n.Kind() == Array) && !n.flow() }

// Remove is the edit that takes a member or an item out: with the comma that goes with it between brackets, else with
// its lines, which are all of its tables in TOML. Comments that stand elsewhere stay.
func (n Node) Remove() finding.Edit {
	switch {
	case n.doc.Format == TOML:
		return n.removeTOML()
	case n.Parent().flow():
		start := n.Span().Start
		if n.IsMember() {
			start = n.KeySpan().Start
		}
		return n.removeItem(start)
	}
	return n.removeYAML()
}

// removeItem takes out the item between brackets that starts at start.
func (n Node) removeItem(start int) finding.Edit {
	raw := n.doc.Raw
	end := n.Span().End
	next := n.doc.tokenAfter(end)
	prev := start
	for prev > 0 && blankByte(raw[prev-1]) {
		prev--
	}
	before := n.doc.tokenBefore(start)
	switch {
	case next < len(raw) && raw[next] == ',':
		// Take the comma and the white space after it, so that the next member moves up to this one's place.
		kept := ""
		if next != skipBlank(raw, end) { // a comment stands in front of the comma
			kept = strings.TrimLeft(string(raw[end:next]), " \t\r\n")
		}
		end = skipBlank(raw, next+1)
		if kept != "" {
			return finding.Edit{Offset: start, Length: end - start, Text: kept}
		}
		if end < len(raw) && (raw[end] == '}' || raw[end] == ']') { // a trailing comma: keep what closes in its place
			end = next + 1
			start = n.doc.afterComment(prev, start)
		}
	case before > 0 && raw[before-1] == ',':
		// Take the comma in front. A comment behind it stays, and its line must still end.
		kept := strings.TrimRight(string(raw[before:start]), " \t\r\n")
		if kept != "" && end < len(raw) && raw[end] != '\n' && raw[end] != '\r' {
			kept += newline(raw, start)
		}
		return finding.Edit{Offset: before - 1, Length: end - before + 1, Text: kept}
	default:
		start = n.doc.afterComment(prev, start)
		if blank := skipBlank(raw, end); start == prev && blank == next {
			end = next
		}
	}
	return finding.Edit{Offset: start, Length: end - start}
}

// commentAt is the comment that ends at off.
func (d *Doc) commentAt(off int) (finding.Span, bool) {
	i, found := slices.BinarySearchFunc(d.Comments, off, func(s finding.Span, off int) int { return s.End - off })
	if !found {
		return finding.Span{}, false
	}
	return d.Comments[i], true
}

// tokenBefore is the end of what stands in front of off, white space and comments aside.
func (d *Doc) tokenBefore(off int) int {
	for {
		for off > 0 && blankByte(d.Raw[off-1]) {
			off--
		}
		c, ok := d.commentAt(off)
		if !ok {
			return off
		}
		off = c.Start
	}
}

// tokenAfter is the start of what comes after off, white space and comments aside.
func (d *Doc) tokenAfter(off int) int {
	for {
		off = skipBlank(d.Raw, off)
		i, found := slices.BinarySearchFunc(d.Comments, off, func(s finding.Span, off int) int { return s.Start - off })
		if !found {
			return off
		}
		off = d.Comments[i].End
	}
}

// afterComment moves off to the next line when a comment ends at it, but not behind to.
func (d *Doc) afterComment(off, to int) int {
	if _, ok := d.commentAt(off); ok {
		return min(lineEnd(d.Raw, off), to)
	}
	return off
}

// Insert is the edit that puts a member in front of the first one of the object, in the style of what is there.
func (n Node) Insert(name, value string) finding.Edit {
	text := n.doc.name(name) + ": " + value
	switch {
	case n.doc.Format == TOML && !n.flow():
		return n.insertTOML(name, value)
	case n.doc.Format == TOML:
		text = n.doc.name(name) + " = " + value
	case !n.flow():
		return n.insertYAML(text)
	}
	open := n.Span().Start + 1
	first := n.first()
	if first < 0 {
		return finding.Edit{Offset: open, Text: text}
	}
	at := (Node{n.doc, first}).KeySpan().Start
	return finding.Edit{Offset: at, Text: text + "," + n.doc.gap(open, at)}
}

// Prepend is the edit that puts items in front of the first one of an array that has a value in each.
func (n Node) Prepend(values ...string) finding.Edit {
	if n.doc.Format == YAML && !n.flow() {
		lines := make([]string, 0, len(values))
		for _, v := range values {
			lines = append(lines, "- "+v)
		}
		return n.insertYAML(lines...)
	}
	first := n.first()
	open := n.Span().Start + 1
	if first < 0 {
		return finding.Edit{Offset: open, Text: strings.Join(values, ", ")}
	}
	at := (Node{n.doc, first}).Span().Start
	gap := n.doc.gap(open, at)
	return finding.Edit{Offset: at, Text: strings.Join(values, ","+gap) + "," + gap}
}

// gap is the white space to write between two members where this stands between the bracket and the first one.
func (d *Doc) gap(from, to int) string {
	gap := string(d.Raw[from:to])
	if gap == "" || strings.ContainsAny(gap, "/#") { // a comment stands between: do not copy it
		return " "
	}
	return gap
}

func blankByte(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func skipBlank(raw []byte, i int) int {
	for i < len(raw) && blankByte(raw[i]) {
		i++
	}
	return i
}

// lineStart is the offset of the line that holds i.
func (d *Doc) lineStart(i int) int {
	_, first := d.body()
	for i > first && d.Raw[i-1] != '\n' && d.Raw[i-1] != '\r' {
		i--
	}
	return i
}

// lineEnd is the offset after the line that holds i and after its line break.
func lineEnd(raw []byte, i int) int {
	for i < len(raw) && raw[i] != '\n' && raw[i] != '\r' {
		i++
	}
	return min(i+len(newline(raw, i)), len(raw))
}

// newline is the next line break at or after i, or else the one that the text uses.
func newline(raw []byte, i int) string {
	at := bytes.IndexAny(raw[i:], "\r\n")
	if at < 0 {
		i, at = 0, bytes.IndexAny(raw, "\r\n")
	}
	switch at += i; {
	case at < i || raw[at] == '\n':
		return "\n"
	case at+1 < len(raw) && raw[at+1] == '\n':
		return "\r\n"
	}
	return "\r"
}
