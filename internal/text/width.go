package text

import (
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
