package source

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// errSyntax says that a text is no JSON; syntaxError says why.
var errSyntax = errors.New("no JSON")

// scan reads strict JSON (RFC 8259) into nodes, in one pass: what jsontext takes, byte for byte, without its tokens.
// A name may stand twice, and a string may hold what is no UTF-8. Every offset is skip more than that in text.
func (d *Doc) scan(text []byte, skip int, lim limits.Set) error {
	nodes := d.nodes
	shift := uint32(skip)
	plain := true
	parent, last, depth := int32(-1), int32(-1), 0 // last is the sibling before
	i := space(text, 0)
	for {
		n := node{next: -1, parent: parent}
		if parent >= 0 && nodes[parent].kind == Object {
			end, clean := scanString(text, i)
			if end < 0 {
				return errSyntax
			}
			n.key, n.member = uint32(i)+shift, true
			if length := end - i - len(`""`); !clean {
				plain = false
			} else if length <= maxName {
				n.name = uint8(length)
			}
			if i = space(text, end); i == len(text) || text[i] != ':' {
				return errSyntax
			}
			i = space(text, i+1)
		} else if last >= 0 {
			n.key = nodes[last].key + 1
		}
		at := int32(len(nodes))
		if last >= 0 {
			nodes[last].next = at
		}
		if i == len(text) {
			return errSyntax
		}
		end := -1
		switch c := text[i]; c {
		case '{', '[':
			n.kind, end = Object, i+1
			if c == '[' {
				n.kind = Array
			}
			if depth == lim.Depth {
				return &SyntaxError{Msg: fmt.Sprintf("nested more than %d deep", lim.Depth), Offset: i + skip, Cause: "depth"}
			}
		case '"':
			n.kind = String
			var clean bool
			end, clean = scanString(text, i)
			plain = plain && clean
		case 'n':
			n.kind, end = Null, scanWord(text, i, "null")
		case 't':
			n.kind, end = Bool, scanWord(text, i, "true")
		case 'f':
			n.kind, end = Bool, scanWord(text, i, "false")
		default:
			n.kind, end = Number, scanNumber(text, i)
		}
		if end < 0 {
			return errSyntax
		}
		n.start, n.end = uint32(i)+shift, uint32(end)+shift
		nodes = append(nodes, n)
		last = at
		i = space(text, end)
		if n.kind >= Object {
			if i == len(text) {
				return errSyntax
			}
			parent, last = at, -1
			depth++
			if c := text[i]; c != '}' && c != ']' {
				continue
			}
		}
		for parent >= 0 { // the ends of what holds the value
			if i == len(text) {
				return errSyntax
			}
			if text[i] == ',' {
				break
			}
			if want := "}]"[nodes[parent].kind-Object]; text[i] != want {
				return errSyntax
			}
			i++
			nodes[parent].end = uint32(i) + shift
			last, parent = parent, nodes[parent].parent
			depth--
			i = space(text, i)
		}
		if parent < 0 {
			break
		}
		i = space(text, i+1)
	}
	if i < len(text) {
		return errSyntax
	}
	d.nodes = nodes
	if !plain {
		d.plain = -1
	}
	return nil
}

// space is the offset of the next byte that is no white space.
func space(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t') {
		i++
	}
	return i
}

// scanWord is the offset behind a word, -1 where another stands.
func scanWord(text []byte, i int, word string) int {
	if end := i + len(word); end <= len(text) && string(text[i:end]) == word {
		return end
	}
	return -1
}

// Bytes of eight at once: ones has a 1 in each, high the highest bit.
const (
	ones = 0x0101010101010101
	high = 0x8080808080808080
)

// scanString is the offset behind the string at i, -1 where there is none. clean says that every byte of it is ASCII
// that can be seen, and none a backslash.
func scanString(text []byte, i int) (end int, clean bool) {
	if i == len(text) || text[i] != '"' {
		return -1, false
	}
	clean = true
	for i++; ; {
		// The first byte of eight that is a quote, a backslash, a control character or above 0x7E has its highest bit set
		// in odd, and none before it.
		for i+8 <= len(text) {
			w := binary.LittleEndian.Uint64(text[i:])
			quote, slash := w^('"'*ones), w^('\\'*ones)
			odd := ((quote-ones)&^quote | (slash-ones)&^slash | (w-' '*ones)&^w | w | (w + ones)) & high
			if odd != 0 {
				i += bits.TrailingZeros64(odd) / 8
				break
			}
			i += 8
		}
		if i >= len(text) {
			return -1, false
		}
		switch c := text[i]; {
		case c == '"':
			return i + 1, clean
		case c == '\\':
			clean = false
			if i+1 == len(text) {
				return -1, false
			}
			switch text[i+1] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
				i += 2
			default:
				if _, ok := escapedUnit(text, i); !ok {
					return -1, false
				}
				i += 6
			}
			continue
		case c < ' ':
			return -1, false
		case c >= 0x7F:
			clean = false
		}
		i++
	}
}

// scanNumber is the offset behind the number at i, -1 where there is none.
func scanNumber(text []byte, i int) int {
	if i < len(text) && text[i] == '-' {
		i++
	}
	if i < len(text) && text[i] == '0' {
		i++
	} else if i = digits(text, i); i < 0 {
		return -1
	}
	if i < len(text) && text[i] == '.' {
		if i = digits(text, i+1); i < 0 {
			return -1
		}
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		return digits(text, i)
	}
	return i
}

// digits is the offset behind the digits at i, -1 where there is none.
func digits(text []byte, i int) int {
	start := i
	for i < len(text) && text[i]-'0' <= 9 {
		i++
	}
	if i == start {
		return -1
	}
	return i
}
