package secret

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// jwt matches a signed JSON Web Token: header and claims are JSON objects, so both begin with eyJ.
func jwt(s string, at int) (start, end int, ok bool) {
	// Not inside a run of its own alphabet: each run is then read once.
	if at > 0 && s[at-1] == '-' || !(&shape{}).begins(s, at) {
		return 0, 0, false
	}
	end = at
	for part := range jwtParts {
		from := end
		for end < len(s) && isToken(s[end]) {
			end++
		}
		if end-from < jwtPart || part < jwtParts-1 && !strings.HasPrefix(s[from:], "eyJ") {
			return 0, 0, false
		}
		if part < jwtParts-1 {
			if end == len(s) || s[end] != '.' {
				return 0, 0, false
			}
			end++
		}
	}
	return at, end, !sample(s[at:end]) && !filler(s[at:end])
}

const (
	jwtParts = 3
	jwtPart  = 10 // bytes: {"a":""} and a byte of signature more
)

// isToken says that b belongs to the base64url alphabet.
func isToken(b byte) bool { return isWord(b) || b == '-' }

// privateKey matches a PEM block of a private key, to its end or to the end of its body. A mention of the
// marker, or a block with a phrase where the body belongs, is none.
func privateKey(s string, at int) (start, end int, ok bool) {
	head := s[at+len("-----BEGIN "):]
	line := strings.Index(head[:min(len(head), pemLine)], "-----")
	if line < 0 || !strings.Contains(head[:line], "PRIVATE KEY") {
		return 0, 0, false
	}
	body := at + len("-----BEGIN ") + line + len("-----")
	// The body: base64 in lines, where a line end may be written \n, with headers of an old form before it.
	end, run, longest := body, 0, 0
	limit := min(len(s), body+limits.Default.MatchUnit)
	for end < limit {
		b := s[end]
		switch {
		case isAlnum(b) || b == '+' || b == '/' || b == '=':
			if end > body && s[end-1] == '\\' && strings.IndexByte("nrt", b) >= 0 {
				run = 0
				break
			}
			run++
			longest = max(longest, run)
		case strings.HasPrefix(s[end:], "-----"):
			ok := longest >= pemBody && !filler(s[body:end])
			if tail := s[end+len("-----"):]; strings.HasPrefix(tail, "END") {
				if i := strings.Index(tail[:min(len(tail), pemLine)], "-----"); i >= 0 {
					end += i + 2*len("-----")
				}
			}
			return at, end, ok
		case isSpace(b) || strings.IndexByte("\\:,-", b) >= 0:
			run = 0
		default:
			return at, cut(s, end), longest >= pemBody && !filler(s[body:end])
		}
		end++
	}
	return at, cut(s, end), longest >= pemBody && !filler(s[body:end])
}

// cut moves the end of an unfinished key before the space behind it.
func cut(s string, end int) int { return len(strings.TrimRight(s[:end], " \t\r\n\\")) }

const (
	pemLine = 64 // the longest marker line, in bytes
	pemBody = 40 // the shortest run of base64 that is a key and no phrase
)

// connection matches scheme://user:password@ at the "://" in s[at]; the password is the credential.
func connection(s string, at int) (start, end int, ok bool) {
	if at == 0 || !isAlnum(s[at-1]) {
		return 0, 0, false
	}
	a := authorityOf(s, at+len("://"))
	if a.passStart < 0 || !isPassword(s[a.passStart:a.at]) {
		return 0, 0, false
	}
	return a.passStart, a.at, true
}

// isPassword says that what stands before the "@" of a URL, percent-encoded or not, is a password and not
// a reference, a placeholder or a letter in an example.
func isPassword(v string) bool {
	v = unescaped(v)
	return len(v) >= urlPassword && !IsReference(v) && !IsPlaceholder("password", v)
}

const urlPassword = 3

// authority is where the parts of scheme://user:password@host lie; -1 for a part that is not there.
type authority struct {
	start, passStart, at, end int
}

// authorityOf reads the authority that begins at s[i]. A password may hold any character that should have
// been encoded, so where "user:" is not followed by a port, it reaches up to the last "@" before a space,
// a quote, or a "/" that follows one.
func authorityOf(s string, i int) authority {
	a := authority{start: i, passStart: -1, at: -1}
	colon := -1
	stopped := -1 // the first "/", "?" or "#"
	j, brace := i, 0
	if j < len(s) && s[j] == '[' { // an IPv6 host, unless it is a placeholder for the user
		if n := strings.IndexByte(s[j:min(len(s), j+ipv6Host)], ']'); n > 0 && strings.Trim(s[j+1:j+n], "0123456789abcdefABCDEF:.%") == "" {
			j += n
		}
	}
scan:
	for ; j < len(s); j++ {
		switch b := s[j]; {
		case isSpace(b) && brace == 0 || b == '"' || b == '\'' || b == '`':
			break scan
		case b == '{' || b == '<':
			brace++
		case b == '}' || b == '>':
			brace = max(0, brace-1)
		case b == ':' && colon < 0 && brace == 0:
			colon = j
		case b == '@':
			a.at = j
		case b == '/' && j > i && s[j-1] == ':' && strings.HasPrefix(s[j:], "//"):
			break scan // the next URL
		case (b == '/' || b == '?' || b == '#') && brace == 0:
			if stopped < 0 {
				stopped = j
			}
			if a.at >= 0 || colon < 0 || portLike(s[colon+1:j]) {
				break scan
			}
		}
	}
	a.end = j
	if a.at < 0 {
		if stopped >= 0 {
			a.end = stopped
		}
		return a
	}
	if colon >= 0 && colon < a.at {
		a.passStart = colon + 1
	}
	return a
}

const ipv6Host = 48 // "[" and the longest address, in bytes

// portLike: what may follow "host:" before a path.
func portLike(s string) bool {
	return strings.Trim(s, "0123456789") == "" || strings.HasPrefix(s, "$") || strings.HasPrefix(s, "{") || strings.HasPrefix(s, "<") || strings.HasPrefix(s, "%")
}
