// Package secret is the one detector of credentials: every rule that reports them and every output that
// masks them asks here. It judges placeholders and references first, then the shapes that vendors
// publish, then opaque values under a name that says what they are. It looks at strings only, and what
// it returns says the kind, the place and a length class, never the secret.
//
// Sources: mcp-config-lint-spec section 2.2 (twelve patterns and the heuristic), warden-doctor "The
// printed pin command" (launch lines), and measured client configs.
package secret

import (
	"slices"
	"sort"
	"strings"
)

// Kind is the id of what recognised a secret: a vendor shape ("github-pat", see shapes.go) or one of the
// kinds below. Ids are printed in reports and never change their meaning.
type Kind string

// The kinds that are known by their place and not by a vendor's shape.
const (
	NameGated   Kind = "name-gated"   // an opaque value under a name such as API_KEY
	UserInfo    Kind = "url-userinfo" // scheme://user:secret@host
	URLQuery    Kind = "url-query"    // ?api_key=secret
	URLPath     Kind = "url-path"     // a long opaque path segment: whoever knows the URL may call it
	URLFragment Kind = "url-fragment" // #access_token=secret
	Bearer      Kind = "bearer"       // Bearer secret
	Basic       Kind = "basic"        // Basic base64(user:secret)
	HeaderValue Kind = "header"       // X-Api-Key: secret, and other schemes of Authorization
	Cookie      Kind = "cookie"       // Cookie: name=secret
	FlagValue   Kind = "flag-value"   // --api-key secret
	ArgsKV      Kind = "args-kv"      // API_KEY=secret among arguments
	JSONField   Kind = "json-field"   // {"apiKey":"secret"} inside a string
)

// Hit is one secret found in a string.
type Hit struct {
	Kind  Kind
	Title string // what it is, for people: "GitHub personal access token"
	// Start and End are the byte offsets of the credential alone in the string that was given.
	Start, End int
	// Medium says that the confidence is medium; otherwise it is high.
	Medium bool
	// LengthClass is the length of the secret as a class ("20-39"): enough to find it again by eye.
	LengthClass string
	// Spec says that one of the twelve patterns or the heuristic of mcp-config-lint-spec 2.2 matched.
	Spec bool
}

// Value judges a named string, such as an environment variable: vendor shapes, URLs, JSON and connection
// strings inside it, authorization schemes, and its name. An empty key only skips the name. The hits are
// sorted and do not overlap.
func Value(key, value string) []Hit {
	if len(value) < shortest || reference(value) {
		return nil
	}
	c := collector{s: value}
	if marksOf(value) == 0 && !mayGate(key) {
		c.vendor(0, len(value))
		return c.done()
	}
	c.value(key, 0, len(value), NameGated, strict)
	return c.done()
}

// Text finds the vendors' shapes in free text such as a description or an error message. It never uses
// names or entropy.
func Text(s string) []Hit {
	c := collector{s: s}
	c.vendor(0, len(s))
	return c.done()
}

// collector gathers the hits of one string.
type collector struct {
	s    string
	hits []Hit
	// known is how many hits are of shapes and URLs: sorted, apart, and found before names are asked.
	known int
}

func (c *collector) add(kind Kind, lo, hi int, v verdict) {
	c.hits = append(c.hits, Hit{Kind: kind, Title: titles(kind), Start: lo, End: hi,
		Medium: v == weak || v == weakHeuristic, Spec: kind == NameGated && v >= weakHeuristic})
}

// value judges s[lo:hi] in every way that holds for a named string.
func (c *collector) value(key string, lo, hi int, kind Kind, lvl level) {
	c.shapesAndURLs(lo, hi)
	switch {
	case c.json(lo, hi):
	case c.scheme(lo, hi):
	case gateOf(key) != open && slices.Contains(words(key), "cookie") && strings.Contains(c.s[lo:hi], ";"):
		c.cookies(lo, hi)
	case c.connectionString(lo, hi):
	default:
		c.named(kind, key, lo, hi, lvl)
	}
}

// named judges the written-out parts of s[lo:hi] under a name.
func (c *collector) named(kind Kind, key string, lo, hi int, lvl level) {
	if g := gateOf(key); g != open {
		c.judged(kind, g, key, lo, hi, lvl)
	}
}

func (c *collector) judged(kind Kind, g gate, key string, lo, hi int, lvl level) {
	for _, p := range pieces(c.s[lo:hi]) {
		if p.quoted {
			continue
		}
		from, to := trimmed(c.s, lo+p.start, lo+p.end)
		if c.overlaps(from, to) {
			continue // a vendor's shape says more, and its span is the credential alone
		}
		if v := judge(g, key, c.s[from:to], lvl); v != clean {
			c.add(kind, from, to, v)
		}
	}
}

// shapesAndURLs finds what needs no name.
func (c *collector) shapesAndURLs(lo, hi int) {
	if hi-lo < shortest || reference(c.s[lo:hi]) {
		return
	}
	m := marksOf(c.s[lo:hi])
	if m&(refMark|colonMark) == 0 {
		c.vendor(lo, hi)
		c.settle()
		return
	}
	c.vendorPieces(lo, hi)
	c.settle()
	c.urls(lo, hi)
	c.settle()
}

func (c *collector) settle() {
	c.hits = c.done()
	c.known = len(c.hits)
}

// overlaps says whether a known hit lies in s[lo:hi].
func (c *collector) overlaps(lo, hi int) bool {
	i := sort.Search(c.known, func(i int) bool { return c.hits[i].End > lo })
	return i < c.known && c.hits[i].Start < hi
}

// done sorts the hits and joins those that overlap: the first kind wins, as the most specific one is
// looked for first, and no byte that any of them covers is lost.
func (c *collector) done() []Hit {
	if len(c.hits) == 0 {
		return nil
	}
	slices.SortStableFunc(c.hits, func(a, b Hit) int { return a.Start - b.Start })
	out := c.hits[:0]
	for _, h := range c.hits {
		if n := len(out); n > 0 && h.Start < out[n-1].End {
			last := &out[n-1]
			start, end := last.Start, max(last.End, h.End)
			if rank(h.Kind) < rank(last.Kind) {
				*last = h
			}
			last.Start, last.End = start, end
			continue
		}
		out = append(out, h)
	}
	for i := range out {
		out[i].LengthClass = lengthClass(out[i].End - out[i].Start)
	}
	return slices.Clip(out)
}

// rank orders kinds by how much they say: vendors' shapes, schemes and URLs, then names.
func rank(k Kind) int {
	switch k {
	case NameGated, FlagValue, ArgsKV, JSONField, HeaderValue, Cookie:
		return 2
	case UserInfo, URLQuery, URLPath, URLFragment, Bearer, Basic:
		return 1
	}
	return 0
}

// Vendor says that the kind is a vendor's shape, which is known wherever it stands.
func (k Kind) Vendor() bool { return titles(k) == "" }

// titles names the kinds that are known by their place; the shapes bring titles of their own.
func titles(k Kind) string {
	switch k {
	case NameGated:
		return "secret in a variable whose name says so"
	case UserInfo:
		return "password in a URL"
	case URLQuery:
		return "secret in a URL query"
	case URLPath:
		return "secret in a URL path"
	case URLFragment:
		return "secret in a URL fragment"
	case Bearer:
		return "Bearer token"
	case Basic:
		return "Basic credentials"
	case HeaderValue:
		return "secret in a header"
	case Cookie:
		return "secret in a cookie"
	case FlagValue:
		return "secret after a flag"
	case ArgsKV:
		return "secret in a KEY=value argument"
	case JSONField:
		return "secret in a JSON field"
	}
	return ""
}

// lengthClasses are the classes of LengthClass by their upper bounds, in bytes.
var lengthClasses = [...]struct {
	below int
	name  string
}{{8, "1-7"}, {20, "8-19"}, {40, "20-39"}, {80, "40-79"}, {160, "80-159"}}

func lengthClass(n int) string {
	for _, c := range lengthClasses {
		if n < c.below {
			return c.name
		}
	}
	return "160+"
}

// trimmed narrows s[lo:hi] by surrounding space and one pair of quotes, escaped or not.
func trimmed(s string, lo, hi int) (int, int) {
	space := func() {
		for lo < hi && isSpace(s[lo]) {
			lo++
		}
		for lo < hi && isSpace(s[hi-1]) {
			hi--
		}
	}
	space()
	if hi-lo < 2 || isAlnum(s[lo]) {
		return lo, hi
	}
	for _, q := range [...]string{`\"`, `"`, `'`, "`"} {
		t := s[lo:hi]
		if len(t) >= 2*len(q) && strings.HasPrefix(t, q) && strings.HasSuffix(t, q) {
			lo, hi = lo+len(q), hi-len(q)
			space()
			break
		}
	}
	return lo, hi
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }
func isDigit(b byte) bool { return b >= '0' && b <= '9' }
func isLower(b byte) bool { return b >= 'a' && b <= 'z' }
func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }
func isAlpha(b byte) bool { return isLower(b) || isUpper(b) }
func isAlnum(b byte) bool { return isAlpha(b) || isDigit(b) }
func isWord(b byte) bool  { return isAlnum(b) || b == '_' }
