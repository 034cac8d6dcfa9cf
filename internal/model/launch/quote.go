package launch

import (
	"strings"
	"unicode/utf8"
)

// single reads '…'; PowerShell writes a quote in it twice.
func (x *lexer) single(b []byte) []byte {
	for x.i++; x.i < len(x.s); x.i++ {
		if x.s[x.i] == '\'' {
			if x.d != power || x.peek(1) != '\'' {
				x.i++
				break
			}
			x.i++
		}
		b = append(b, x.s[x.i])
	}
	return b
}

// double reads "…" with its substitutions.
func (x *lexer) double(b []byte) []byte {
	for x.i++; x.i < len(x.s); {
		c := x.s[x.i]
		next := x.peek(1)
		switch {
		case c == '"' && (x.d == posix || next != '"'):
			x.i++
			return b
		case c == '"':
			b = append(b, c)
			x.i += 2
		case c == '\\' && x.d == posix && next == '\n':
			x.i += 2
		case c == '\\' && x.d == posix && (next == '$' || next == '`' || next == '"' || next == '\\'),
			c == '\\' && x.d == cmdexe && next == '"',
			c == '`' && x.d == power && next != 0:
			b = append(b, next)
			x.i += 2
		case c == '`' && x.d == posix:
			b = x.backquote(b)
		case c == '$' && next == '(' && x.d != cmdexe:
			b = x.sub(b, len("$("))
		case c == '$' && next == '{' && x.d == posix:
			b = x.brace(b)
		default:
			b = append(b, c)
			x.i++
		}
	}
	return b
}

// dollar reads what starts with $ outside quotes.
func (x *lexer) dollar(w *word, b []byte) []byte {
	switch c := x.peek(1); {
	case c == '(':
		return x.sub(b, len("$("))
	case c == '{' && x.d == posix:
		return x.brace(b)
	case c == '\'' && x.d == posix:
		w.quote(b)
		return x.ansi(b)
	case c == '"' && x.d == posix:
		w.quote(b)
		x.i++
		return x.double(b)
	}
	x.i++
	return append(b, '$')
}

// sub reads a substitution, whose opening is n bytes long, and keeps it as written.
func (x *lexer) sub(b []byte, n int) []byte {
	start := x.i
	x.i += n
	if x.r.enter() {
		x.list(')')
		x.r.leave()
	}
	return append(b, x.s[start:x.i]...)
}

// brace reads ${…} and keeps it as written.
func (x *lexer) brace(b []byte) []byte {
	depth := 0
	for x.i < len(x.s) {
		c, next := x.s[x.i], x.peek(1)
		switch {
		case c == '$' && next == '(':
			b = x.sub(b, len("$("))
			continue
		case c == '`':
			b = x.backquote(b)
			continue
		case c == '\\' && next != 0:
			b = append(b, c)
			x.i++
		case c == '$' && next == '{':
			depth++
		case c == '}':
			depth--
		}
		b = append(b, x.s[x.i])
		x.i++
		if depth == 0 && c == '}' {
			break
		}
	}
	return b
}

// backquote reads `…`: inside, a backslash hides $, ` and another backslash.
func (x *lexer) backquote(b []byte) []byte {
	start := x.i
	var in []byte
	for x.i++; x.i < len(x.s) && x.s[x.i] != '`'; x.i++ {
		if n := x.peek(1); x.s[x.i] == '\\' && (n == '`' || n == '\\' || n == '$') {
			x.i++
		}
		in = append(in, x.s[x.i])
	}
	x.i = min(x.i+1, len(x.s))
	if y := x.r.lexer(string(in), posix); y != nil && x.r.enter() {
		y.cmds = x.cmds
		y.list(0)
		x.cmds = y.cmds
		x.r.leave()
	}
	return append(b, x.s[start:x.i]...)
}

// ansi reads $'…' as bash, zsh and POSIX 2024 do.
func (x *lexer) ansi(b []byte) []byte {
	for x.i += len("$'"); x.i < len(x.s); {
		c := x.s[x.i]
		x.i++
		if c == '\'' {
			return b
		}
		if c != '\\' || x.i == len(x.s) {
			b = append(b, c)
			continue
		}
		c = x.s[x.i]
		x.i++
		switch k := strings.IndexByte(`abefnrtvE`, c); {
		case k >= 0:
			b = append(b, "\a\b\x1b\f\n\r\t\v\x1b"[k])
		case c >= '0' && c <= '7':
			x.i--
			b = append(b, byte(x.number(8, 3)))
		case c == 'x':
			b = append(b, byte(x.number(16, 2)))
		case c == 'u':
			b = utf8.AppendRune(b, rune(x.number(16, 4)))
		case c == 'U':
			b = utf8.AppendRune(b, rune(x.number(16, 8)))
		case c == 'c' && x.i < len(x.s):
			b = append(b, x.s[x.i]&0x1f)
			x.i++
		case c == '\\' || c == '\'' || c == '"' || c == '?':
			b = append(b, c)
		default:
			b = append(b, '\\', c)
		}
	}
	return b
}

// number reads up to n digits of a base.
func (x *lexer) number(base, n int) uint32 {
	var v uint32
	for ; n > 0 && x.i < len(x.s); n-- {
		d := strings.IndexByte("0123456789abcdef", x.s[x.i]|0x20)
		if digit(x.s[x.i]) {
			d = int(x.s[x.i] - '0')
		}
		if d < 0 || d >= base {
			break
		}
		v = v*uint32(base) + uint32(d)
		x.i++
	}
	return v
}
