package source

import (
	"bytes"
	"fmt"
	"slices"

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
	return string(out)
}

// Replace is the edit that puts text in the place of the value.
func (n Node) Replace(text string) finding.Edit {
	s := n.Span()
	return finding.Edit{Offset: s.Start, Length: s.Len(), Text: text}
}

// Rename is the edit that gives the member another name.
func (n Node) Rename(name string) finding.Edit {
	s := n.KeySpan()
	text := Quote(name)
	if n.doc.Format != JSON && bytes.IndexAny(n.doc.Raw[s.Start:s.End], `"'`) < 0 && bare(name) {
		text = name
	}
	return finding.Edit{Offset: s.Start, Length: s.Len(), Text: text}
}

func bare(name string) bool {
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-') {
			return false
		}
	}
	return name != ""
}

// Remove is the edit that takes a JSON member or item out, with the comma that goes with it and, where it stood on
// lines of its own, those lines. Comments that stand elsewhere stay.
func (n Node) Remove() finding.Edit {
	raw := n.doc.Raw
	start, end := n.Span().Start, n.Span().End
	if n.IsMember() {
		start = n.KeySpan().Start
	}
	next := skipBlank(raw, end)
	prev := start
	for prev > 0 && blankByte(raw[prev-1]) {
		prev--
	}
	switch {
	case next < len(raw) && raw[next] == ',':
		// Take the comma and the white space after it, so that the next member moves up to this one's place.
		end = next + 1
		for end < len(raw) && blankByte(raw[end]) {
			end++
		}
		if end < len(raw) && (raw[end] == '}' || raw[end] == ']') { // a trailing comma: keep what closes in its place
			end = next + 1
			start = prev
		}
	case prev > 0 && raw[prev-1] == ',':
		start = prev - 1
	default:
		start = prev
		if next < len(raw) && (raw[next] == '}' || raw[next] == ']') && len(bytes.TrimSpace(raw[end:next])) == 0 {
			end = next
		}
	}
	return finding.Edit{Offset: start, Length: end - start}
}

// Insert is the edit that puts a JSON member in front of the first one of the object, in the style of what is there.
func (n Node) Insert(name, value string) finding.Edit {
	open := n.Span().Start + 1
	text := Quote(name) + ": " + value
	first := n.first()
	if first < 0 {
		return finding.Edit{Offset: open, Text: text}
	}
	at := (Node{n.doc, first}).KeySpan().Start
	if n.Kind() == Array {
		at = (Node{n.doc, first}).Span().Start
	}
	gap := string(n.doc.Raw[open:at])
	if bytes.ContainsAny([]byte(gap), "/#") { // a comment stands between: do not copy it
		gap = " "
	}
	if gap == "" {
		gap = " "
	}
	return finding.Edit{Offset: at, Text: text + "," + gap}
}

// Prepend is the edit that puts items in front of the first one of an array that has a value in each.
func (n Node) Prepend(values ...string) finding.Edit {
	first := n.first()
	open := n.Span().Start + 1
	if first < 0 {
		return finding.Edit{Offset: open, Text: string(join(values, ", "))}
	}
	at := (Node{n.doc, first}).Span().Start
	gap := string(n.doc.Raw[open:at])
	if gap == "" || bytes.ContainsAny([]byte(gap), "/#") {
		gap = " "
	}
	return finding.Edit{Offset: at, Text: string(join(values, ","+gap)) + "," + gap}
}

func join(values []string, sep string) []byte {
	var b bytes.Buffer
	for i, v := range values {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(v)
	}
	return b.Bytes()
}

func blankByte(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func skipBlank(raw []byte, i int) int {
	for i < len(raw) && blankByte(raw[i]) {
		i++
	}
	return i
}
