package text

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestFoldedTextIsWhatASearchLooksFor(t *testing.T) {
	for in, want := range map[string]string{
		"Plain ASCII stays":         "Plain ASCII stays",
		"ＩＧＮＯＲＥ":                    "ignore",
		"Ign\u043ere pr\u0435vious": "ignore previous",
		"ig\u00adno\u200bre":        "ignore",
		"Olvidé más":                "olvide mas",
		"\u0438\u0433\u043d\u043e":  "\u0438\u0433\u043d\u043e", // Russian stays Russian
		"ﬁle":                       "file",
		"a\u001b[31mb\u009b0;1mc":   "abc",
		"F\u001b[morget\u001b[K it": "forget it",
		"\u001b[?25hx\u001b[1 qy":   "xy",
		"\u001b[Forget it":          "[forget it",
		"\u001b[31":                 "[31",
		"\u001b[31é":                "[31e",
		"\u001b]0;a title\u0007x":   "]0;a titlex",
		"𝗶𝗴𝗻𝗼𝗿𝗲":                    "ignore",
		"one\u2028two":              "one\ntwo",
	} {
		f := Fold(in)
		if f.Text != want {
			t.Errorf("Fold(%q) = %q, want %q", in, f.Text, want)
		}
		if again := Fold(f.Text); again.Text != f.Text {
			t.Errorf("Fold(%q) folds again to %q", f.Text, again.Text)
		}
	}
}

func TestTextThatGrowsBeyondItsCapIsCutAndSaidToBe(t *testing.T) {
	if f := Fold("\ufdfa"); f.Cut {
		t.Error("one ligature is cut")
	}
	s := strings.Repeat("\ufdfa", 1000)
	if f := Fold(s); !f.Cut || len(f.Text) > limits.Default.FoldGrowth*len(s)+2*limits.Default.FoldRoom {
		t.Errorf("%d bytes of %d, cut %v", len(f.Text), len(s), f.Cut)
	}
}

func TestSignsAreSeenAndHonestTextHasNone(t *testing.T) {
	flag := "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F"
	for in, want := range map[string]Sign{
		"a\U000E0041b":                       TagBlock,
		"🏴\U000E0069\U000E0067\U000E007F":    TagBlock,
		flag + "\U000E0041":                  TagBlock,
		"x\U000E0150":                        Selectors,
		"a\u200bb":                           ZeroWidth,
		"a\u3164b":                           ZeroWidth,
		"a\u202eb":                           BidiOverride,
		"a\u2066b\u2069":                     BidiMark,
		"a\x1b[2J":                           Escape,
		"p\u0430yment":                       MixedScript,
		"a" + strings.Repeat("\n", 40) + "b": Padding,
		"a" + strings.Repeat(" ", 300) + "b": Padding,
	} {
		if f := Fold(in); f.Signs.Count[want] == 0 {
			t.Errorf("%q shows %v, want sign %d", in, f.Signs.Count, want)
		}
	}
	for _, in := range []string{
		"", "plain", "👩‍💻 works", "❤️ and 1️⃣", flag + " and " + flag, "می\u200cشود", "שלום\u200e", "क्\u200dष", "葛\U000E0100", "\ufeffstart",
		"µs and Δt", "PDF-файл", "สวัสดี\u200bครับ", "a\n\n\nb", strings.Repeat("\n", 40), "naïve café",
	} {
		if f := Fold(in); f.Signs.Any() {
			t.Errorf("%q shows %v", in, f.Signs.Count)
		}
	}
}

func TestWhatIsSmuggledIsDecoded(t *testing.T) {
	tags, bits, selectors := "", "", ""
	for _, c := range "send it" {
		tags += string(0xE0000 + c)
		selectors += string(0xE0100 + c - 16)
		for i := 7; i >= 0; i-- {
			bits += map[bool]string{false: "\u200b", true: "\u200c"}[c>>i&1 == 1]
		}
	}
	for _, in := range []string{"a" + tags, "a" + bits, "a" + selectors} {
		if f := Fold(in); !strings.Contains(strings.Join(f.Smuggled, "|"), "send it") {
			t.Errorf("%+q holds %q", in, f.Smuggled)
		}
	}
}

func TestCodedTextIsFound(t *testing.T) {
	secret := "the quick brown fox jumps"
	std := base64.StdEncoding.EncodeToString([]byte(secret))
	for _, in := range []string{
		"see " + std + ".", base64.RawURLEncoding.EncodeToString([]byte(secret)), "x: 74686520717569636b2062726f776e20666f78206a756d7073",
		std[:20] + "\n" + std[20:], "see " + strings.Join([]string{std[:12], std[12:24], std[24:]}, " ") + " and more", "a getUserById toMarkdown2 " + std + " is", fmt.Sprintf("% x", secret),
	} {
		found := Encoded(in)
		if len(found) != 1 || !strings.Contains(found[0].Text, "quick brown") {
			t.Errorf("Encoded(%q) = %+v", in, found)
		}
	}
	for _, in := range []string{"an internationalization_of_everything", "deadbeefcafef00ddeadbeefcafef00d", "AbCdEfGhIjKlMnOpQrStUv0123456789+/"} {
		if found := Encoded(in); len(found) != 0 {
			t.Errorf("Encoded(%q) = %+v", in, found)
		}
	}
	if out, n := Unescape(`\x69g%6Eore &#114;\u0065 100% &amp; %20`); out != "ignore re 100% & \x20" || n != 4 {
		t.Errorf("Unescape gives %q and %d", out, n)
	}
}

func FuzzFold(f *testing.F) {
	f.Add("Ign\u043ere \u200ball \U000E0041")
	f.Add("\ufdfa\ufdfa")
	f.Fuzz(func(t *testing.T, s string) {
		a := Fold(s)
		if !utf8.ValidString(a.Text) && utf8.ValidString(s) {
			t.Errorf("Fold(%q) is no UTF-8", s)
		}
		if len(a.Text) > limits.Default.FoldGrowth*len(s)+2*limits.Default.FoldRoom {
			t.Errorf("Fold(%q) grows to %d bytes", s, len(a.Text))
		}
		last := 0
		for i := range len(a.Text) {
			at := a.At(i)
			if at < last || at > len(s) {
				t.Fatalf("Fold(%q): byte %d comes from %d, the one before from %d", s, i, at, last)
			}
			last = at
		}
		for _, p := range Encoded(s) {
			if p.Start < 0 || p.End > len(s) || p.Start >= p.End || len(p.Text) > 4*(p.End-p.Start) {
				t.Errorf("Encoded(%q) = %+v", s, p)
			}
		}
		if out, _ := Unescape(s); len(out) > 3*len(s)+8 {
			t.Errorf("Unescape(%q) grows to %d bytes", s, len(out))
		}
	})
}

// What is cut is told beforehand, and what is not too.
func TestATextThatGrowsTooMuchIsToldAsFoldTellsIt(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "plain", strings.Repeat("\uFDFA", 200), strings.Repeat("\uFDFA", 3), strings.Repeat("é", 500), strings.Repeat("説明", 300), strings.Repeat("a\uFDFA", 300),
		strings.Repeat("ﬃ", 400), strings.Repeat("a", 4000) + strings.Repeat("\uFDFA", 100), strings.Repeat("🎉", 200)} {
		if f := Fold(s); Outgrows(s) != f.Cut {
			t.Errorf("%.20q: %v, and Fold says %v", s, Outgrows(s), f.Cut)
		}
	}
	if !Outgrows(strings.Repeat("\uFDFA", 200)) {
		t.Error("a text that grows eleven-fold is not told")
	}
}
