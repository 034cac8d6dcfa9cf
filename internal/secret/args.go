package secret

import (
	"slices"
	"strings"
)

// ArgHit is a secret found in one argument of a command line; Start and End are offsets in that argument.
type ArgHit struct {
	Index int
	Hit
}

// Args judges the arguments of a command: the value after a flag that names a secret, --flag=value,
// KEY=value, `Header: value`, JSON objects, URLs, connection strings, vendors' shapes, and whole shell
// lines. A value without such a place is only judged by its shape: a package name has high entropy too.
func Args(args []string) []ArgHit {
	if !slices.ContainsFunc(args, suspicious) {
		return nil
	}
	var out []ArgHit
	for i, hits := range judgeArgs(args, true) {
		for _, h := range hits {
			out = append(out, ArgHit{i, h})
		}
	}
	return out
}

// judgeArgs returns the hits of every argument. Words of a shell line are judged as arguments once, not
// lines within lines.
func judgeArgs(args []string, lines bool) [][]Hit {
	cs := make([]collector, len(args))
	for i := range args {
		cs[i].s = args[i]
	}
	for i := range cs {
		cs[i].shapesAndURLs(0, len(cs[i].s))
	}
	for i := range cs {
		c := &cs[i]
		hi := len(c.s)
		switch {
		case marksOf(c.s) == 0:
			c.flag(next(cs, i))
		case c.json(0, hi), c.scheme(0, hi), c.headerLine(0, hi), c.connectionString(0, hi):
		case lines && !assigns(c.s) && c.shellLine():
		case c.flag(next(cs, i)):
		default:
			c.keyValue(0, hi)
		}
	}
	out := make([][]Hit, len(cs))
	for i := range cs {
		out[i] = cs[i].done()
	}
	return out
}

// next is the argument after i where that may be the value of a flag.
func next(cs []collector, i int) *collector {
	if i+1 < len(cs) && !strings.HasPrefix(cs[i+1].s, "--") && cs[i+1].s != "-" {
		return &cs[i+1]
	}
	return nil
}

// flag judges an argument that begins with a dash, and the one after it, and says whether it is a flag.
func (c *collector) flag(value *collector) bool {
	lo, hi := trimmed(c.s, 0, len(c.s))
	if !strings.HasPrefix(c.s[lo:hi], "-") {
		// `bearer X` in two arguments
		if strings.EqualFold(c.s[lo:hi], "bearer") && value != nil && lettersAndDigits(value.s) && !readable(value.s) {
			value.judged(Bearer, keyGate, "", 0, len(value.s), loose)
			return true
		}
		return false
	}
	name := strings.TrimLeft(c.s[lo:hi], "-")
	from := hi - len(name)
	if eq := strings.IndexByte(name, '='); eq >= 0 {
		name = name[:eq]
		from += eq + 1
		switch {
		case isHeaderFlag(name):
			c.headerText(from, hi)
		case c.json(from, hi):
		case strings.IndexByte(c.s[from:hi], '=') > 0 && !SecretName(name):
			c.keyValue(from, hi) // --env=API_KEY=x
		default:
			c.flagValue(name, from, hi)
		}
		return true
	}
	if strings.HasPrefix(name, "H") && len(name) > 1 && strings.Contains(name, ":") {
		c.headerText(from+1, hi) // -HX-Api-Key: x
		return true
	}
	if value == nil {
		return true
	}
	switch {
	case isHeaderFlag(name):
		value.headerText(0, len(value.s))
	case SecretName(name) && !strings.HasPrefix(value.s, "-"):
		value.flagValue(name, 0, len(value.s))
	}
	return true
}

// assigns: --flag=value and -HName: value, where the value may hold spaces.
func assigns(s string) bool {
	i := strings.IndexAny(s, "=: \t")
	return strings.HasPrefix(s, "-") && i > 0 && (s[i] == '=' || s[i] == ':' && s[1] == 'H')
}

func isHeaderFlag(name string) bool {
	switch strings.ToLower(name) {
	case "header", "headers", "http-header", "http_header", "add-header":
		return true
	}
	return name == "H"
}

// flagValue judges the value of a flag that may name a secret.
func (c *collector) flagValue(name string, lo, hi int) {
	if g := gateOf(name); g != open && !c.json(lo, hi) && !c.scheme(lo, hi) {
		c.judged(FlagValue, g, name, lo, hi, loose)
	}
}

// headerText judges `Name: value` (or Name=value, as some bridges take it) after a header flag.
func (c *collector) headerText(lo, hi int) {
	lo, hi = trimmed(c.s, lo, hi)
	i := strings.IndexAny(c.s[lo:hi], ":=")
	if i <= 0 || c.json(lo, hi) {
		return
	}
	c.header(strings.TrimSpace(c.s[lo:lo+i]), lo+i+1, hi)
}

// headerLine judges an argument that is a header under a secret's name, and says whether it is one.
func (c *collector) headerLine(lo, hi int) bool {
	lo, hi = trimmed(c.s, lo, hi)
	i := strings.IndexByte(c.s[lo:hi], ':')
	if i <= 0 || strings.HasPrefix(c.s[lo+i:], "://") {
		return false
	}
	name := c.s[lo : lo+i]
	for j := range len(name) {
		if !isWord(name[j]) && name[j] != '-' {
			return false
		}
	}
	if name[0] == '-' || headerGate(name) == open {
		return false
	}
	c.header(name, lo+i+1, hi)
	return true
}

// keyValue judges KEY=value.
func (c *collector) keyValue(lo, hi int) {
	lo, hi = trimmed(c.s, lo, hi)
	eq := strings.IndexByte(c.s[lo:hi], '=')
	if eq <= 0 {
		return
	}
	name := c.s[lo : lo+eq]
	for i := range len(name) {
		if !isWord(name[i]) && strings.IndexByte("-.:", name[i]) < 0 {
			return
		}
	}
	from := lo + eq + 1
	if c.json(from, hi) || c.scheme(from, hi) {
		return
	}
	c.named(ArgsKV, name, from, hi, loose)
}

// shellLine judges the words of an argument that is a command line itself (`sh -c "…"`), and says whether
// it is one.
func (c *collector) shellLine() bool {
	if !strings.ContainsAny(c.s, " \t\r\n;|&") {
		return false
	}
	spans := shellWords(c.s)
	if len(spans) < 2 {
		return false
	}
	texts := make([]string, len(spans))
	for i, w := range spans {
		texts[i] = c.s[w[0]:w[1]]
	}
	for i, hits := range judgeArgs(texts, false) {
		for _, h := range hits {
			h.Start += spans[i][0]
			h.End += spans[i][0]
			c.hits = append(c.hits, h)
		}
	}
	return true
}

// shellWords returns the spans of the words of a command line: split at space and at ; | & ( ), where
// quotes hold a word together. An unclosed quote is a letter. References are kept whole.
func shellWords(s string) [][2]int {
	var out [][2]int
	start := -1
	flush := func(i int) {
		if start >= 0 && i > start {
			out = append(out, [2]int{start, i})
		}
		start = -1
	}
	closed := [256]bool{'"': true, '\'': true}
	for i := 0; i < len(s); i++ {
		b := s[i]
		switch {
		case isSpace(b) || b == ';' || b == '|' || b == '&':
			flush(i)
			continue
		case closed[b]:
			n := strings.IndexByte(s[i+1:], b)
			if n < 0 {
				closed[b] = false // no other one follows
				break
			}
			if start < 0 {
				start = i
			}
			i += n + 1
			continue
		}
		if start < 0 {
			start = i
		}
	}
	flush(len(s))
	return out
}
