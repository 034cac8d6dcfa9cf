package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// parseJSON reads strict JSON, and only when that fails the same text with comments and trailing commas blanked,
// so that every offset holds and a document knows whether it is strict.
func (d *Doc) parseJSON(lim limits.Set) error {
	text, skip := d.body()
	values := 1
	for _, mark := range [...]string{",", "[", "{"} {
		values += bytes.Count(text, []byte(mark))
	}
	if values > lim.Values {
		return &SyntaxError{Msg: fmt.Sprintf("more than %d values", lim.Values), Cause: "size"}
	}
	d.nodes = make([]node, 0, values)
	err := d.scan(text, skip, lim)
	if d.Strict = err == nil; d.Strict && skip == 0 && d.plain == 0 {
		d.plain = 1
	}
	if err == errSyntax {
		plain, changed := d.blank(text, skip)
		if changed {
			text, d.nodes = plain, d.nodes[:0]
			err = d.scan(text, skip, lim)
		}
	}
	if err == errSyntax {
		return syntaxError(text, skip)
	}
	if err != nil {
		return err
	}
	if d.plain <= 0 {
		d.checkText(skip)
	}
	return nil
}

// syntaxError says in jsontext's words why a text is no JSON.
func syntaxError(text []byte, skip int) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return &SyntaxError{Msg: "the file is empty", Offset: 0, Cause: "syntax"}
	}
	e := &SyntaxError{Msg: "unexpected end of the text", Offset: len(text) + skip, Cause: "syntax"}
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	err := dec.SkipValue()
	if err == nil { // what stands behind the value
		start := dec.InputOffset()
		if _, err = dec.ReadToken(); err == nil {
			e.Msg, e.Offset = "text after the end of the value", space(text, int(start))+skip
			return e
		}
	}
	var se *jsontext.SyntacticError
	if errors.As(err, &se) {
		e.Msg, e.Offset = se.Err.Error(), int(se.ByteOffset)+skip
		if errors.Is(err, io.ErrUnexpectedEOF) {
			e.Msg = "unexpected end of the text"
		}
	}
	return e
}

// blank copies the text with comments and trailing commas turned into spaces: one string-aware pass. A comma is
// blanked only where a value came before it, so that `[,]` stays wrong.
func (d *Doc) blank(text []byte, skip int) (out []byte, changed bool) {
	out = bytes.Clone(text)
	lastValue, lastComma := false, -1
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			i = stringEnd(out, i) - 1
			lastValue, lastComma = true, -1
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := commentEnd(out, i)
			if end < 0 {
				return out, changed
			}
			d.Comments = append(d.Comments, finding.Span{Start: i + skip, End: end + skip})
			for j := i; j < end; j++ {
				if out[j] != '\n' && out[j] != '\r' {
					out[j] = ' '
				}
			}
			changed = true
			i = end - 1
		case c == ',':
			if lastValue {
				lastComma = i
			}
			lastValue = false
		case c == ']' || c == '}':
			if lastComma >= 0 {
				out[lastComma] = ' '
				d.TrailingCommas = append(d.TrailingCommas, finding.Span{Start: lastComma + skip, End: lastComma + 1 + skip})
				changed = true
			}
			lastValue, lastComma = true, -1
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		case c == '{' || c == '[' || c == ':':
			lastValue, lastComma = false, -1
		default:
			lastValue, lastComma = true, -1
		}
	}
	return out, changed
}

// commentEnd is the offset after the comment at i, -1 for one that never ends.
func commentEnd(text []byte, i int) int {
	if text[i+1] == '*' {
		end := bytes.Index(text[i+2:], []byte("*/"))
		if end < 0 {
			return -1
		}
		return i + 2 + end + 2
	}
	end := bytes.IndexAny(text[i:], "\r\n")
	if end < 0 {
		return len(text)
	}
	return i + end
}

// checkText finds the first byte that is no UTF-8 and the first escape of a lone surrogate.
func (d *Doc) checkText(skip int) {
	text := d.Raw[skip:]
	if i := invalidUTF8(text); i >= 0 {
		d.BadText = finding.Span{Start: i + skip, End: i + skip + 1}
		return
	}
	for i := bytes.Index(text, []byte(`\u`)); i >= 0; {
		unit, ok := escapedUnit(text, i)
		if ok && unit >= 0xD800 && unit < 0xE000 && !escaped(text, i) {
			low, paired := escapedUnit(text, i+6)
			if unit >= 0xDC00 || !paired || low < 0xDC00 || low >= 0xE000 {
				d.BadText = finding.Span{Start: i + skip, End: i + skip + 6}
				return
			}
			i += 6
		}
		i += 2
		next := bytes.Index(text[i:], []byte(`\u`))
		if next < 0 {
			return
		}
		i += next
	}
}

// invalidUTF8 is the offset of the first byte that is no UTF-8, -1 for none.
func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
}

// escaped says whether the backslash at i is itself escaped.
func escaped(text []byte, i int) bool {
	n := 0
	for i--; i >= 0 && text[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// escapedUnit reads a \uXXXX escape at i.
func escapedUnit(text []byte, i int) (unit int, ok bool) {
	if i+6 > len(text) || text[i] != '\\' || text[i+1] != 'u' {
		return 0, false
	}
	for _, c := range text[i+2 : i+6] {
		unit <<= 4
		switch {
		case c >= '0' && c <= '9':
			unit |= int(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			unit |= int(c|0x20-'a') + 10
		default:
			return 0, false
		}
	}
	return unit, true
}
