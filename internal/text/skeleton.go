package text

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Spelled says that s is its own Skeleton, as far as a quick look tells: small letters, digits and signs of ASCII.
func Spelled(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7F || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return true
}

// Skeleton is what a person takes s for: equal for two texts that differ in case, in how an accent or a ligature is
// encoded, in characters that are not seen, or in blanks around them.
func Skeleton(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			s = norm.NFKC.String(s)
			break
		}
	}
	s = strings.Map(func(r rune) rune {
		if Unsafe(r) && r != utf8.RuneError {
			return -1
		}
		return r
	}, s)
	return strings.ToLower(strings.TrimSpace(s))
}
