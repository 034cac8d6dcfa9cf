package text

import (
	"strings"
	"testing"
)

func TestWidthCountsTerminalColumns(t *testing.T) {
	for s, want := range map[string]int{
		"":            0,
		"mcp.json":    8,
		"café":        4,
		"cafe\u0301":  4, // a combining mark takes no column
		"日本":          4,
		"ａ":           2,
		"🔑 key":       6,
		"�":           1,
		"naïve\uFFFD": 6,
	} {
		if got := Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestAWrappedMessageNeverStartsALineWithACommand(t *testing.T) {
	for _, s := range []string{"a ::error ::x", "a  ::error x", "a \u00a0::error x", "::error a ::x", "a\u3000 ::error"} {
		for width := 1; width < 20; width++ {
			lines, _ := Wrap(s, 2, 2, width)
			for i, line := range strings.Split(lines, "\n") {
				if i > 0 && strings.HasPrefix(strings.TrimSpace(line), "::") {
					t.Errorf("width %d: %q", width, line)
				}
			}
		}
	}
}
