package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSafeNeutralisesByProperty(t *testing.T) {
	// Each was passed through by a scanner that neutralised by a list.
	for name, r := range map[string]rune{
		"ESC": 0x1B, "DEL": 0x7F, "C1 CSI": 0x9B, "NEL": 0x85, "soft hyphen": 0xAD, "combining grapheme joiner": 0x34F,
		"arabic letter mark": 0x61C, "hangul filler": 0x115F, "mongolian vowel separator": 0x180E, "variation selector": 0xFE0F,
		"zero width space": 0x200B, "line separator": 0x2028, "bidi override": 0x202E, "isolate": 0x2066, "deprecated format": 0x206A,
		"halfwidth filler": 0xFFA0, "hangul filler 3164": 0x3164, "annotation anchor": 0xFFF9, "BOM": 0xFEFF, "tag": 0xE0041,
		"variation selector supplement": 0xE0101, "unassigned ignorable": 0xE0FFF, "word joiner": 0x2060, "khmer inherent vowel": 0x17B4,
	} {
		if got := Safe("a"+string(r)+"b", 0); got != "a\uFFFDb" {
			t.Errorf("%s (%U) becomes %q", name, r, got)
		}
	}
	for _, plain := range []string{"", "plain", "naïve 日本語 😀", "tab is no text:"} {
		if got := Safe(plain, 0); got != plain {
			t.Errorf("%q becomes %q", plain, got)
		}
	}
	if got := Safe("a\xffb", 0); got != "a\uFFFDb" {
		t.Errorf("bad UTF-8 becomes %q", got)
	}
	if got := Safe("gh\n mcpassay lint --fix", 0); strings.Contains(got, "\n") {
		t.Errorf("a newline survives: %q", got)
	}
}

func TestSafeCapsInCodePoints(t *testing.T) {
	if got := Safe(strings.Repeat("é", 10), 4); got != "éééé…" {
		t.Errorf("capped to %q", got)
	}
	if got := Safe("abcd", 4); got != "abcd" {
		t.Errorf("a string at the cap becomes %q", got)
	}
	if got := Safe("ab\x1bcdef", 4); got != "ab\uFFFDc…" {
		t.Errorf("capped to %q", got)
	}
}

func TestALineStartsNoCommandOfABuildSystem(t *testing.T) {
	for in, want := range map[string]string{
		"a ##vso[task.complete]":   "a #\uFFFDvso[task.complete]",
		"####[error]":              "#\uFFFD#\uFFFD[error]",
		"# 1 and :: stay":          "# 1 and :: stay",
		"\x1b##[group]":            "\uFFFD#\uFFFD[group]",
		" ::error::not at a start": " ::error::not at a start",
	} {
		if got := Line(in, 0); got != want {
			t.Errorf("Line(%q) = %q", in, got)
		}
	}
	for in, want := range map[string]string{
		"::error::x":          "\uFFFD:error::x",
		" \u00a0::warning::x": " \u00a0\uFFFD:warning::x",
		"+::error::x":         "+::error::x",
		"mcp.json::1 ##[end]": "mcp.json::1 #\uFFFD[end]",
	} {
		if got := Leading(in, 0); got != want {
			t.Errorf("Leading(%q) = %q", in, got)
		}
	}
}

func TestNearestNamesAreTheOnesMeant(t *testing.T) {
	names := []string{"cursor", "codex", "claude-code", "continue"}
	for word, want := range map[string]string{"cursr": "cursor", "coedx": "codex", "Claude": "claude-code", "xyzzy": "", "": ""} {
		got := Nearest(word, names, 1)
		if want == "" && len(got) > 0 || want != "" && (len(got) == 0 || got[0] != want) {
			t.Errorf("%q suggests %v, want %q", word, got, want)
		}
	}
	if got := Nearest(strings.Repeat("a", 100_000), names, 1); got != nil {
		t.Errorf("a huge word suggests %v", got)
	}
	if got := Nearest("lnit", []string{"init", "lint"}, 1); len(got) != 1 || got[0] != "lint" { // one edit both
		t.Errorf("lnit suggests %v", got)
	}
	if d := Distance("ab", "ba"); d != 1 {
		t.Errorf("a swap is %d edits", d)
	}
}

func FuzzSafe(f *testing.F) {
	f.Add("a\x1b[2Jb", 3)
	f.Add("\u202e\U000E0041", 0)
	f.Fuzz(func(t *testing.T, s string, max int) {
		max = max % 300
		if max < 0 {
			max = 0
		}
		got := Safe(s, max)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is no UTF-8", got)
		}
		for _, r := range got {
			if r != Replacement && Unsafe(r) {
				t.Fatalf("%U survives in %q", r, got)
			}
		}
		if n := utf8.RuneCountInString(got); max > 0 && n > max+1 {
			t.Fatalf("%d code points of at most %d", n, max)
		}
		if again := Safe(got, 0); again != got {
			t.Fatalf("not idempotent: %q, %q", got, again)
		}
	})
}
