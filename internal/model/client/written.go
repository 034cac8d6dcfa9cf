package client

import "strings"

// hole is a part of a text that a client, a shell or a person replaces: ${…}, ${{ … }}, $(…), {{…}}, {…}, $VAR, %VAR%,
// <…> and `…`. Which of them a client understands is not asked here.
type hole struct {
	lo, hi int
	// name is the variable of the environment that it stands for, "" where it stands for something else; asked says
	// that it is an answer of the user.
	name  string
	asked bool
}

// holes finds them in one pass, without those inside of others. What is opened and never closed is text.
func holes(s string) []hole {
	if !strings.ContainsAny(s, "${%<`") {
		return nil
	}
	var out []hole
	closes := braces(s)
	next := map[byte]int{} // where the next closer of its kind is, at least; -1 for nowhere
	closer := func(from int, c byte) int {
		if at, ok := next[c]; !ok || at >= 0 && at < from {
			next[c] = strings.IndexByte(s[from:], c)
			if next[c] >= 0 {
				next[c] += from
			}
		}
		return next[c]
	}
	for i := 0; i < len(s); {
		h := hole{lo: i, hi: -1}
		rest := s[i+1:]
		switch c := s[i]; {
		case c == '$' && strings.HasPrefix(rest, "{"):
			if end, ok := closes[i+1]; ok {
				h.hi = end + 1
				h.name, h.asked = meaning(s[i+2 : end])
			}
		case c == '$' && strings.HasPrefix(rest, "("):
			h.hi = closer(i, ')') + 1
		case c == '$':
			word := strings.TrimPrefix(rest, "env:")
			if n := identifier(word); n > 0 {
				h.name = word[:n]
				h.hi = i + 1 + len(rest) - len(word) + n
			}
		case c == '{':
			if end, ok := closes[i]; ok {
				h.hi = end + 1
				if name, env := strings.CutPrefix(s[i+1:end], "env:"); env && identifier(name) == len(name) {
					h.name = name
				}
			}
		case c == '%': // two hex digits between percent signs are a byte
			if n := identifier(rest); n > 2 && strings.HasPrefix(rest[n:], "%") {
				h.name, h.hi = rest[:n], i+n+2
			}
		case c == '<':
			h.hi = closer(i, '>') + 1
		case c == '`':
			h.hi = closer(i+1, '`') + 1
		}
		if h.hi <= i {
			i++
			continue
		}
		out = append(out, h)
		i = h.hi
	}
	return out
}

// braces pairs every { with its }.
func braces(s string) map[int]int {
	pairs := map[int]int{}
	var open []int
	for i := range len(s) {
		switch {
		case s[i] == '{':
			open = append(open, i)
		case s[i] == '}' && len(open) > 0:
			pairs[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return pairs
}

// meaning reads what stands between ${ and }.
func meaning(inner string) (name string, asked bool) {
	if strings.HasPrefix(inner, "{") { // ${{ secrets.NAME }}
		inner = strings.Trim(inner, "{} ")
		if _, ok := strings.CutPrefix(inner, "inputs."); ok {
			return "", true
		}
		inner = strings.TrimPrefix(inner, "secrets.")
	}
	if strings.HasPrefix(inner, "input:") {
		return "", true
	}
	inner = strings.TrimPrefix(inner, "env:")
	n := identifier(inner)
	if rest := inner[n:]; rest != "" && rest[0] != '-' && !strings.HasPrefix(rest, ":-") {
		return "", false
	}
	return inner[:n], false
}

// identifier is the length of the name that s begins with.
func identifier(s string) int {
	for i := range len(s) {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && s[i] != '_' && (i == 0 || s[i] < '0' || s[i] > '9') {
			return i
		}
	}
	return len(s)
}

// fill puts text in the place of every hole.
func fill(s string, text func(hole) string) string {
	var b strings.Builder
	at := 0
	for _, h := range holes(s) {
		b.WriteString(s[at:h.lo])
		b.WriteString(text(h))
		at = h.hi
	}
	if at == 0 {
		return s
	}
	b.WriteString(s[at:])
	return b.String()
}
