package launch

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// dialect is the shell whose rules of quoting and splitting hold.
type dialect uint8

const (
	posix dialect = iota
	cmdexe
	power
)

// word is one argument, unquoted, with the place that it came from. Expansions stand in it as written.
type word struct {
	text   string
	arg    int // index in the given argv, -1 in a script
	off    int // byte offset of text in that word, -1 where quoting changed it
	q      int // length of text where the first quote stood, -1 if none: quoted words are never reserved
	lo, hi int // the commands of its substitutions, a range of lexer.cmds; hi is foreign for another script's
	proc   bool
}

const foreign = -1

// from is w without its first i bytes.
func (w word) from(i int) word {
	w.text = w.text[i:]
	if w.off >= 0 {
		w.off += i
	}
	return w
}

// span gives the bytes of w in its argv word, 0 and 0 where they are not w's text.
func (w word) span() (start, end int) {
	if w.arg < 0 || w.off < 0 {
		return 0, 0
	}
	return w.off, w.off + len(w.text)
}

// simple is one simple command of a script.
type simple struct {
	words   []word
	assigns []word
	redirs  []redir
	here    string // the body of its here-document
	skip    bool   // a loop head or the like: words that are not a command
	end     int    // where its last word ended
	frame
}

type redir struct {
	op string
	to word
}

// frame says what feeds a command: the earlier stages of its pipeline are cmds[pipe:stage], and what is
// piped into the group around it is cmds[lo:hi].
type frame struct{ pipe, stage, lo, hi int }

// lexer splits a script into simple commands, in one pass.
type lexer struct {
	r      *reader
	s      string
	i      int
	d      dialect
	at     func(pos int) (arg, off int) // the origin of a byte, nil inside a script
	cmds   []*simple
	groups int // open groups
	docs   []heredoc
}

type heredoc struct {
	cmd   *simple
	delim string
	tabs  bool
}

// list reads commands up to the closing byte of a substitution, or to the end.
func (x *lexer) list(end byte) {
	var stack []frame
	over := 0 // groups that are too deep to be kept
	f := frame{pipe: len(x.cmds), stage: len(x.cmds)}
	cur := new(simple)
	flush := func() {
		if len(cur.words)+len(cur.assigns) > 0 && !cur.skip {
			cur.frame = f
			x.cmds = append(x.cmds, cur)
			x.r.commands++
		}
		cur = new(simple)
	}
	sequence := func(n int) {
		flush()
		f.pipe, f.stage = len(x.cmds), len(x.cmds)
		x.i += n
	}
	open := func() {
		flush()
		if len(stack) >= limits.Default.LaunchDepth {
			x.r.cut = true
			over++
			return
		}
		stack = append(stack, f)
		lo, hi := f.pipe, f.stage
		if lo == hi {
			lo, hi = f.lo, f.hi
		}
		f = frame{pipe: len(x.cmds), stage: len(x.cmds), lo: lo, hi: hi}
		x.groups++
	}
	closeGroup := func() {
		flush()
		if over > 0 {
			over--
		} else if n := len(stack); n > 0 {
			f, stack = stack[n-1], stack[:n-1]
			x.groups--
		}
	}
	defer func(n int) { x.groups = n }(x.groups)
	x.groups = 0
	for x.i < len(x.s) && !x.r.full() {
		c := x.s[x.i]
		first := len(cur.words) == 0
		switch {
		case c == ' ' || c == '\t' || c == '\r' || x.d == cmdexe && c == ';':
			x.i++
		case x.continued():
			x.i += 2
		case c == '\n':
			sequence(1)
			x.heredocs()
		case c == ';':
			sequence(1)
		case c == '|':
			if x.peek(1) == '|' {
				sequence(2)
				break
			}
			flush()
			f.stage = len(x.cmds)
			x.i++
			if x.d == posix && x.peek(0) == '&' {
				x.i++
			}
		case c == '&' && x.d == posix && x.peek(1) == '>':
			x.i++
		case c == '&' && x.peek(1) == '&':
			sequence(2)
		case c == '&' && x.d == power && first:
			x.i++ // the call operator
		case c == '&':
			sequence(1)
		case c == '#' && x.d != cmdexe:
			for x.i < len(x.s) && x.s[x.i] != '\n' {
				x.i++
			}
		case c == '@' && x.d == cmdexe && first:
			x.i++
		case c == '(' && (x.d == posix || x.d == cmdexe && first):
			x.i++
			open()
		case c == '{' && x.d == power:
			x.i++
			open()
		case c == '}' && x.d == power:
			x.i++
			closeGroup()
		case c == ')' && (len(stack) > 0 || over > 0) && x.d != power:
			x.i++
			closeGroup()
		case c == ')' && end == ')':
			flush()
			x.i++
			return
		case c == ')' && x.d != cmdexe:
			sequence(1) // the pattern of a case
		case (c == '<' || c == '>') && x.d != power || c == '>':
			x.redirect(cur)
		default:
			w := x.word(first)
			switch r := x.reserved(w, first); r {
			case "{":
				open()
			case "}":
				closeGroup()
			case "for", "case", "select", "function":
				cur.skip = true
				cur.words = append(cur.words, w)
			case "":
				if first && x.d == posix && w.assignment() {
					cur.assigns = append(cur.assigns, w)
				} else {
					cur.words = append(cur.words, w)
				}
			}
			cur.end = x.i
		}
	}
	flush()
}

// reserved gives w's name when it is a reserved word in command position.
func (x *lexer) reserved(w word, first bool) string {
	if !first || x.d != posix || w.q >= 0 || !isReserved(w.text) {
		return ""
	}
	return w.text
}

func isReserved(s string) bool {
	switch s {
	case "{", "}", "!", "if", "then", "else", "elif", "fi", "while", "until", "do", "done", "esac", "time",
		"for", "case", "select", "function", "coproc":
		return true
	}
	return false
}

// assignment says whether w is NAME=value, the name unquoted.
func (w word) assignment() bool {
	k := strings.IndexByte(w.text, '=')
	if k <= 0 || w.q >= 0 && w.q <= k {
		return false
	}
	return IsName(strings.TrimSuffix(w.text[:k], "+"))
}

// IsName says whether s can be the name of a variable.
func IsName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && !letter(c) && (i == 0 || !digit(c)) {
			return false
		}
	}
	return s != ""
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

func (x *lexer) peek(n int) byte {
	if x.i+n < len(x.s) {
		return x.s[x.i+n]
	}
	return 0
}

// continued says whether a line continuation starts here.
func (x *lexer) continued() bool {
	mark := [...]byte{posix: '\\', cmdexe: '^', power: '`'}[x.d]
	return x.s[x.i] == mark && x.peek(1) == '\n'
}

// redirect reads a redirection, or a process substitution, which is a word.
func (x *lexer) redirect(cur *simple) {
	if n := len(cur.words); n > 0 && cur.end == x.i && digits(cur.words[n-1].text) && cur.words[n-1].q < 0 {
		cur.words = cur.words[:n-1] // a descriptor: 2>file
	}
	if x.d == posix && x.peek(1) == '(' {
		cur.words = append(cur.words, x.process())
		cur.end = -1
		return
	}
	start := x.i
	for x.i < len(x.s) && x.i-start < len("<<<") && strings.IndexByte("<>&|-", x.s[x.i]) >= 0 {
		if c := x.s[x.i]; (c == '|' || c == '-') && x.d != posix || c == '-' && x.s[start:x.i] != "<<" {
			break
		}
		x.i++
	}
	op := x.s[start:x.i]
	for x.i < len(x.s) && (x.s[x.i] == ' ' || x.s[x.i] == '\t') {
		x.i++
	}
	var to word
	if c := x.peek(0); x.d == posix && (c == '<' || c == '>') && x.peek(1) == '(' {
		to = x.process()
	} else {
		to = x.word(false)
	}
	cur.redirs = append(cur.redirs, redir{op: op, to: to})
	if x.d == posix && (op == "<<" || op == "<<-") {
		x.docs = append(x.docs, heredoc{cmd: cur, delim: to.text, tabs: op == "<<-"})
	}
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if !digit(s[i]) {
			return false
		}
	}
	return s != ""
}

// process reads <(…) or >(…).
func (x *lexer) process() word {
	w := word{arg: -1, off: -1, q: 0, lo: len(x.cmds), proc: true}
	w.text = string(x.sub(nil, len("<(")))
	w.hi = len(x.cmds)
	return w
}

// heredocs reads the bodies of the here-documents of the line that just ended.
func (x *lexer) heredocs() {
	for _, d := range x.docs {
		start := x.i
		for x.i < len(x.s) {
			line, _, _ := strings.Cut(x.s[x.i:], "\n")
			at := x.i
			x.i = min(x.i+len(line)+1, len(x.s))
			if d.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			if line == d.delim {
				d.cmd.here = x.s[start:at]
				start = -1
				break
			}
		}
		if start >= 0 {
			d.cmd.here = x.s[start:x.i]
		}
	}
	x.docs = x.docs[:0]
}

// word reads one word, the first of a command or a later one; it takes at least one byte unless a byte
// that ends words stands here.
func (x *lexer) word(first bool) word {
	w := word{arg: -1, off: -1, q: -1, lo: len(x.cmds)}
	start := x.i
	var b []byte
loop:
	for x.i < len(x.s) {
		c := x.s[x.i]
		switch {
		case x.ends(c):
			break loop
		case x.continued():
			x.i += 2
		case c == '"':
			w.quote(b)
			b = x.double(b)
		case c == '\'' && x.d != cmdexe:
			w.quote(b)
			b = x.single(b)
		case c == '$' && x.d != cmdexe:
			b = x.dollar(&w, b)
		case c == '`' && x.d == posix:
			w.quote(b)
			b = x.backquote(b)
		case c == '\\' && x.d == posix, c == '^' && x.d == cmdexe, c == '`' && x.d == power:
			w.quote(b)
			x.i++
			if x.i < len(x.s) {
				b = append(b, x.s[x.i])
				x.i++
			}
		case c == '(' && x.d == power:
			if first && plainName(string(b), "-") {
				break loop // IEX(…) is a command and its argument
			}
			b = x.sub(b, 1)
		case c == '@' && x.d == power && x.peek(1) == '(':
			b = x.sub(b, len("@("))
		default:
			b = append(b, c)
			x.i++
		}
	}
	w.text = string(b)
	w.hi = len(x.cmds)
	if x.at == nil {
		return w
	}
	w.arg, _ = x.at(start)
	for _, pos := range [...]int{start, start + 1} {
		if !strings.HasPrefix(x.s[min(pos, len(x.s)):], w.text) {
			continue
		}
		arg, off := x.at(pos)
		if end, _ := x.at(pos + len(w.text)); end == arg {
			w.arg, w.off = arg, off
			break
		}
	}
	return w
}

func (w *word) quote(b []byte) {
	if w.q < 0 {
		w.q = len(b)
	}
}

// ends says whether c ends a word.
func (x *lexer) ends(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', '|', '&', '>':
		return true
	case ';':
		return true
	case '<':
		return x.d != power
	case '(':
		return x.d == posix
	case ')':
		return x.d != cmdexe || x.groups > 0
	case '{', '}':
		return x.d == power
	}
	return false
}
