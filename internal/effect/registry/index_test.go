package registry

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

func TestAnIndexIsListedOnceAndThenBroughtUpToDate(t *testing.T) {
	s := start(t)
	c := client(t, s, "ok")
	c.Cache = OpenCache(t.TempDir())
	x, from, err := c.Index(context.Background())
	if err != nil || from.Kept || x.Len() < 10 || len(x.Packaged(registry.Coordinate{Type: "npm", Identifier: "@example/files"})) != 1 {
		t.Fatalf("%v %+v", err, from)
	}
	if gone := x.Packaged(registry.Coordinate{Type: "npm", Identifier: "gone"}); len(gone) != 1 || gone[0].Status != registry.Gone {
		t.Errorf("what was deleted is not in it: %+v", gone)
	}
	before := len(s.Asked())
	again, _, err := c.Index(context.Background())
	asked := s.Asked()[before:]
	if err != nil || again.Len() != x.Len() || len(asked) != 1 || !strings.Contains(asked[0], "updated_since=") {
		t.Errorf("%v, asked %v", err, asked)
	}
	c.Offline = true
	if kept, from, err := c.Index(context.Background()); err != nil || kept.Len() != x.Len() || !from.Kept || time.Since(from.Asked) > time.Minute {
		t.Errorf("%+v %v", from, err)
	}
	c.Offline, c.Base = false, s.URL+"/500"
	if x, _, err := c.Index(context.Background()); kindOf(err) != registry.Unreachable || x != nil {
		t.Errorf("another registry's index is used: %v", err)
	}
	c.Offline = true
	if _, _, err := c.Index(context.Background()); kindOf(err) != registry.NotCached {
		t.Error(err)
	}
}

func TestAnIndexThatCanNotBeBroughtUpToDateIsGivenWithTheError(t *testing.T) {
	s := start(t)
	c := client(t, s, "ok")
	c.Cache = OpenCache(t.TempDir())
	if _, _, err := c.Index(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.Close()
	x, from, err := c.Index(context.Background())
	if kindOf(err) != registry.Unreachable || x == nil || !from.Kept {
		t.Errorf("%v %+v %v", x, from, err)
	}
}

// after30 is a door that somebody interrupts at the 31st request.
type after30 struct {
	Door
	cancel func()
	n      *int
}

func (d after30) Send(ctx context.Context, r *wire.HTTPRequest) (*wire.HTTPResponse, error) {
	if *d.n++; *d.n == 31 {
		d.cancel()
	}
	return d.Door.Send(ctx, r)
}

func TestAListingThatWasInterruptedGoesOn(t *testing.T) {
	s := start(t)
	c := client(t, s, "many")
	c.Cache = OpenCache(t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	c.Door = after30{c.Door, cancel, new(int)}
	if x, _, err := c.Index(ctx); err == nil || x != nil {
		t.Fatalf("half a listing is an index: %v", err)
	}
	before := len(s.Asked())
	x, _, err := c.Index(context.Background())
	if err != nil || x.Len() != 11_000 || len(s.Asked())-before > 90 {
		t.Errorf("%v, asked %d times", err, len(s.Asked())-before)
	}
}

func TestAnIndexThatWasCutOffIsListedAgain(t *testing.T) {
	s := start(t)
	c := client(t, s, "ok")
	state := t.TempDir()
	c.Cache = OpenCache(state)
	if _, _, err := c.Index(context.Background()); err != nil {
		t.Fatal(err)
	}
	kept, err := filepath.Glob(filepath.Join(state, "registry", "*"+keptSuffix))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%v %v", kept, err)
	}
	raw, err := os.ReadFile(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kept[0], raw[:len(raw)-9], 0o600); err != nil {
		t.Fatal(err)
	}
	before := len(s.Asked())
	if _, _, err := c.Index(context.Background()); err != nil || strings.Contains(s.Asked()[before], "updated_since") {
		t.Errorf("%v: %v", err, s.Asked()[before:])
	}
}

func TestAnIndexThatIsLargerThanIsKeptIsListedEachTime(t *testing.T) {
	s := start(t)
	c := client(t, s, "ok")
	c.Cache = OpenCache(t.TempDir())
	x, _, err := c.Index(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	size := len(x.Encode())
	for most, want := range map[int]registry.Kind{size: "", size - 1: registry.NotCached} {
		c := client(t, s, "ok")
		c.Cache, c.Limits.ListingBytes = OpenCache(t.TempDir()), most
		if x, _, err := c.Index(context.Background()); err != nil || x.Len() < 10 {
			t.Fatal(err)
		}
		c.Offline = true
		if _, _, err := c.Index(context.Background()); why(err) != want {
			t.Errorf("of %d bytes %d are kept: %v", size, most, err)
		}
	}
}
