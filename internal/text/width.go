package text

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Width is how many terminal columns s takes: two for wide East Asian characters and emoji, none for
// combining marks. Text that Safe has not seen may move the cursor; its width means nothing.
func Width(s string) int {
	n := 0
	for i, r := range s {
		switch {
		case r < 0x80:
			n++
		case unicode.In(r, unicode.Mn, unicode.Me):
		default:
			p, _ := width.LookupString(s[i:])
			n++
			if k := p.Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
				n++
			}
		}
	}
	return n
}

// Wrap breaks s, which starts in a column of the terminal, into lines of width columns (0: one line), the further
// ones indented, and gives the column after its last character. No line starts with "::", which GitHub takes for a
// command.
func Wrap(s string, indent, column, width int) (lines string, end int) {
	if width == 0 {
		return s, column + Width(s)
	}
	var b strings.Builder
	for i, word := range strings.Fields(s) {
		n := Width(word)
		if i > 0 {
			if column+1+n > width && column > indent && !strings.HasPrefix(word, "::") {
				b.WriteString("\n" + strings.Repeat(" ", indent))
				column = indent
			} else {
				b.WriteByte(' ')
				column++
			}
		}
		b.WriteString(word)
		column += n
	}
	return b.String(), column
}

// Count is "1 file", "2 files".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
