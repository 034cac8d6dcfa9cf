package guard

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func TestWhatIsAllowedEndsByItself(t *testing.T) {
	t.Parallel()
	l := &Leaves{}
	for _, err := range []error{
		l.Put(&l.Paused, Given{From: noon, Until: noon.Add(time.Hour)}, noon, limits.Default),
		l.Put(&l.Paused, Given{Server: "a", From: noon, Until: noon.Add(2 * time.Hour)}, noon, limits.Default),
		l.Put(&l.Allowed, Given{Server: "a", Rule: NeedsLeave, Tool: "pay", From: noon, Until: noon.Add(time.Hour)}, noon, limits.Default),
		l.Put(&l.Allowed, Given{Server: "a", Rule: "traffic/toxic-flow", From: noon, Until: noon.Add(time.Hour)}, noon, limits.Default),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	raw, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if l, err = ReadLeaves(raw, limits.Default); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		server string
		at     time.Time
		want   bool
	}{{"b", noon, true}, {"b", noon.Add(time.Hour), false}, {"a", noon.Add(time.Hour), true}, {"a", noon.Add(2 * time.Hour), false}, {"a", noon.Add(-time.Second), false}} {
		if got := l.PausedAt(c.server, c.at) != nil; got != c.want {
			t.Errorf("%s at %s is paused: %v", c.server, c.at, got)
		}
	}
	for what, want := range map[string]bool{"a traffic/tool-needs-leave pay": true, "a traffic/tool-needs-leave buy": false, "b traffic/tool-needs-leave pay": false, "a traffic/toxic-flow mail": true, "a traffic/injection-in-result mail": false} {
		w := strings.Fields(what)
		if got := l.AllowedAt(w[0], w[1], w[2], noon) != nil; got != want {
			t.Errorf("%s: %v", what, got)
		}
		if l.AllowedAt(w[0], w[1], w[2], noon.Add(time.Hour)) != nil {
			t.Errorf("%s is allowed for ever", what)
		}
	}
	if err := l.Put(&l.Allowed, Given{Server: "a", Rule: "traffic/toxic-flow", From: noon, Until: noon.Add(time.Minute)}, noon, limits.Default); err != nil || len(l.Allowed) != 2 {
		t.Errorf("%v: %+v", err, l.Allowed)
	}
	later := noon.Add(3 * time.Hour)
	if err := l.Put(&l.Paused, Given{Server: "b", From: later, Until: later.Add(time.Minute)}, later, limits.Default); err != nil || len(l.Paused) != 1 || len(l.Allowed) != 0 {
		t.Errorf("what has ended is kept: %+v", l)
	}
	if !l.Drop(&l.Paused, Given{Server: "b"}) || l.Drop(&l.Paused, Given{Server: "b"}) {
		t.Error("a pause is not ended, or twice")
	}
}

func TestWhatNobodyMaySayIsNotReliedOn(t *testing.T) {
	t.Parallel()
	given := func(member, rest string, d time.Duration) string {
		return fmt.Sprintf(`{"version":1,"%s":[{"from":"%s","until":"%s"%s}]}`, member, noon.Format(time.RFC3339), noon.Add(d).Format(time.RFC3339), rest)
	}
	for name, raw := range map[string]string{
		"nothing": "", "another version": `{"version":2}`, "an unknown member": `{"version":1,"forever":true}`, "two values": `{"version":1}{}`,
		"a pause without an end": given("paused", "", 100*365*24*time.Hour), "one of no time": given("paused", "", 0), "one that is over the limit": given("paused", "", limits.Default.GuardPause+time.Second),
		"a pause of a rule":      given("paused", `,"rule":"traffic/toxic-flow"`, time.Hour),
		"leave for ever":         given("allowed", `,"server":"a","rule":"traffic/toxic-flow"`, limits.Default.GuardLeave+time.Second),
		"leave for all servers":  given("allowed", `,"rule":"traffic/toxic-flow"`, time.Hour),
		"leave for a drift":      given("allowed", `,"server":"a","rule":"drift/schema-changed"`, time.Hour),
		"leave for what is none": given("allowed", `,"server":"a","rule":"traffic/malformed-frame"`, time.Hour),
		"leave for all tools":    given("allowed", `,"server":"a","rule":"traffic/tool-needs-leave"`, time.Hour),
		"a rule of one tool":     given("allowed", `,"server":"a","rule":"traffic/toxic-flow","tool":"x"`, time.Hour),
	} {
		if l, err := ReadLeaves([]byte(raw), limits.Default); err == nil {
			t.Errorf("%s: %+v", name, l)
		}
	}
	if _, err := ReadLeaves([]byte(given("paused", "", limits.Default.GuardPause)), limits.Default); err != nil {
		t.Error(err)
	}
}

func TestNoMoreIsAllowedThanTheLimit(t *testing.T) {
	t.Parallel()
	lim := limits.Default
	lim.GuardLeaves = 2
	l := &Leaves{}
	for i := range 3 {
		err := l.Put(&l.Paused, Given{Server: fmt.Sprint(i), From: noon, Until: noon.Add(time.Hour)}, noon, lim)
		if (err == nil) != (i < 2) {
			t.Errorf("%d: %v", i, err)
		}
	}
	l.Paused = append(l.Paused, l.Paused[0])
	raw, _ := l.Encode()
	if _, err := ReadLeaves(raw, lim); err == nil {
		t.Error("more are read")
	}
}

func FuzzLeaves(f *testing.F) {
	f.Add([]byte(`{"version":1,"paused":[{"from":"2026-12-01T12:00:00Z","until":"2026-12-01T13:00:00Z"}],"allowed":[]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		l, err := ReadLeaves(raw, limits.Default)
		if err != nil {
			return
		}
		out, err := l.Encode()
		if err != nil {
			t.Skip("a year that JSON can not say")
		}
		if _, err := ReadLeaves(out, limits.Default); err != nil {
			t.Errorf("%s is read, and %s is not: %v", raw, out, err)
		}
	})
}
