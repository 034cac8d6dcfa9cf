package source

import (
	"bytes"
	"reflect"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// syntaxError finds where yaml.v3 stopped. Its message has only a line, which is that of the collection around the
// fault and is often one too small; the exact place is in fields that it does not export.
func (r *yamlReader) syntaxError(dec *yaml.Decoder, err error) *SyntaxError {
	e := &SyntaxError{Msg: strings.TrimPrefix(err.Error(), "yaml: ")}
	outer := reflect.ValueOf(dec).Elem().FieldByName("parser").Elem()
	p := outer.FieldByName("parser")
	mark := func(v reflect.Value) int {
		return r.position(int(v.FieldByName("line").Int())+1, int(v.FieldByName("column").Int())+1)
	}
	problem := p.FieldByName("problem").String()
	if problem == "" { // an alias of nothing
		e.Offset = mark(outer.FieldByName("event").FieldByName("start_mark"))
		return e
	}
	e.Msg = problem
	context := p.FieldByName("context").String()
	if context != "" {
		e.Msg = context + ": " + problem
	}
	if strings.HasPrefix(problem, "exceeded max depth") {
		e.Cause = "depth"
	}
	if p.FieldByName("error").Int() == readerError {
		e.Offset = r.skip + int(p.FieldByName("problem_offset").Int())
		return e
	}
	e.Offset = mark(p.FieldByName("problem_mark"))
	if context != "" && len(bytes.TrimSpace(r.d.Raw[e.Offset:])) == 0 {
		e.Offset = mark(p.FieldByName("context_mark")) // what is never closed says more than the end of the text
	}
	return e
}

// readerError is what yaml.v3 calls a character that it does not take; it has an offset and no line.
const readerError = 2

// indexLines finds the lines as YAML 1.1 sees them.
func (r *yamlReader) indexLines() {
	raw := r.d.Raw
	r.starts = append(r.starts, r.skip)
	for at := r.skip; at < len(raw); {
		n := breakAt(raw, at)
		if n == 0 {
			at++
			continue
		}
		at += n
		r.starts = append(r.starts, at)
	}
}

// breakAt is the length of the line break at i, 0 for none.
func breakAt(raw []byte, i int) int {
	switch raw[i] {
	case '\n':
		return 1
	case '\r':
		if i+1 < len(raw) && raw[i+1] == '\n' {
			return 2
		}
		return 1
	case 0xC2: // next line
		if i+1 < len(raw) && raw[i+1] == 0x85 {
			return 2
		}
	case 0xE2: // line and paragraph separator
		if i+2 < len(raw) && raw[i+1] == 0x80 && raw[i+2]|1 == 0xA9 {
			return 3
		}
	}
	return 0
}

// blankAt is the length of the white space character at i, 0 for none.
func blankAt(raw []byte, i int) int {
	if raw[i] == ' ' || raw[i] == '\t' {
		return 1
	}
	return breakAt(raw, i)
}

// position is the offset of a line and a column.
func (r *yamlReader) position(line, column int) int {
	if line < 1 || line > len(r.starts) {
		return len(r.d.Raw)
	}
	at := r.starts[line-1]
	for ; column > 1 && at < len(r.d.Raw); column-- {
		_, size := utf8.DecodeRune(r.d.Raw[at:])
		at += size
	}
	return at
}

// offset is the position of a node. Nodes come in the order of the text, so that a line is walked once.
func (r *yamlReader) offset(n *yaml.Node) int {
	if n.Line != r.line {
		r.line, r.column, r.off = n.Line, 1, r.position(n.Line, 1)
	}
	for r.column < n.Column && r.off < len(r.d.Raw) {
		_, size := utf8.DecodeRune(r.d.Raw[r.off:])
		r.off += size
		r.column++
	}
	return r.off
}
