package git

import (
	"bytes"
	"strings"
)

// pattern is one line of a .gitignore file, as git (not its manual, where the two differ) reads it.
// Everything works on bytes: a `?` takes one.
type pattern struct {
	negated  bool // it began with "!": what it matches is not ignored
	dirOnly  bool // it ended with "/"
	anchored bool // it holds a "/": it is matched against the path, else against the last name

	suffix  bool    // it is "*" and the literal, the commonest kind of wildcard
	literal string  // what stands before the first wildcard
	rest    []token // the first wildcard and what follows
}

type op uint8

const (
	opByte  op = iota // this byte
	opAny             // ?: any byte but "/"
	opClass           // […]: a byte of the set, never "/"
	opStar            // *: any bytes but "/"
	opAll             // ** at the end: anything
	opDirs            // **/: nothing, or anything that ends with "/"
)

type token struct {
	op  op
	c   byte
	set *byteSet
}

type byteSet [256]bool

// parsePatterns reads a .gitignore file, at most max patterns of it.
func parsePatterns(data []byte, max int) (patterns []pattern, all bool) {
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	for line := range bytes.Lines(data) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		line, _, _ = bytes.Cut(bytes.TrimSuffix(line, []byte("\r")), []byte{0})
		p, ok := parsePattern(string(line))
		if !ok {
			continue
		}
		if len(patterns) == max {
			return patterns, false
		}
		patterns = append(patterns, p)
	}
	return patterns, true
}

// parsePattern gives no pattern for a line that can match nothing: a blank one, or one whose class or
// escape is not complete.
func parsePattern(line string) (p pattern, ok bool) {
	line = trimTrailingSpaces(line)
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirOnly = strings.CutSuffix(line, "/")
	p.anchored = strings.Contains(line, "/")
	if p.anchored {
		line = strings.TrimPrefix(line, "/")
	}
	if line == "" {
		return p, false
	}
	if after, star := strings.CutPrefix(line, "*"); star && !p.anchored && !strings.ContainsAny(after, wildcards) {
		p.suffix, p.literal = true, after
		return p, true
	}
	if i := strings.IndexAny(line, wildcards); i >= 0 {
		p.literal = line[:i]
		p.rest, ok = compile(line[i:])
		return p, ok
	}
	p.literal = line
	return p, true
}

const wildcards = `*?[\`

// trimTrailingSpaces drops the spaces at the end, but not one after a backslash.
func trimTrailingSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++
			end = min(i+1, len(line))
		} else if line[i] != ' ' {
			end = i + 1
		}
	}
	return line[:end]
}

// compile reads s, which begins at the pattern's first wildcard. As git does, it takes that beginning
// for the beginning of a name, so that in `a**/b` the stars cross folders.
func compile(s string) (tokens []token, ok bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i++; i == len(s) {
				return nil, false
			}
			tokens = append(tokens, token{op: opByte, c: s[i]})
		case '?':
			tokens = append(tokens, token{op: opAny})
		case '[':
			set, size := class(s[i:])
			if set == nil {
				return nil, false
			}
			tokens = append(tokens, token{op: opClass, set: set})
			i += size - 1
		case '*':
			first := i
			for i+1 < len(s) && s[i+1] == '*' {
				i++
			}
			after := s[i+1:]
			wide := i > first && (first == 0 || s[first-1] == '/')
			switch {
			case wide && after == "":
				tokens = append(tokens, token{op: opAll})
			case wide && after[0] == '/':
				tokens = append(tokens, token{op: opDirs})
				i++
			case wide && strings.HasPrefix(after, `\/`): // at least one folder
				tokens = append(tokens, token{op: opAll})
			default:
				tokens = append(tokens, token{op: opStar})
			}
		default:
			tokens = append(tokens, token{op: opByte, c: c})
		}
	}
	return tokens, true
}

// class reads the bracket expression at the beginning of s and gives its length; nil where it does not
// end or names a class of characters that does not exist.
func class(s string) (*byteSet, int) {
	set := new(byteSet)
	i := 1
	negated := i < len(s) && (s[i] == '!' || s[i] == '^')
	if negated {
		i++
	}
	low := -1 // the byte that a range may begin with
	for first := true; ; first = false {
		if i >= len(s) {
			return nil, 0
		}
		c := s[i]
		switch {
		case c == ']' && !first:
			if negated {
				for b := range set {
					set[b] = !set[b]
				}
			}
			set['/'] = false
			return set, i + 1
		case c == '-' && low >= 0 && i+1 < len(s) && s[i+1] != ']':
			if i++; s[i] == '\\' {
				if i++; i == len(s) {
					return nil, 0
				}
			}
			for b := low; b <= int(s[i]); b++ {
				set[b] = true
			}
			low = -1
		case c == '[' && i+1 < len(s) && s[i+1] == ':':
			end := strings.IndexByte(s[i+2:], ']')
			if end < 0 {
				return nil, 0
			}
			name, closed := strings.CutSuffix(s[i+2:i+2+end], ":")
			if !closed { // a "[" like any other byte
				set['['] = true
				low = '['
				break
			}
			if !set.add(name) {
				return nil, 0
			}
			low = -1
			i += 2 + end
		default:
			if c == '\\' {
				if i++; i == len(s) {
					return nil, 0
				}
				c = s[i]
			}
			set[c] = true
			low = int(c)
		}
		i++
	}
}

// add puts the ASCII bytes of a POSIX class into the set, as git defines it.
func (set *byteSet) add(name string) bool {
	lower := func(b byte) bool { return 'a' <= b && b <= 'z' }
	upper := func(b byte) bool { return 'A' <= b && b <= 'Z' }
	digit := func(b byte) bool { return '0' <= b && b <= '9' }
	alnum := func(b byte) bool { return lower(b) || upper(b) || digit(b) }
	graph := func(b byte) bool { return ' ' < b && b < 0x7F }
	var in func(b byte) bool
	switch name {
	case "alnum":
		in = alnum
	case "alpha":
		in = func(b byte) bool { return lower(b) || upper(b) }
	case "blank":
		in = func(b byte) bool { return b == ' ' || b == '\t' }
	case "cntrl":
		in = func(b byte) bool { return b < ' ' || b == 0x7F }
	case "digit":
		in = digit
	case "graph":
		in = graph
	case "lower":
		in = lower
	case "print":
		in = func(b byte) bool { return graph(b) || b == ' ' }
	case "punct":
		in = func(b byte) bool { return graph(b) && !alnum(b) }
	case "space":
		in = func(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }
	case "upper":
		in = upper
	case "xdigit":
		in = func(b byte) bool { return digit(b) || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F' }
	default:
		return false
	}
	for b := range set {
		set[b] = set[b] || in(byte(b)) && b < 0x80
	}
	return true
}

// match says whether the pattern matches path, which is relative to the pattern's folder and ends with
// name.
func (p *pattern) match(path, name string, isDir bool) bool {
	if p.dirOnly && !isDir {
		return false
	}
	if p.suffix {
		return strings.HasSuffix(name, p.literal)
	}
	if p.anchored {
		name = path
	}
	rest, ok := strings.CutPrefix(name, p.literal)
	return ok && matchTokens(p.rest, rest)
}

// matchTokens goes through s once for each place where a ** may end: what does not match lengthens the
// last *, and where that can not be, the last **. Lengthening an earlier one can not help, so there is
// no more to try and no pattern takes exponential time.
func matchTokens(tokens []token, s string) bool {
	t, i := 0, 0
	star, starEnd := -1, 0
	wide, wideEnd := -1, 0
	for {
		switch {
		case t == len(tokens):
			if i == len(s) {
				return true
			}
		case tokens[t].op == opStar:
			star, starEnd = t, i
			t++
			continue
		case tokens[t].op >= opAll:
			if tokens[t].op == opAll && t+1 == len(tokens) {
				return true
			}
			wide, wideEnd, star = t, i, -1
			t++
			continue
		case i < len(s) && tokens[t].matches(s[i]):
			t++
			i++
			continue
		}
		if star >= 0 && starEnd < len(s) && s[starEnd] != '/' {
			starEnd++
			t, i = star+1, starEnd
			continue
		}
		if wide < 0 || wideEnd == len(s) {
			return false
		}
		if tokens[wide].op == opAll {
			wideEnd++
		} else {
			slash := strings.IndexByte(s[wideEnd:], '/')
			if slash < 0 {
				return false
			}
			wideEnd += slash + 1
		}
		t, i, star = wide+1, wideEnd, -1
	}
}

func (t token) matches(b byte) bool {
	switch t.op {
	case opByte:
		return b == t.c
	case opAny:
		return b != '/'
	}
	return t.set[b]
}
