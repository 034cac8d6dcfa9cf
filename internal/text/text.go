// Package text makes untrusted text safe to show: it neutralises characters by Unicode property, breaks
// lines, measures width, and finds what looks alike. Nothing else in the product prints what a stranger wrote.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Replacement stands for every character that could drive a terminal, a shell or a log line.
const Replacement = '\uFFFD'

// Unsafe says whether r can be used to trick a terminal, a copy buffer or a reader: control (Cc),
// format (Cf), line and paragraph separators (Zl, Zp), surrogates (Cs), and Default_Ignorable_Code_Point.
func Unsafe(r rune) bool {
	if r < utf8.RuneSelf {
		return r < 0x20 || r == 0x7F
	}
	return r == utf8.RuneError ||
		unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Cs,
			unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		r >= 0xE0000 && r <= 0xE0FFF
}

// Safe neutralises s and caps it at max runes (0: no cap), ending a cut string with "…".
func Safe(s string, max int) string {
	clean := true
	if max > 0 && len(s) > max {
		clean = utf8.RuneCountInString(s) <= max
	}
	for i := 0; clean && i < len(s); i++ {
		clean = s[i] >= 0x20 && s[i] < 0x7F
	}
	if clean {
		return s
	}
	var b strings.Builder
	n := 0
	for _, r := range s {
		if max > 0 && n == max {
			b.WriteRune('…')
			break
		}
		if Unsafe(r) {
			r = Replacement
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// Line is Safe for a part of a line that a build system may read: those take "##vso[…]" and "##[…]" for commands
// anywhere in a line, so no two # stand together.
func Line(s string, max int) string {
	return strings.ReplaceAll(Safe(s, max), "##", "#"+string(Replacement))
}

// Leading is Line for text that a line may start with: there, GitHub takes "::" for a command.
func Leading(s string, max int) string {
	s = Line(s, max)
	if strings.HasPrefix(strings.TrimLeftFunc(s, unicode.IsSpace), "::") { // as the runner does it
		s = strings.Replace(s, ":", string(Replacement), 1)
	}
	return s
}
