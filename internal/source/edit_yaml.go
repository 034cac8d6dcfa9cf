package source

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
)

// removeYAML takes a member or an item of a block collection out with its lines. The first one behind the dash of an
// outer item makes room for the next, and the only one leaves an empty collection, which no lines at all would not.
func (n Node) removeYAML() finding.Edit {
	raw, end := n.doc.Raw, n.Span().End
	p := n.Parent()
	if !p.Valid() {
		return finding.Edit{Offset: n.Span().Start, Length: n.Span().Len()}
	}
	start, whole := n.entry(), p.Span()
	if start == whole.Start && end == whole.End || p.pair() {
		return p.empty()
	}
	line := n.doc.lineStart(start)
	if strings.Trim(string(raw[line:start]), " ") == "" {
		return finding.Edit{Offset: line, Length: lineEnd(raw, end) - line}
	}
	next := n.doc.tokenAfter(end)
	return finding.Edit{Offset: start, Length: next - start}
}

// entry is where an entry of a block collection starts: at its dash, at its name or at what stands in front of that
// (an anchor, a tag, a question mark).
func (n Node) entry() int {
	if n.IsMember() {
		key, raw := n.KeySpan().Start, n.doc.Raw
		at := n.doc.lineStart(key)
		for at < key && (raw[at] == ' ' || raw[at] == '-' && raw[at+1] == ' ') {
			at++
		}
		return at
	}
	p := n.Parent()
	at := p.Span().Start
	for c := range p.Children() {
		if c == n {
			break
		}
		at = c.Span().End
	}
	return n.doc.tokenAfter(at)
}

// empty writes a block collection as one without entries.
func (n Node) empty() finding.Edit {
	if n.Kind() == Array {
		return n.Replace("[]")
	}
	return n.Replace("{}")
}

// replaceYAML writes a block collection right behind its colon, where it may stand between brackets or quotes: at the
// indentation of its own name it may not. A value that was not written needs what parts it from its name.
func (n Node) replaceYAML(text string) finding.Edit {
	raw, s := n.doc.Raw, n.Span()
	if n.spread() && n.IsMember() {
		colon := n.doc.tokenAfter(n.KeySpan().End)
		if colon < s.Start && n.doc.tokenAfter(colon+1) == s.Start { // and no anchor or tag
			kept := strings.TrimRight(string(raw[colon+1:s.Start]), " \t\r\n")
			return finding.Edit{Offset: colon + 1, Length: s.End - colon - 1, Text: " " + text + kept}
		}
	}
	if s.Len() == 0 {
		if n.IsMember() && s.Start == n.KeySpan().End {
			text = ": " + text
		} else if s.Start > 0 && !blankByte(raw[s.Start-1]) {
			text = " " + text
		}
	}
	return finding.Edit{Offset: s.Start, Length: s.Len(), Text: text}
}

// pair says that an object is an item between brackets and has none of its own: [a: b].
func (n Node) pair() bool { return n.Kind() == Object && !n.flow() && n.Parent().flow() }

// insertYAML puts entries in front of the first one of a block collection, each on a line with its indentation.
func (n Node) insertYAML(entries ...string) finding.Edit {
	at := n.Span().Start
	if n.pair() {
		return n.Replace("{" + strings.Join(entries, ", ") + ", " + string(n.Raw()) + "}")
	}
	line := n.doc.lineStart(at)
	// What stands in front on the line (a dash, a question mark) is as wide as the indentation.
	indent := strings.Repeat(" ", len([]rune(string(n.doc.Raw[line:at]))))
	sep := newline(n.doc.Raw, at) + indent
	return finding.Edit{Offset: at, Text: strings.Join(entries, sep) + sep}
}
