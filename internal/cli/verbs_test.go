package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// A run makes its own verb alone, by the name in the table: that must be the verb's, and make what the whole command line makes.
func TestEachVerbIsMadeByItsOwnName(t *testing.T) {
	t.Parallel()
	a := &app{limits: limits.Default, ctx: t.Context(), io: IO{Out: new(bytes.Buffer), Err: new(bytes.Buffer), Getenv: func(string) string { return "" },
		Environ: func() []string { return nil }, Now: time.Now, Platform: "linux"}}
	all := a.root(nil)
	if len(all.Commands()) < len(a.verbs()) {
		t.Fatalf("%d commands of %d verbs", len(all.Commands()), len(a.verbs()))
	}
	for _, v := range a.verbs() {
		one := a.root([]string{v.name})
		if n := len(one.Commands()); n != 1 {
			t.Errorf("%s makes %d commands", v.name, n)
			continue
		}
		alone, _, err := one.Find([]string{v.name})
		if err != nil || alone.Name() != v.name {
			t.Errorf("%s makes %s, %v", v.name, alone.Name(), err)
			continue
		}
		within, _, _ := all.Find([]string{v.name})
		if alone.UsageString() != within.UsageString() || alone.Long != within.Long {
			t.Errorf("%s alone is another than among all:\n%s\n%s", v.name, alone.UsageString(), within.UsageString())
		}
	}
}
