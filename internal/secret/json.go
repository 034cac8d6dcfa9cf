package secret

import (
	"strconv"
	"strings"
)

// json judges the fields of a JSON object or array inside s[lo:hi], at any depth, and says whether there
// is one. It reads keys and strings and nothing else, so it also reads what is broken, and what was
// quoted once too often ({\"apiKey\":\"x\"}), as configs for Windows are.
func (c *collector) json(lo, hi int) bool {
	lo, hi = trimmed(c.s, lo, hi)
	t := c.s[lo:hi]
	if len(t) < 2 || t[0] != '{' && t[0] != '[' || !strings.Contains(t, `"`) {
		return false
	}
	quote := `"`
	if i := strings.IndexByte(t, '"'); i > 0 && t[i-1] == '\\' {
		quote = `\"`
	}
	c.fields(quote, lo, hi)
	return true
}

func (c *collector) fields(quote string, lo, hi int) {
	key, pending := "", false // the last string, and whether a colon followed it
	for i := lo; i < hi; {
		if !strings.HasPrefix(c.s[i:hi], quote) {
			switch b := c.s[i]; {
			case b == ':':
				pending = true
			case b == ',' || b == '{' || b == '}':
				key, pending = "", false
			}
			i++
			continue
		}
		from := i + len(quote)
		to := closing(c.s[:hi], from, quote)
		if to < 0 {
			return
		}
		i = to + len(quote)
		if !pending {
			key = c.s[from:to]
			continue
		}
		c.field(key, from, to)
	}
}

// closing finds the quote that ends the string which begins at i.
func closing(s string, i int, quote string) int {
	if len(quote) > 1 {
		if n := strings.Index(s[i:], quote); n >= 0 {
			return i + n
		}
		return -1
	}
	for ; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// field judges one string value under its key. A string with escapes is judged decoded, and spanned whole.
func (c *collector) field(key string, from, to int) {
	raw := c.s[from:to]
	if strings.IndexByte(raw, '\\') < 0 {
		if headerGate(key) != open && c.scheme(from, to) {
			return
		}
		c.named(JSONField, key, from, to, loose)
		return
	}
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(raw, `\/`, `/`) + `"`)
	if err != nil {
		text = raw
	}
	if c.overlaps(from, to) {
		return
	}
	inner := collector{s: text}
	inner.vendorPieces(0, len(text))
	inner.named(JSONField, key, 0, len(text), loose)
	if hits := inner.done(); len(hits) > 0 {
		h := hits[0]
		h.Start, h.End = from, to
		c.hits = append(c.hits, h)
	}
}
