package text

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Payload is text that was found encoded in another.
type Payload struct {
	Start, End int    // where it stands
	Coding     string // base64 or hex
	Text       string
}

// shortestCode is the length from which a run of letters is tried: eleven letters of text. shortestPiece is that of what is
// taken together with others of its kind.
const shortestCode, shortestPiece = 16, 2

// Encoded finds base64, base64url and hex that stand for text. A run counts when most of it is printable once decoded, so
// that a few bytes of junk do not hide the rest. Runs with blanks or a line's end between them are taken together, short ones
// if each looks encoded or is as long as the one before.
func Encoded(s string) []Payload {
	var found []Payload
	start, end, size := -1, -1, 0 // the runs gathered so far, and the length of the last one
	long := -1                    // the first of them that may stand alone
	flush := func(rest int) {     // the runs before it, and what is left over, may be a part of it or words
		for _, try := range [...][2]int{{start, rest}, {start, end}, {long, rest}, {long, end}} {
			if from, to := try[0], try[1]; from >= 0 && to-from >= shortestCode {
				if p, ok := decode(s[from:to]); ok {
					p.Start, p.End = from, to
					found = append(found, p)
					break
				}
			}
		}
		start, long = -1, -1
	}
	for i := 0; i < len(s); {
		if !coded[s[i]] {
			if !blank(s[i]) || i-end > 2 {
				flush(0)
			}
			i++
			continue
		}
		from := i
		for i < len(s) && coded[s[i]] {
			i++
		}
		n := i - from
		padded := i < len(s) && s[i] == '='
		for i < len(s) && s[i] == '=' {
			i++
		}
		if n < shortestCode && !padded && !(start >= 0 && n == size) && !piece(s[from:from+n]) {
			rest := 0
			if n < size && end > 0 && s[end-1] != '=' {
				rest = i
			}
			flush(rest)
			continue
		}
		if start < 0 {
			start = from
		}
		if long < 0 && n >= shortestCode {
			long = from
		}
		end, size = i, n
	}
	flush(0)
	return found
}

// piece says whether a word looks like a part of a code: small letters before capitals, or digits among letters.
func piece(w string) bool {
	if len(w) < shortestPiece {
		return false
	}
	hexadecimal, digits := true, 0
	for i := range len(w) {
		c := w[i]
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'A' && c <= 'Z' && i > 0 && w[i-1] >= 'a' && w[i-1] <= 'z':
			return true
		}
		hexadecimal = hexadecimal && (c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F')
	}
	return digits > 0 && (digits < len(w) || hexadecimal)
}

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

var coded = func() (t [256]bool) {
	for c := range 0x7F {
		t[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
	}
	return
}()

// glance is how much of a run is decoded before the whole.
const glance = 32

func decode(run string) (Payload, bool) {
	var upper, lower, digit, other bool
	isHex := true
	for i := range len(run) {
		switch c := run[i]; {
		case c >= 'A' && c <= 'Z':
			upper, isHex = true, isHex && c <= 'F'
		case c >= 'a' && c <= 'z':
			lower, isHex = true, isHex && c <= 'f'
		case c >= '0' && c <= '9':
			digit = true
		case blank(c):
		default:
			other, isHex = true, false
		}
	}
	if !digit && !(upper && lower) && !other || !digit && other && !(upper && lower) {
		return Payload{}, false
	}
	if strings.ContainsAny(run, " \n\r\t") {
		run = strings.Map(func(r rune) rune {
			if blank(byte(r)) {
				return -1
			}
			return r
		}, run)
	}
	if isHex {
		if b, err := hex.DecodeString(run[:len(run)&^1]); err == nil && legible(b) {
			return Payload{Coding: "hex", Text: words(b)}, true
		}
	}
	if !upper || !lower {
		return Payload{}, false
	}
	run = strings.TrimRight(run, "=")
	if strings.ContainsAny(run, "-_") {
		run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
	}
	for skip := range 4 { // a run may begin in what stood before it
		part := run[min(skip, len(run)):]
		part = part[:len(part)-len(part)%4+keep[len(part)%4]]
		if !glimpse(part, 0) && !glimpse(part, len(part)/2&^3) { // words may stand before it
			continue
		}
		if b, err := base64.RawStdEncoding.DecodeString(strings.ReplaceAll(part, "=", "A")); err == nil && legible(b) {
			return Payload{Coding: "base64", Text: words(b)}, true
		}
	}
	return Payload{}, false
}

// glimpse says whether a part of base64 is legible where it is looked at first.
func glimpse(part string, at int) bool {
	b, err := base64.RawStdEncoding.DecodeString(part[at:min(at+glance, len(part)&^3)])
	return err == nil && legible(b)
}

// keep is how many letters of an unfinished group of four can be decoded.
var keep = [4]int{0, 0, 2, 3}

// legible says whether at least four bytes of five belong to text.
func legible(b []byte) bool {
	const share, of = 4, 5
	good := 0
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r != utf8.RuneError && (unicode.IsPrint(r) || r == '\n' || r == '\t' || r == '\r') {
			good += size
		}
		i += size
	}
	return len(b) > 0 && good*of >= len(b)*share
}

// words is decoded text with blanks for the bytes that are none. What is not seen stays: it may stand within a word.
func words(b []byte) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) && r != '\n' && r != '\t' && !ignorable(r) {
			return ' '
		}
		return r
	}, string(b))
}

// Unescape resolves escapes that a reader decodes in passing: \xHH, \uHHHH, %HH, and HTML's references. escapes counts
// those that stand for a letter: blanks of a URL are none.
func Unescape(s string) (out string, escapes int) {
	if strings.IndexByte(s, '\\') < 0 && strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '&') < 0 {
		return s, 0
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := escape(s[i:])
		if n == 0 {
			b.WriteByte(s[i])
			i++
			continue
		}
		if unicode.IsLetter(r) {
			escapes++
		}
		b.WriteRune(r)
		i += n
	}
	return b.String(), escapes
}

// longestReference bounds an HTML reference, which ends at its semicolon.
const longestReference = 10

// hexDigits are the digits by their values, the capital ones 16 places behind.
const hexDigits = "0123456789abcdef0123456789ABCDEF"

// escape reads one escape at the start of s. n is 0 where there is none.
func escape(s string) (r rune, n int) {
	number := func(at, digits int) (rune, int) {
		if len(s) < at+digits {
			return 0, 0
		}
		v := rune(0)
		for _, c := range []byte(s[at : at+digits]) {
			d := rune(strings.IndexByte(hexDigits, c))
			if d < 0 {
				return 0, 0
			}
			v = v<<4 | d&0xF
		}
		if v == 0 {
			return 0, 0
		}
		return v, at + digits
	}
	switch s[0] {
	case '%':
		return number(1, 2)
	case '\\':
		switch {
		case strings.HasPrefix(s, `\x`):
			return number(2, 2)
		case strings.HasPrefix(s, `\u`):
			return number(2, 4)
		}
	case '&':
		end := strings.IndexByte(s[:min(len(s), longestReference)], ';')
		if end < 0 {
			return 0, 0
		}
		if text := html.UnescapeString(s[:end+1]); text != s[:end+1] {
			r, _ = utf8.DecodeRuneInString(text)
			return r, end + 1
		}
	}
	return 0, 0
}
