package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// A server that shows something else while a person looks does not have that accepted.
func TestWhatIsAcceptedIsWhatWasShown(t *testing.T) {
	t.Parallel()
	home, out := t.TempDir(), &bytes.Buffer{}
	a := &app{limits: limits.Default, io: IO{Home: home, Cwd: home, Platform: "linux", Getenv: func(string) string { return "" }, Now: time.Now, Out: out, Err: out}}
	launch := lock.Launch{Transport: "stdio", Command: "shop"}
	of := func(description string) *lock.Server {
		s := &lock.Server{Name: "shop", Launch: launch}
		s.Items[wire.Tools] = []lock.Item{{Name: "pay", JSON: []byte(`{"description":"` + description + `","inputSchema":{"type":"object"},"name":"pay"}`)}}
		return s
	}
	p, _, err := a.pins(t.Context(), "shop", launch)
	if err == nil {
		_, err = p.Commit(of("Pays."))
	}
	if err != nil {
		t.Fatal(err)
	}
	p.Refused(of("Pays a bill."))
	if err := a.accept("shop", func() bool { p.Refused(of("Pays anybody.")); return true }); err != nil {
		t.Fatal(err)
	}
	now, err := p.read()
	if err != nil || !bytes.Equal(now.Items[wire.Tools][0].JSON, of("Pays a bill.").Items[wire.Tools][0].JSON) || !bytes.Contains(out.Bytes(), []byte("a bill")) || bytes.Contains(out.Bytes(), []byte("anybody")) {
		t.Errorf("%v: %+v\n%s", err, now, out)
	}
}
