package oauth

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// Challenge is what a server that wants a token says (RFC 9110, section 11.6.1; RFC 6750, section 3; RFC 9728, section 5.1).
type Challenge struct {
	// Metadata is the URL of the resource's metadata, "" for none.
	Metadata string
	Scopes   []string
}

// Bearer reads the first challenge for a bearer token in the values of WWW-Authenticate. ok says that there is one.
func Bearer(values []string, lim limits.Set) (c Challenge, ok bool) {
	for _, value := range values {
		s := scanner{rest: value[:min(len(value), lim.HeaderBytes)]}
		for s.next() {
			if !strings.EqualFold(s.scheme, "bearer") {
				continue
			}
			ok = true
			switch strings.ToLower(s.name) {
			case "resource_metadata":
				c.Metadata = s.value
			case "scope":
				c.Scopes = strings.FieldsFunc(s.value, func(r rune) bool { return r == ' ' })
			}
		}
		if ok {
			return c, true
		}
	}
	return c, false
}

// scanner goes through a list of challenges, parameter by parameter. A scheme without parameters is a step of its own.
type scanner struct {
	rest                string
	scheme, name, value string
}

func (s *scanner) next() bool {
	s.name, s.value = "", ""
	for {
		s.rest = strings.TrimLeft(s.rest, " \t,")
		word := s.word()
		if word == "" {
			return s.skip()
		}
		after := strings.TrimLeft(s.rest, " \t")
		value, isParameter := strings.CutPrefix(after, "=")
		switch {
		case isParameter && s.scheme != "":
			s.rest = strings.TrimLeft(value, " \t")
			s.name, s.value = word, s.string()
			return true
		default: // a word without "=" behind it begins a challenge
			s.scheme = word
			return true
		}
	}
}

// skip passes over what is no token, such as the "==" of a token68, up to the next comma.
func (s *scanner) skip() bool {
	if s.rest == "" {
		return false
	}
	if i := strings.IndexByte(s.rest, ','); i >= 0 {
		s.rest = s.rest[i+1:]
		return true
	}
	s.rest = ""
	return false
}

// word takes a token (RFC 9110, section 5.6.2).
func (s *scanner) word() string {
	i := strings.IndexFunc(s.rest, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
	if i < 0 {
		i = len(s.rest)
	}
	word := s.rest[:i]
	s.rest = s.rest[i:]
	return word
}

// string takes a quoted string, or a token.
func (s *scanner) string() string {
	if !strings.HasPrefix(s.rest, `"`) {
		return s.word()
	}
	var b strings.Builder
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '"':
			s.rest = s.rest[i+1:]
			return b.String()
		case c == '\\' && i+1 < len(s.rest):
			i++
			b.WriteByte(s.rest[i])
		default:
			b.WriteByte(c)
		}
	}
	s.rest = ""
	return b.String()
}
