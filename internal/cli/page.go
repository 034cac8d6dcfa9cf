package cli

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/text"
)

// reflow breaks the prose of a page into lines of at most width columns (0: as it is). Code, tables and headings stay.
func reflow(page string, width int) string {
	if width == 0 {
		return page
	}
	var b strings.Builder
	var words []string
	indent := 0
	flush := func() {
		if len(words) > 0 {
			lines, _ := text.Wrap(strings.Join(words, " "), indent, 0, width)
			b.WriteString(lines + "\n")
		}
		words, indent = nil, 0
	}
	fence := false
	for line := range strings.Lines(page) {
		bare := strings.TrimSpace(line)
		mark := strings.HasPrefix(bare, "```")
		switch {
		case mark || fence || bare == "" || strings.HasPrefix(bare, "#") || strings.HasPrefix(bare, "|"):
			flush()
			b.WriteString(line)
			fence = fence != mark
		case strings.HasPrefix(bare, "- "):
			flush()
			indent = 2
			words = strings.Fields(bare)
		default:
			words = append(words, strings.Fields(bare)...)
		}
	}
	flush()
	return b.String()
}

// hanging is a name and, from a column on, its value, whose further lines start under it.
func hanging(name, value string, column, width int) string {
	if width <= column {
		return name + strings.Repeat(" ", max(1, column-len(name))) + value + "\n"
	}
	value = strings.TrimSuffix(reflow(value, width-column), "\n")
	return name + strings.Repeat(" ", max(1, column-len(name))) + strings.ReplaceAll(value, "\n", "\n"+strings.Repeat(" ", column)) + "\n"
}
