package secret

import (
	"strings"
)

// URL finds the secrets of one URL: the password (or the token) before its host, query parameters and
// fragments under a secret's name (percent-encoded or not), long opaque path segments, and vendors'
// shapes anywhere. The URL need not be one that net/url accepts.
func URL(u string) []Hit {
	c := collector{s: u}
	c.vendorPieces(0, len(u))
	c.settle()
	if i := strings.Index(u, "://"); i >= 0 {
		c.url(i, len(u))
	} else {
		c.query(0, len(u)) // a relative reference still has a query
	}
	return c.done()
}

// urls judges every URL inside s[lo:hi].
func (c *collector) urls(lo, hi int) {
	for i := lo; i < hi; {
		n := strings.Index(c.s[i:hi], "://")
		if n < 0 {
			return
		}
		at := i + n
		end := urlEnd(c.s[:hi], at+len("://"))
		c.url(at, end)
		i = max(end, at+len("://"))
	}
}

// urlEnd is where a URL inside a text ends: at a space, a quote, or the next URL's scheme, but not inside
// the braces of a reference.
func urlEnd(s string, i int) int {
	brace := 0
	for ; i < len(s); i++ {
		switch b := s[i]; {
		case b == '{':
			brace++
		case b == '}':
			brace = max(0, brace-1)
		case isSpace(b) && brace == 0 || b == '"' || b == '\'' || b == '`' || b == '\n':
			return i
		case b == ':' && strings.HasPrefix(s[i:], "://"):
			return i
		}
	}
	return i
}

// url judges the URL whose "://" is at s[at] and which ends at end.
func (c *collector) url(at, end int) {
	if at == 0 || !isAlnum(c.s[at-1]) {
		return
	}
	s := c.s[:end]
	a := authorityOf(s, at+len("://"))
	switch {
	case a.at < 0:
	case a.passStart >= 0:
		c.password(a.passStart, a.at)
	default:
		c.userToken(a)
	}
	tail := a.end
	if a.at >= 0 {
		tail = a.at
	}
	rest := strings.IndexAny(s[tail:], "/?#")
	if rest < 0 {
		return
	}
	rest += tail
	pathEnd := rest
	for pathEnd < end && s[pathEnd] != '?' && s[pathEnd] != '#' {
		pathEnd++
	}
	c.segments(s[a.start:rest], rest, pathEnd)
	c.query(pathEnd, end)
}

// password judges the password of a URL: it has no other use, so everything written out counts, and what
// anyone would guess counts with medium confidence.
func (c *collector) password(lo, hi int) {
	if c.overlaps(lo, hi) {
		return
	}
	for _, p := range pieces(c.s[lo:hi]) {
		from, to := lo+p.start, lo+p.end
		if v := c.s[from:to]; !p.quoted && isPassword(v) {
			c.add(UserInfo, from, to, guessable(v))
		}
	}
}

// guessable gives words and short passwords ("postgres") medium confidence.
func guessable(v string) verdict {
	if len(v) < passwordLength || readable(v) {
		return weak
	}
	return certain
}

// userToken judges a user name without a password: some services take a token there. Sentry's is public.
func (c *collector) userToken(a authority) {
	v := c.s[a.start:a.at]
	if strings.Contains(c.s[a.at:a.end], "sentry.io") || !opaque(v) || c.overlaps(a.start, a.at) || IsReference(v) {
		return
	}
	c.add(UserInfo, a.start, a.at, weak)
}

// segments judges the path s[lo:hi]: whoever knows a long opaque segment may call.
func (c *collector) segments(host string, lo, hi int) {
	prev := host
	for i := lo; i < hi; {
		j := i
		for j < hi && c.s[j] != '/' {
			j++
		}
		v := c.s[i:j]
		if opaque(v) && !c.overlaps(i, j) && !IsPlaceholder("", v) && !namesThing(host, prev, v) {
			c.add(URLPath, i, j, weak)
		}
		if v != "" {
			prev = v
		}
		i = j + 1
	}
}

// namesThing says that a segment is a digest, a commit or the id of a record, by the segment before it.
func namesThing(host, prev, v string) bool {
	if digest(v) {
		return true
	}
	switch strings.ToLower(prev) {
	case "commit", "commits", "blob", "blobs", "tree", "raw", "archive", "tarball", "zipball", "sha", "rev", "objects", "digest",
		"account", "accounts", "org", "orgs", "organizations", "project", "projects", "workspace", "workspaces", "tenant", "tenants",
		"team", "teams", "user", "users", "zone", "zones", "database", "databases", "document", "documents", "d", "file", "files",
		"folder", "folders", "page", "pages", "issue", "issues", "image", "images", "assets", "video", "videos", "models", "deployments":
		return true
	}
	hex := strings.Trim(v, "0123456789abcdefABCDEF") == ""
	return hex && (strings.Contains(host, "github") || strings.Contains(host, "gitlab") || strings.Contains(host, "bitbucket"))
}

// query judges name=value pairs behind "?" and "#" in s[lo:hi], and a fragment that is one token.
func (c *collector) query(lo, hi int) {
	kind := URLQuery
	for i := lo; i < hi; {
		switch c.s[i] {
		case '?', '&', ';':
			i++
			continue
		case '#':
			kind = URLFragment
			i++
			continue
		}
		j, eq, depth := i, -1, 0
	pair:
		for ; j < hi; j++ {
			switch b := c.s[j]; {
			case b == '{' || b == '<':
				depth++
			case b == '}' || b == '>':
				depth = max(0, depth-1)
			case depth > 0:
			case b == '&' || b == ';' || b == '#' || b == '?' && eq < 0:
				break pair
			case b == '=' && eq < 0:
				eq = j
			}
		}
		switch {
		case eq >= 0:
			c.parameter(kind, c.s[i:eq], eq+1, j)
		case kind == URLFragment && opaque(c.s[i:j]) && !c.overlaps(i, j) && !commit(c.s[i:j]):
			c.add(kind, i, j, weak)
		}
		i = max(j, i+1)
	}
}

// commit: git+https://host/owner/repo#4f2a9c…, the full id of a commit.
func commit(v string) bool {
	return len(v) == commitLength && strings.Trim(v, "0123456789abcdef") == ""
}

const commitLength = 40 // hex digits of SHA-1

// parameter judges one pair. Its name and value may be percent-encoded.
func (c *collector) parameter(kind Kind, name string, lo, hi int) {
	name = unescaped(name)
	g := gateOf(name)
	if g == open {
		switch strings.ToLower(name) {
		case "sig", "signature", "hmac", "sas", "access", "x-amz-signature", "x-amz-credential", "x-goog-signature":
			g = keyGate
		default:
			return
		}
	}
	lvl := loose
	if specParameter(name) {
		lvl = bare
	}
	v := c.s[lo:hi]
	if strings.IndexByte(v, '%') < 0 || unescaped(v) == v {
		c.judged(kind, g, name, lo, hi, lvl)
		return
	}
	// %24%7BTOKEN%7D is a reference too.
	plainText := unescaped(v)
	if c.overlaps(lo, hi) || IsReference(plainText) {
		return
	}
	if x := judge(g, name, plainText, lvl); x != clean {
		c.add(kind, lo, hi, x)
	}
}

// specParameter: the names of mcp-security/secret-in-url, under which every literal value is reported.
func specParameter(name string) bool {
	switch strings.ToLower(name) {
	case "key", "token", "api_key", "apikey", "secret", "password", "access_token":
		return true
	}
	return false
}

// unescaped decodes the percent escapes of s and keeps what is none.
func unescaped(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			b.WriteByte(nibble(s[i+1])<<4 | nibble(s[i+2]))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func nibble(b byte) byte {
	if isDigit(b) {
		return b - '0'
	}
	return b | 0x20 - 'a' + 10
}
