package secret

import "strings"

// Most strings of a config can be told to be clean by a look at their bytes. What is here only ever says so where the
// full judgement would say the same; TestQuickLooksAgree holds it to that.

// shortest is the least number of bytes that anything recognised as a secret has.
const shortest = 6

// shortestShape is the same for a vendor's shape: xoxb- and ten digits.
const shortestShape = 15

// marks are the bytes that give a string a structure of its own.
type marks uint8

const (
	refMark   marks = 1 << iota // $ { % ` : a reference may be in it
	colonMark                   // a URL, a header, a field
	equalMark
	spaceMark // white space and what a shell reads
	quoteMark
)

var markOf = [256]marks{
	'$': refMark, '{': refMark, '%': refMark, '`': refMark, '[': refMark, ':': colonMark, '=': equalMark,
	' ': spaceMark, '\t': spaceMark, '\r': spaceMark, '\n': spaceMark, ';': spaceMark, '|': spaceMark, '&': spaceMark,
	'"': quoteMark, '\'': quoteMark, '\\': quoteMark,
}

func marksOf(s string) marks {
	var m marks
	for i := range len(s) {
		m |= markOf[s[i]]
	}
	return m
}

// reference says that a value is one ${NAME}, ${env:NAME}, ${input:name} or {env:NAME} and nothing else.
func reference(s string) bool {
	if len(s) < 4 || s[len(s)-1] != '}' {
		return false
	}
	body := s[:len(s)-1]
	switch {
	case body[0] == '$' && body[1] == '{':
		body = body[2:]
		for _, prefix := range [...]string{"env:", "input:"} {
			if len(body) > len(prefix) && body[:len(prefix)] == prefix {
				body = body[len(prefix):]
				break
			}
		}
	case len(body) > 5 && body[:5] == "{env:":
		body = body[5:]
	default:
		return false
	}
	for i := range len(body) {
		if !isWord(body[i]) {
			return false
		}
	}
	// Whoever puts a token where the name belongs has leaked it: a long name is looked at.
	return body != "" && len(body) < 20
}

// borne says that a value is "Bearer" and such a reference, as most headers are.
func borne(s string) bool {
	scheme, token, ok := strings.Cut(s, " ")
	return ok && reference(token) && strings.EqualFold(scheme, "bearer")
}

// mayGate says whether a name can hold a word that gateOf knows, by three letters of each.
func mayGate(name string) bool {
	for i := 0; i+1 < len(name); i++ {
		a, b, c := name[i]|0x20, name[i+1]|0x20, byte(0)
		if i+2 < len(name) {
			c = name[i+2] | 0x20
		}
		switch {
		case a == 'k' && b == 'e' && c == 'y', a == 't' && b == 'o' && c == 'k',
			a == 's' && (b == 'e' && (c == 'c' || c == 's') || b == 'i' && c == 'g'),
			a == 'p' && (b == 'w' || b == 'a' && (c == 's' || c == 't') || b == 'r' && c == 'i'),
			a == 'c' && (b == 'r' && c == 'e' || b == 'o' && c == 'o'),
			a == 'a' && b == 'u' && c == 't', a == 'b' && b == 'e' && c == 'a', a == 'j' && b == 'w':
			return true
		}
	}
	return false
}

// suspicious says that an argument has a structure, may be a flag that names a secret, or holds a vendor's shape. Where
// none of them is, no argument is a secret: an opaque word is one only behind such a flag.
func suspicious(arg string) bool {
	if len(arg) == 0 {
		return false
	}
	if m := marksOf(arg); m != 0 {
		return len(arg) >= shortest
	}
	if arg[0] == '-' && mayGate(arg) || arg == "-H" || len(arg) == len("bearer") && arg[0]|0x20 == 'b' {
		return true
	}
	if len(arg) < shortestShape {
		return false
	}
	c := collector{s: arg}
	c.vendor(0, len(arg))
	return len(c.hits) > 0
}
