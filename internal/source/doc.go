// Package source turns the bytes of a file or an answer into a tree whose every node knows its bytes.
// Rules judge nodes, findings point at them, and a fix is an edit of bytes: nothing here re-formats.
//
// One Node serves JSON, JSONC, TOML and YAML. Duplicate keys are all kept; Get answers the last, which is the
// one that clients read.
package source

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// Format is how a document is written.
type Format uint8

// The formats. A JSON document is read strictly first and with comments and trailing commas after that.
const (
	JSON Format = iota
	TOML
	YAML
)

func (f Format) String() string { return [...]string{"JSON", "TOML", "YAML"}[f] }

// Kind is the kind of a value.
type Kind uint8

// The kinds. Invalid is the kind of the zero Node.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	Object
	Array
)

func (k Kind) String() string {
	return [...]string{"nothing", "null", "a boolean", "a number", "a string", "an object", "an array"}[k]
}

// node is one value in pre-order: 24 bytes. key is the offset of the member's name, or the ordinal in an array.
type node struct {
	start, end uint32
	key        uint32
	next       int32 // the next sibling, -1 for none
	parent     int32 // -1 for the root
	kind       Kind
	member     bool // a member of an object, so that key is an offset
	shared     bool // reached through a YAML alias: may be read, never edited
	// name is how long a member's name is that is ASCII without escapes, 0 for another or one of more than maxName bytes.
	name uint8
}

const maxName = math.MaxUint8

// detail is what formats other than JSON know about a node beyond its bytes.
type detail struct {
	key, value       string
	keyStart, keyEnd uint32
}

// Doc is one document: its bytes and its tree. A Doc is not safe for concurrent use: look-ups and positions are
// indexed on first use.
type Doc struct {
	// Path is the name that reports show.
	Path string
	// Raw is what was read. Every span is an offset into it, and strings share its bytes: it must not be changed.
	Raw    []byte
	Format Format
	// Strict is false for a JSON document with comments or trailing commas.
	Strict bool
	// BOM is true when a UTF-8 byte order mark precedes the text.
	BOM bool
	// Comments and TrailingCommas hold what strict JSON forbids, in order. Comments also holds those of TOML and YAML.
	Comments, TrailingCommas []finding.Span
	// BadText is the place of the first byte that is not UTF-8 or of the first lone surrogate escape, Len 0 for none.
	BadText finding.Span
	// Conflicts are the names that a TOML file defines again although TOML forbids it: a key or a table twice, a value
	// used as a table. A client that reads the file refuses all of it; here both definitions are kept.
	Conflicts []finding.Span

	nodes   []node
	details []detail         // nil for JSON
	indexes map[int32]*index // of objects with many members
	lines   *lineIndex
	plain   int8  // of Plain: 1 yes, -1 no, 0 not looked yet
	inner   inner // of the string that was asked for it last
}

// inner is the answer of Node.Inner for one node.
type inner struct {
	node      int32
	known, ok bool
	span      finding.Span
}

// SyntaxError says why and where a document can not be read.
type SyntaxError struct {
	Path         string
	Format       Format
	Msg          string
	Offset       int
	Line, Column int
	// Cause is one word for reports: syntax, depth, size, encoding.
	Cause string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s at line %d, column %d", e.Msg, e.Line, e.Column)
}

// Parse reads a document. Its error is always a *SyntaxError.
func Parse(path string, raw []byte, f Format, lim limits.Set) (*Doc, error) {
	d := &Doc{Path: path, Raw: raw, Format: f}
	err := d.parse(lim)
	if err == nil {
		return d, nil
	}
	var se *SyntaxError
	if !errors.As(err, &se) {
		se = &SyntaxError{Msg: err.Error(), Cause: "syntax"}
	}
	se.Path, se.Format = path, f
	if se.Cause == "" {
		se.Cause = "syntax"
	}
	se.Offset = min(max(se.Offset, 0), len(raw))
	se.Line, se.Column = d.Position(se.Offset)
	return nil, se
}

func (d *Doc) parse(lim limits.Set) error {
	if e := encoding(d.Raw); e != "" {
		return &SyntaxError{Msg: "the file is " + e + ", save it as UTF-8", Cause: "encoding"}
	}
	if uint64(len(d.Raw)) >= 1<<32 {
		return &SyntaxError{Msg: "the file is too large", Cause: "size"}
	}
	if strings.HasPrefix(string(d.Raw[:min(3, len(d.Raw))]), "\xEF\xBB\xBF") {
		d.BOM = true
	}
	switch d.Format {
	case TOML:
		return d.parseTOML(lim)
	case YAML:
		return d.parseYAML(lim)
	}
	return d.parseJSON(lim)
}

// encoding names an encoding other than UTF-8, as far as the first bytes tell: no text format of ours may start
// with a NUL within its first two characters.
func encoding(raw []byte) string {
	if len(raw) < 2 {
		return ""
	}
	switch {
	case raw[0] == 0xFF && raw[1] == 0xFE, raw[0] != 0 && raw[1] == 0:
		return "UTF-16 (little endian)"
	case raw[0] == 0xFE && raw[1] == 0xFF, raw[0] == 0 && raw[1] != 0:
		return "UTF-16 (big endian)"
	}
	return ""
}

// body is the text after a byte order mark, and the mark's length.
func (d *Doc) body() ([]byte, int) {
	if d.BOM {
		return d.Raw[3:], 3
	}
	return d.Raw, 0
}

// Root is the document's value. It is not Valid for an empty TOML or YAML file.
func (d *Doc) Root() Node {
	if len(d.nodes) == 0 {
		return Node{}
	}
	return Node{d, 0}
}

// Lookup follows an RFC 6901 JSON Pointer; the zero Node means that it leads nowhere.
func (d *Doc) Lookup(pointer string) Node {
	n := d.Root()
	for _, part := range PointerParts(pointer) {
		if n.Kind() == Array {
			i, err := strconv.Atoi(part)
			if err != nil {
				return Node{}
			}
			n = n.At(i)
		} else {
			n = n.Get(part)
		}
	}
	return n
}

// PointerParts are the names and indexes in a JSON Pointer, as they are meant; none in that of the whole document.
func PointerParts(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~")
	}
	return parts
}

// Nodes walks every value in document order.
func (d *Doc) Nodes() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for i := range d.nodes {
			if !yield(Node{d, int32(i)}) {
				return
			}
		}
	}
}

// Plain says that the text is ASCII that can be seen, without a backslash: no string of it holds another character.
func (d *Doc) Plain() bool {
	if d.plain == 0 {
		d.plain = 1
		for _, c := range d.Raw {
			if c >= 0x7F || c == '\\' || c < ' ' && c != '\n' && c != '\r' && c != '\t' {
				d.plain = -1
				break
			}
		}
	}
	return d.plain > 0
}
