package cli

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/text"
)

func TestTheProseOfAPageFitsTheTerminalAndTheRestStays(t *testing.T) {
	page := "# a/b\n\nOne two three\nfour `five`.\n\n- six seven eight nine\n- ten\n\n```json .mcp.json\n{\"a long line\": \"of code\"}\n```\n\n| a | table stays as it is |\n"
	want := "# a/b\n\nOne two\nthree four\n`five`.\n\n- six seven\n  eight\n  nine\n- ten\n\n```json .mcp.json\n{\"a long line\": \"of code\"}\n```\n\n| a | table stays as it is |\n"
	if got := reflow(page, 11); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := reflow(page, 0); got != page {
		t.Errorf("without a width it is not the page itself:\n%s", got)
	}
}

func TestEveryPageKeepsItsWords(t *testing.T) {
	for _, r := range catalog.All() {
		page := catalog.Page(r.ID)
		out := reflow(page, 80)
		if a, b := strings.Join(strings.Fields(page), " "), strings.Join(strings.Fields(out), " "); a != b {
			t.Errorf("%s: words changed", r.ID)
		}
		fence := false
		for line := range strings.Lines(out) {
			mark := strings.HasPrefix(line, "```")
			if n := text.Width(strings.TrimSuffix(line, "\n")); n > 80 && !fence && !mark && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "#") && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("%s: %d columns: %s", r.ID, n, line)
			}
			fence = fence != mark
		}
	}
}

func TestFactsHangUnderTheirValue(t *testing.T) {
	if got, want := hanging("tags", "one two three", 12, 21), "tags        one two\n            three\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := hanging("tags", "one two three", 12, 0), "tags        one two three\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
