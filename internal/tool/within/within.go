// Package within puts generated text into pages that people write: between the markers of a part, and nowhere else.
package within

import (
	"fmt"
	"strings"
)

// Replace puts text between the markers of the part of that name.
func Replace(page, name, text string) (string, error) {
	open, end := "<!-- "+name+": generated -->\n", "<!-- /"+name+" -->"
	before, rest, ok := strings.Cut(page, open)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", fmt.Errorf("the page has no part %q", name)
	}
	return before + open + "\n" + text + "\n" + end + after, nil
}
