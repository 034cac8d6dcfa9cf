package schema

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An expression of ECMA-262 is read in one pass, by hand: RE2 knows no look-around, regexp2 takes what ECMA-262 does
// not, and neither says whether an expression is safe. The pass keeps a stack of open groups, so that neither depth
// nor length of a hostile expression costs more than its bytes.
//
// On request it writes the expression again, in a form that RE2 and regexp2 read with the meaning that ECMA-262
// gives it: classes spelled out, anchors without lines, groups without names.

// expression is what the pass finds out.
type expression struct {
	// bad says why it compiles in no mode, "" if it does.
	bad string
	// loose says why it compiles only without the u flag.
	loose string
	// deep says that groups nest below the limit, so that nothing else is known.
	deep bool
	// unsafe says that a repeated group can match one text in exponentially many ways. In long expressions only a
	// repeat of a repeat is found.
	unsafe bool

	// plain is the expression for RE2 and regexp2; portable says that RE2 can read it, and inert that neither can.
	plain           string
	portable, inert bool
	// size is how many instructions it takes, repeats written out.
	size int64
}

// piece is what is known of a part: whether it matches nothing, whether a loop in it has nothing around it that must
// match, which characters of the expression it can begin and end with, and how large it is.
type piece struct {
	nullable, exposed bool
	first, last       mask
	size              int64
}

// then makes a part that part followed by another one.
func (r *reader) then(a, b *piece) {
	r.maze.follow(a.last, b.first)
	if a.nullable {
		a.first |= b.first
	}
	if b.nullable {
		a.last |= b.last
	} else {
		a.last = b.last
	}
	a.exposed = a.exposed && b.nullable || a.nullable && b.exposed
	a.nullable = a.nullable && b.nullable
	a.size = addSat(a.size, b.size)
}

// or is a choice of both.
func (a piece) or(b piece) piece {
	return piece{a.nullable || b.nullable, a.exposed || b.exposed, a.first | b.first, a.last | b.last, addSat(a.size, b.size)}
}

func addSat(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func mulSat(a, b int64) int64 {
	if a != 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}

type groupKind uint8

const (
	capture groupKind = iota
	noCapture
	ahead
	behind
)

// open is a group that has not ended: its branch so far, and the branches before.
type open struct {
	kind     groupKind
	branches piece
	branch   piece
	some     bool // branches holds one
}

type reader struct {
	s     string
	at    int
	depth int
	form  form
	out   *strings.Builder // nil: only judge
	expression

	groups   int // capturing groups so far
	backRef  int // the highest \1 to \9…
	names    map[string]int
	nameRefs []string
	hasK     bool
	one      ascii // what the item matches below 128, if it is one character
	maze     ambiguity
	coded    bool // the item is \u{…}
	strict   bool // without the u flag it is wrong for certain: there, \u{41}+ repeats twice
}

// many is how often a bounded repeat must be allowed for it to count as a loop.
const many = 10

// form is what an expression is written again as.
type form uint8

const (
	noForm     form = iota
	linearForm      // for RE2
	backForm        // for regexp2, whose \b and \B know other words than ECMA-262 does
)

// readPattern reads an expression whose groups nest at most so deep. It looks for ambiguity as long as there is work
// left, for none without any.
func readPattern(s string, depth int, f form, work *int) expression {
	r := reader{s: s, depth: depth, form: f}
	r.portable = true
	if f != noForm {
		r.out = &strings.Builder{}
	}
	r.read()
	if r.bad == "" && !r.deep {
		r.unsafe = r.unsafe || work != nil && r.maze.exponential(work)
		r.references()
	}
	if r.strict && r.loose != "" {
		r.fail("%s, which the u flag forbids, and \\u{…} needs it", r.loose)
	}
	if f != noForm {
		r.plain = r.out.String()
	}
	return r.expression
}

func (r *reader) fail(format string, args ...any) {
	if r.bad == "" {
		r.bad = fmt.Sprintf(format, args...)
	}
}

func (r *reader) loosely(format string, args ...any) {
	if r.loose == "" {
		r.loose = fmt.Sprintf(format, args...)
	}
}

func (r *reader) write(s string) {
	if r.out != nil {
		r.out.WriteString(s)
	}
}

// writeRune writes a literal, also within a class.
func (r *reader) writeRune(c rune) {
	if r.out == nil {
		return
	}
	if c < utf8.RuneSelf && !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z') && c > ' ' && c != 0x7F && c != '_' {
		r.out.WriteByte('\\')
	}
	if c >= 0xD800 && c < 0xE000 { // half a character: no text of ours holds one
		r.inert = true
		c = utf8.RuneError
	}
	r.out.WriteRune(c)
}

func (r *reader) next() rune {
	c, size := utf8.DecodeRuneInString(r.s[r.at:])
	r.at += size
	return c
}

func (r *reader) has(prefix string) bool {
	if strings.HasPrefix(r.s[r.at:], prefix) {
		r.at += len(prefix)
		return true
	}
	return false
}

func (r *reader) peek() byte {
	if r.at < len(r.s) {
		return r.s[r.at]
	}
	return 0
}

func (r *reader) read() {
	var buf [16]open
	stack := append(buf[:0], open{branch: piece{nullable: true}})
	for r.at < len(r.s) && r.bad == "" {
		top := &stack[len(stack)-1]
		repeatable, single := true, true
		var item piece
		switch c := r.next(); c {
		case '(':
			g := open{branch: piece{nullable: true}}
			g.kind = r.group()
			if len(stack) > r.depth {
				r.deep = true
				return
			}
			stack = append(stack, g)
			continue
		case ')':
			if len(stack) == 1 {
				r.fail("unmatched )")
				return
			}
			item, single = top.branch, false
			if top.some {
				item = item.or(top.branches)
			}
			kind := top.kind
			stack = stack[:len(stack)-1]
			top = &stack[len(stack)-1]
			r.write(")")
			switch kind {
			case ahead:
				item = piece{nullable: true, size: item.size}
				if c := r.peek(); c == '*' || c == '+' || c == '?' || c == '{' {
					r.loosely("a look-ahead is repeated")
				}
			case behind:
				item, repeatable = piece{nullable: true, size: item.size}, false
			}
		case '|':
			if top.some {
				top.branches = top.branches.or(top.branch)
			} else {
				top.branches, top.some = top.branch, true
			}
			top.branch = piece{nullable: true}
			r.write("|")
			continue
		case '^':
			item, repeatable = piece{nullable: true, size: 1}, false
			r.write(`\A`)
		case '$':
			item, repeatable = piece{nullable: true, size: 1}, false
			r.write(`\z`)
		case '*', '+', '?':
			r.fail("nothing to repeat before %c", c)
			return
		case '{':
			r.at--
			if _, _, ok := r.braces(); ok {
				r.fail("nothing to repeat before {")
				return
			}
			r.at++
			r.loosely("{ stands for itself")
			item = piece{size: 1}
			r.writeRune(c)
		case '}', ']':
			r.loosely("%c stands for itself", c)
			item = piece{size: 1}
			r.writeRune(c)
		case '.':
			item = piece{size: 1}
			r.one = span('\n', '\n').with(span('\r', '\r')).not()
			r.write("[^\\n\\r\u2028\u2029]")
		case '[':
			item = piece{size: 1}
			r.class()
			r.coded = false
		case '\\':
			item, repeatable = r.escape()
		default:
			item = piece{size: 1}
			r.one = span(c, c)
			r.writeRune(c)
		}
		if r.bad != "" {
			return
		}
		if single && !item.nullable {
			item.first = r.maze.character(r.one)
			item.last = item.first
		}
		item = r.repeat(item, repeatable)
		r.coded, r.one = false, ascii{}
		r.then(&top.branch, &item)
	}
	if r.bad == "" && len(stack) > 1 {
		r.fail("a group does not end")
	}
	whole := stack[0].branch
	if stack[0].some {
		whole = whole.or(stack[0].branches)
	}
	r.size = whole.size
}

// group reads what follows an opening parenthesis.
func (r *reader) group() groupKind {
	if !r.has("?") {
		r.groups++
		r.write("(")
		return capture
	}
	switch {
	case r.has(":"):
		r.write("(?:")
		return noCapture
	case r.has("="), r.has("!"):
		r.portable = false
		r.write("(?" + r.s[r.at-1:r.at])
		return ahead
	case r.has("<="), r.has("<!"):
		r.portable = false
		r.write("(?" + r.s[r.at-2:r.at])
		return behind
	case r.has("<"):
		r.groups++
		if name, ok := r.name(); ok {
			if r.names == nil {
				r.names = map[string]int{}
			}
			r.names[name] = r.groups
		}
		r.write("(")
		return capture
	}
	// ECMAScript 2025: (?ims-ims:…)
	from := r.at
	for c := r.peek(); c == 'i' || c == 'm' || c == 's' || c == '-'; c = r.peek() {
		r.at++
	}
	if r.at > from && r.has(":") && strings.Count(r.s[from:r.at], "-") <= 1 {
		r.inert = true // their meaning differs where our form has spelled classes and anchors out
		r.write("(?:")
		return noCapture
	}
	r.at = from
	r.fail("no group starts with (?%s", shown(r.s[r.at:]))
	return capture
}

// shown is the first character of a text, for a message.
func shown(s string) string {
	c, size := utf8.DecodeRuneInString(s)
	if size == 0 || !unicode.IsPrint(c) {
		return ""
	}
	return s[:size]
}

// name reads the name of a group up to its >.
func (r *reader) name() (string, bool) {
	from := r.at
	for r.at < len(r.s) {
		c := r.next()
		if c == '>' {
			if r.at-1 == from {
				break
			}
			return r.s[from : r.at-1], true
		}
		if c != '$' && c != '_' && c != '\\' && !unicode.IsLetter(c) && (r.at == from+1 || !unicode.In(c, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc)) {
			break
		}
	}
	r.fail("the name of a group is none")
	return "", false
}

// braces reads {n}, {n,} or {n,m}; max is -1 for no bound.
func (r *reader) braces() (min, max int64, ok bool) {
	from := r.at
	r.at++
	min, ok = r.digits()
	max = min
	if ok && r.has(",") {
		if max, ok = r.digits(); !ok {
			max, ok = -1, true
		}
	}
	if !ok || !r.has("}") {
		r.at = from
		return 0, 0, false
	}
	return min, max, true
}

func (r *reader) digits() (n int64, ok bool) {
	for r.at < len(r.s) && r.s[r.at]-'0' <= 9 {
		n, ok = addSat(mulSat(n, 10), int64(r.s[r.at]-'0')), true
		r.at++
	}
	return n, ok
}

// repeat reads the quantifier of an item, if it has one.
func (r *reader) repeat(item piece, repeatable bool) piece {
	from := r.at
	var min, max int64
	switch r.peek() {
	case '*':
		min, max = 0, -1
		r.at++
	case '+':
		min, max = 1, -1
		r.at++
	case '?':
		min, max = 0, 1
		r.at++
	case '{':
		var ok bool
		if min, max, ok = r.braces(); !ok {
			return item
		}
	default:
		return item
	}
	if !repeatable {
		r.fail("nothing to repeat before %s", r.s[from:from+1])
		return item
	}
	if max >= 0 && max < min {
		r.fail("the numbers of a repeat are out of order")
		return item
	}
	r.write(r.s[from:r.at])
	lazy := r.has("?")
	if lazy {
		r.write("?")
	}
	r.strict = r.strict || r.coded && (lazy || r.s[from] != '?')
	loop := max < 0 || max >= many
	if loop && item.exposed {
		r.unsafe = true
	}
	if loop || max > 1 && max > min {
		r.maze.follow(item.last, item.first)
	}
	times := max
	if max < 0 {
		times = min + 1
	}
	return piece{item.nullable || min == 0, item.exposed || loop, item.first, item.last, mulSat(item.size, times)}
}
