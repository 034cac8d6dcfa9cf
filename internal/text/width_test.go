package text

import "testing"

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
