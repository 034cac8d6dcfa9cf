package secret

import (
	"encoding/base64"
	"strings"
)

// Header judges the value of an HTTP header. A hit spans the credential alone: not its scheme, and not
// the name of a cookie.
func Header(name, value string) []Hit {
	if borne(value) {
		return nil
	}
	c := collector{s: value}
	c.shapesAndURLs(0, len(value))
	c.header(name, 0, len(value))
	return c.done()
}

// header judges s[lo:hi] as the value of a header, after shapes and URLs.
func (c *collector) header(name string, lo, hi int) {
	lo, hi = trimmed(c.s, lo, hi)
	switch strings.ToLower(name) {
	case "cookie", "set-cookie":
		c.cookies(lo, hi)
		return
	}
	if c.scheme(lo, hi) {
		return
	}
	if g := headerGate(name); g != open {
		c.judged(HeaderValue, g, name, lo, hi, loose)
	}
}

// headerGate also knows headers whose names have no word for a secret.
func headerGate(name string) gate {
	switch strings.ToLower(name) {
	case "x-amz-security-token", "x-vault-token", "authentication", "x-auth", "x-session-id":
		return keyGate
	}
	return gateOf(name)
}

// scheme judges s[lo:hi] as "Scheme credentials" and says whether it is that.
func (c *collector) scheme(lo, hi int) bool {
	lo, hi = trimmed(c.s, lo, hi)
	space := strings.IndexByte(c.s[lo:hi], ' ')
	if space < 0 || !isScheme(c.s[lo:lo+space]) {
		return false
	}
	word := strings.ToLower(c.s[lo : lo+space])
	for lo += space; lo < hi && c.s[lo] == ' '; lo++ {
	}
	switch word {
	case "bearer":
		c.judged(Bearer, keyGate, "", lo, hi, bare)
	case "basic":
		c.basic(lo, hi)
	default:
		c.judged(HeaderValue, keyGate, "", lo, hi, loose)
	}
	return true
}

// basic judges base64(user:password), and what is written there without being that.
func (c *collector) basic(lo, hi int) {
	v := c.s[lo:hi]
	if c.overlaps(lo, hi) || v == "" || IsReference(v) || IsPlaceholder("", v) {
		return
	}
	raw, err := base64.StdEncoding.DecodeString(v)
	if err != nil {
		raw, err = base64.RawStdEncoding.DecodeString(v)
	}
	if err != nil {
		c.judged(Basic, passGate, "", lo, hi, loose)
		return
	}
	user, pass, ok := strings.Cut(string(raw), ":")
	switch {
	case !ok && len(v) < passwordLength: // "Basic auth": base64 by accident
	case ok && pass == "" && !opaque(user):
	case ok && pass != "" && (IsPlaceholder("password", pass) || IsReference(pass)):
	case ok && pass != "":
		c.add(Basic, lo, hi, guessable(pass))
	default:
		c.add(Basic, lo, hi, certain)
	}
}

// cookies judges name=value pairs; a cookie without a pair is judged whole.
func (c *collector) cookies(lo, hi int) {
	pairs := false
	c.pairs(lo, hi, ";", func(name string, from, to int) {
		pairs = true
		g := max(gateOf(name), keyGate)
		c.judged(Cookie, g, name, from, to, strict)
	})
	if !pairs {
		c.judged(Cookie, keyGate, "cookie", lo, hi, loose)
	}
}

// pairs calls f for every name=value between the separators.
func (c *collector) pairs(lo, hi int, sep string, f func(name string, from, to int)) {
	for lo < hi {
		end := hi
		if n := strings.IndexAny(c.s[lo:hi], sep); n >= 0 {
			end = lo + n
		}
		if eq := strings.IndexByte(c.s[lo:end], '='); eq > 0 {
			from, to := trimmed(c.s, lo+eq+1, end)
			f(strings.TrimSpace(c.s[lo:lo+eq]), from, to)
		}
		lo = end + 1
	}
}

// connectionString judges a connection string, which is name=value pairs and nothing else (ADO:
// "Server=db;Password=x", libpq: "host=db password=x"), and says whether s[lo:hi] is one.
func (c *collector) connectionString(lo, hi int) bool {
	lo, hi = trimmed(c.s, lo, hi)
	t := c.s[lo:hi]
	sep := ";"
	if !strings.Contains(t, sep) {
		sep = " "
	}
	if strings.Count(t, "=") < 2 || !strings.Contains(t, sep) || strings.Contains(t, "://") || t[0] == '-' {
		return false
	}
	segments := 0
	for s := range strings.SplitSeq(t, sep) {
		if strings.TrimSpace(s) != "" {
			segments++
		}
	}
	names := 0
	c.pairs(lo, hi, sep, func(name string, _, _ int) {
		if len(words(name)) > 0 && !strings.ContainsAny(name, `"'{}()<>$`) {
			names++
		}
	})
	if names < 2 || names < segments {
		return false
	}
	c.pairs(lo, hi, sep, func(name string, from, to int) {
		if g := gateOf(name); g != open {
			c.judged(NameGated, g, name, from, to, loose)
		}
	})
	return true
}
