package source

import (
	"bytes"
	"encoding/binary"
	"sort"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/finding"
)

// lineIndex answers positions in constant time, however long a line is.
type lineIndex struct {
	ascii  bool     // a column is an offset
	starts []uint32 // the offset of each line
	runes  []uint32 // the number of code points before each KiB
}

const runeStep = 1 << 10

func (d *Doc) indexLines() *lineIndex {
	if d.lines != nil {
		return d.lines
	}
	x := &lineIndex{ascii: d.plain > 0 || ascii(d.Raw), starts: lineStarts(d.Raw)}
	if !x.ascii {
		n := uint32(0)
		for i, c := range d.Raw {
			if i%runeStep == 0 {
				x.runes = append(x.runes, n)
			}
			if c < 0x80 || c >= 0xC0 {
				n++
			}
		}
		x.runes = append(x.runes, n)
	}
	d.lines = x
	return x
}

func ascii(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if binary.NativeEndian.Uint64(b)&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func lineStarts(b []byte) []uint32 {
	starts := []uint32{0}
	if bytes.IndexByte(b, '\r') < 0 {
		for at := bytes.IndexByte(b, '\n') + 1; at > int(starts[len(starts)-1]); at += bytes.IndexByte(b[at:], '\n') + 1 {
			starts = append(starts, uint32(at))
		}
		return starts
	}
	for i, c := range b {
		if c == '\n' || c == '\r' && (i+1 == len(b) || b[i+1] != '\n') {
			starts = append(starts, uint32(i+1))
		}
	}
	return starts
}

func (x *lineIndex) runesBefore(raw []byte, off int) int {
	if x.ascii {
		return off
	}
	step := min(off/runeStep, len(x.runes)-1)
	n := int(x.runes[step])
	for _, c := range raw[min(step*runeStep, off):off] {
		if c < 0x80 || c >= 0xC0 {
			n++
		}
	}
	return n
}

// Position is the line and the column of an offset, both from 1, the column in code points. A byte order mark
// takes no column. Lines end at LF, CRLF or a lone CR.
func (d *Doc) Position(off int) (line, column int) {
	x := d.indexLines()
	off = min(max(off, 0), len(d.Raw))
	line = sort.Search(len(x.starts), func(i int) bool { return int(x.starts[i]) > off })
	start := int(x.starts[line-1])
	column = x.runesBefore(d.Raw, off) - x.runesBefore(d.Raw, start) + 1
	if d.BOM && line == 1 && off >= 3 {
		column--
	}
	return line, column
}

// Locate resolves a span.
func (d *Doc) Locate(s finding.Span, pointer string) finding.Location {
	l := finding.Location{Path: d.Path, Offset: s.Start, Length: s.Len(), Pointer: pointer}
	l.Line, l.Column = d.Position(s.Start)
	l.EndLine, l.EndColumn = d.Position(s.End)
	return l
}
