package rule

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// aToken has the form of a GitHub token and was never one.
func aToken() string { return "gh" + "p_" + strings.Repeat("aB3", 12) }

func TestAMessageHoldsNoSecretWhoseFormIsKnown(t *testing.T) {
	max := limits.Default.ShownRunes
	for name, value := range map[string]string{
		"a name":              aToken(),
		"in a sentence":       "x " + aToken() + " y",
		"in an address":       "https://u:" + "hunter2hunter2" + "@a.example/x",
		"where the text ends": strings.Repeat("x ", max/2-5) + aToken(),
		"in a long text":      strings.Repeat(aToken()+" ", 100),
		"in a very long text": strings.Repeat(aToken()+" ", 100_000),
	} {
		got := fill("server {name} fails", Args{"name": value}, max)
		for _, part := range []string{"gh" + "p_a", "hunter2"} {
			if strings.Contains(got, part) {
				t.Errorf("%s: %s", name, got)
			}
		}
		if !strings.HasPrefix(got, "server ") || !strings.HasSuffix(got, " fails") || !strings.Contains(got, "<secret: ") && len(value) < max {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := fill("{a}", Args{"a": strings.Repeat("é", 3*max)}, max); got != strings.Repeat("é", max)+"…" {
		t.Errorf("a long value is cut to %q", got)
	}
}

func BenchmarkFill(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = fill(`Server "{name}" holds a literal credential in {place}`, Args{"name": "github-enterprise", "place": "env \"GITHUB_TOKEN\""}, limits.Default.ShownRunes)
	}
}
