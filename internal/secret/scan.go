package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// shape is one vendor's published form of a credential. The literals find candidates; the expression sees
// a bounded window that begins at the literal.
type shape struct {
	id    Kind
	title string
	lits  []string
	// re is anchored at the literal, or at the word that begins at most back bytes before it. A group, where
	// there is one, is the credential.
	re   string
	how  how
	back int
	// match replaces re, and judges in full, where a form is not regular or not short.
	match func(s string, at int) (start, end int, ok bool)
}

// how is a set of properties of a shape.
type how uint8

const (
	spec    how = 1 << iota // one of the twelve of mcp-config-lint-spec 2.2
	inside                  // may begin and end inside a word: the spec gives no boundary
	mixture                 // must hold letters and digits, and not be words: the form alone is weak
	kebab                   // a neighbouring dash makes it an identifier
	medium                  // medium confidence
)

// scanner is the shape table, indexed by the first byte of its literals. Most positions of a text are
// refuted by the first two bytes.
type scanner struct {
	by     [256][]entry
	second [256][256 / 64]uint64 // for each first byte, the set of second bytes
	re     []func() *regexp.Regexp
}

type entry struct {
	lit   string
	shape int
}

// theScanner is built on first use; a regexp is compiled when its first candidate shows up.
var theScanner = sync.OnceValue(func() *scanner {
	sc := &scanner{re: make([]func() *regexp.Regexp, len(shapes))}
	for i := range shapes {
		sh := &shapes[i]
		sc.re[i] = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A(?:` + sh.re + `)`) })
		for _, lit := range sh.lits {
			sc.by[lit[0]] = append(sc.by[lit[0]], entry{lit, i})
			sc.second[lit[0]][lit[1]/64] |= 1 << (lit[1] % 64)
		}
	}
	for _, es := range sc.by {
		// The longest literal first: sk-or-v1- before sk-.
		slices.SortStableFunc(es, func(a, b entry) int { return len(b.lit) - len(a.lit) })
	}
	return sc
})

// vendorPieces scans what is written out in s[lo:hi]: not the names of references.
func (c *collector) vendorPieces(lo, hi int) {
	if whole(c.s[lo:hi]) {
		c.vendor(lo, hi)
		return
	}
	for _, p := range pieces(c.s[lo:hi]) {
		c.vendor(lo+p.start, lo+p.end)
	}
}

// vendor scans s[lo:hi] for the shapes, in one pass: after a hit it goes on behind it.
func (c *collector) vendor(lo, hi int) {
	sc := theScanner()
	s := c.s[lo:hi]
	for i := 0; i+1 < len(s); i++ {
		b := s[i+1]
		if sc.second[s[i]][b/64]>>(b%64)&1 == 0 {
			continue
		}
		for _, e := range sc.by[s[i]] {
			if e.lit[1] != b || !strings.HasPrefix(s[i:], e.lit) {
				continue
			}
			start, end, ok := sc.try(e.shape, s, i)
			if !ok {
				continue
			}
			sh := &shapes[e.shape]
			c.hits = append(c.hits, Hit{Kind: sh.id, Title: sh.title, Start: lo + start, End: lo + end,
				Medium: sh.doubtful(s, i, start, end), Spec: sh.how&spec != 0})
			if start > i { // behind "Bearer " there may be a form that says more
				end = start
			}
			i = max(i, end-1)
			break
		}
	}
}

// doubtful says that a hit has medium confidence: by its form, as a password that anyone would guess, or
// as a body such as abcdef123456, which people type.
func (sh *shape) doubtful(s string, at, start, end int) bool {
	switch {
	case sh.how&medium != 0:
		return true
	case sh.id == UserInfo:
		return guessable(s[start:end]) == weak
	case start == at:
		for _, lit := range sh.lits {
			if body, ok := strings.CutPrefix(s[start:end], lit); ok && sequence(body) {
				return true
			}
		}
	}
	return false
}

// try runs one shape on the candidate at s[at].
func (sc *scanner) try(n int, s string, at int) (start, end int, ok bool) {
	sh := &shapes[n]
	if sh.match != nil {
		return sh.match(s, at)
	}
	from := at
	for from > 0 && at-from < sh.back && (isWord(s[from-1]) || s[from-1] == '~' || s[from-1] == '.') {
		from--
	}
	if !sh.begins(s, from) {
		return 0, 0, false
	}
	to := min(len(s), at+limits.Default.TokenWindow)
	m := sc.re[n]().FindStringSubmatchIndex(s[from:to])
	if m == nil {
		return 0, 0, false
	}
	g := len(m) - 2 // the group, or the whole
	start, end = from+m[g], from+m[g+1]
	end, ok = sh.ends(s, end, end == to)
	if !ok {
		return 0, 0, false
	}
	t := s[start:end]
	if sh.how&mixture != 0 && (!lettersAndDigits(t) || readable(t)) {
		return 0, 0, false
	}
	return start, end, !IsPlaceholder("", t)
}

// begins says that a token may begin at s[at]: not inside a word, where an escape (%3D, \n) is no word.
func (sh *shape) begins(s string, at int) bool {
	if sh.how&inside != 0 || at == 0 {
		return true
	}
	prev := s[at-1]
	if sh.how&kebab != 0 && prev == '-' {
		return false
	}
	return !isWord(prev) ||
		at >= 2 && s[at-2] == '\\' && strings.IndexByte("nrt", prev) >= 0 ||
		at >= 3 && s[at-3] == '%' && isHex(s[at-2]) && isHex(prev)
}

// ends says where the token that matched up to s[end] ends, as all of it is the secret, and whether it may
// end there. A token that was cut by its window goes on; one that is longer than its form is another.
func (sh *shape) ends(s string, end int, cut bool) (int, bool) {
	if sh.how&inside == 0 && !cut {
		ok := end == len(s) || !isWord(s[end]) && (sh.how&kebab == 0 || s[end] != '-')
		return end, ok
	}
	for end < len(s) && (isWord(s[end]) || cut && strings.IndexByte("-+/=", s[end]) >= 0) {
		end++
	}
	return end, true
}

func isHex(b byte) bool { return isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'f' }
