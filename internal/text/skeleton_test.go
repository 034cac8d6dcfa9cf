package text

import "testing"

func TestNamesThatLookAlikeHaveOneSkeleton(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"caf\u00e9", "cafe\u0301", true},
		{"GitHub", "github", true},
		{"files", "fi\u200bles", true},
		{"files", "\ufb01les", true},
		{"files", "files ", true},
		{"files", "\u202efiles", true},
		{"paypal", "p\u0430ypal", true},
		{"HOME", "\u041d\u041e\u041c\u0415", true},
		{"repo", "r\u0435p\u03bf", true},
		{"\u0433\u0438\u0442", "git", false},
		{"files", "file", false},
		{"caf\u00e9", "cafe", false},
		{"a-b", "a_b", false},
	} {
		if got := Skeleton(c.a) == Skeleton(c.b); got != c.same {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}
