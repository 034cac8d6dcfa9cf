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

// doubles are letters of other scripts, each before the Latin letter that most fonts draw like it (a choice from
// Unicode TR 39, confusables.txt).
const doubles = "аaАaВbЬbсcСcԁdеeЕeɡgԍgһhНhіiІiıiјjЈjкkКkӏlмmМmоoОoрpРpԛqѕsЅsТtսuѵvԝwхxХxуyУy" +
	"αaΑaΒbΕeΗhιiΙiκkΚkΜmΝnνvοoΟoρpΡpΤtΥyΧxΖzօoհhոn"

// Skeleton is what a person takes s for: equal for two texts that differ in case, in how an accent or a ligature is
// encoded, in letters of another script that look the same, in characters that are not seen, or in blanks around them.
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
		if r >= utf8.RuneSelf {
			if i := strings.IndexRune(doubles, r); i >= 0 {
				return rune(doubles[i+utf8.RuneLen(r)])
			}
		}
		return r
	}, s)
	return strings.ToLower(strings.TrimSpace(s))
}
