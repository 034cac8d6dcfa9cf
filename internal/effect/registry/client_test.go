package registry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/effect/net"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	double "github.com/mcpassay/mcpassay/test/registry"
)

func quick() limits.Set {
	lim := limits.Default
	lim.RetryWait = time.Millisecond
	return lim
}

func client(t *testing.T, s *double.Server, mode string) *Client {
	t.Helper()
	base := s.URL + "/" + mode
	door, err := net.New(net.Options{Named: base, Limits: quick()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(door.Close)
	return &Client{Base: base, Door: door, Now: time.Now, Limits: quick()}
}

func start(t *testing.T) *double.Server {
	t.Helper()
	s := double.New()
	t.Cleanup(s.Close)
	return s
}

func kindOf(err error) registry.Kind {
	var e *registry.Error
	if err == nil {
		return ""
	}
	if !errors.As(err, &e) {
		return "no *Error: " + registry.Kind(err.Error())
	}
	return e.Kind
}

func names(all []*registry.Record) string {
	var s []string
	for _, r := range all {
		s = append(s, r.Name+" "+r.Version)
	}
	return strings.Join(s, ", ")
}

func TestEachFailureOfARegistryIsAKindOfItsOwn(t *testing.T) {
	s := start(t)
	for mode, want := range map[string]registry.Kind{
		"ok": "", "two-pages": "", "full-pages": "", "etag": "", "flaky": "", "no-meta": "", "wrong-types": "", "duplicates": "",
		"422": registry.Refused, "404": registry.NotFound, "429": registry.RateLimited, "500": registry.Unreachable, "redirect": registry.Refused,
		"oversize": registry.Malformed, "cut-off": registry.Unreachable, "web-page": registry.Malformed, "not-json": registry.Malformed,
		"no-list": registry.Malformed, "bad-next": registry.Malformed, "bad-cursor": registry.BadCursor, "loop": registry.BadCursor,
	} {
		_, _, err := client(t, s, mode).List(context.Background(), Query{Deleted: true}, func(*registry.Page) error { return nil })
		if kindOf(err) != want {
			t.Errorf("%s: %q, want %q (%v)", mode, kindOf(err), want, err)
		}
		if err != nil && err.Error() == "" {
			t.Errorf("%s: no words", mode)
		}
		if err != nil && mode == "redirect" && strings.Contains(err.Error(), double.Secret) {
			t.Errorf("the error holds the query of a redirect: %v", err)
		}
	}
	gone := client(t, s, "ok")
	gone.Base = "http://127.0.0.1:1"
	if _, _, err := gone.Version(context.Background(), "a/bc", "latest"); kindOf(err) != registry.Refused {
		t.Errorf("an address that nobody named was asked: %v", err)
	}
}

func TestARegistryThatFailsIsAskedAgainAndOneThatRefusesIsNot(t *testing.T) {
	s := start(t)
	for mode, want := range map[string]int{"500": 3, "cut-off": 3, "422": 1, "404": 1, "429": 1, "redirect": 1, "web-page": 1} {
		before := len(s.Asked())
		client(t, s, mode).Version(context.Background(), "io.github.example/files", "latest")
		if n := len(s.Asked()) - before; n != want {
			t.Errorf("%s: asked %d times, want %d", mode, n, want)
		}
	}
	_, _, err := client(t, s, "429").Version(context.Background(), "io.github.example/files", "latest")
	var e *registry.Error
	if !errors.As(err, &e) || e.Wait != time.Hour || !strings.Contains(e.Error(), "1h0m0s") {
		t.Errorf("%v", err)
	}
}

func TestAListingIsReadToItsEnd(t *testing.T) {
	s := start(t)
	for _, mode := range []string{"ok", "two-pages"} {
		pages, records := 0, 0
		_, _, err := client(t, s, mode).List(context.Background(), Query{}, func(p *registry.Page) error {
			pages++
			records += len(p.Records)
			return nil
		})
		if err != nil || records != 15 || pages != map[string]int{"ok": 1, "two-pages": 2}[mode] {
			t.Errorf("%s: %d records in %d pages, %v", mode, records, pages, err)
		}
	}
}

func TestAFullLastPageMayNameAnEmptyOne(t *testing.T) {
	s := start(t)
	n := 0
	if _, _, err := client(t, s, "full-pages").List(context.Background(), Query{Size: 5}, func(p *registry.Page) error { n += len(p.Records); return nil }); err != nil || n != 15 {
		t.Errorf("%d, %v", n, err)
	}
}

func TestAShortTermIsRefusedBeforeTheRegistryIsAsked(t *testing.T) {
	s := start(t)
	c := client(t, s, "ok")
	for _, term := range []string{"", "a", "ab", "  ab  ", "éé"} {
		if _, _, _, _, err := c.Search(context.Background(), term, 20, false); kindOf(err) != registry.TooShort {
			t.Errorf("%q: %v", term, err)
		}
	}
	for _, name := range []string{"", "files", "a/", "../..", "a b/c", "io.github.example/files/x", "x\n/y", strings.Repeat("a", 200) + "/b"} {
		if _, _, err := c.Version(context.Background(), name, ".."); kindOf(err) != registry.NotFound {
			t.Errorf("%q: %v", name, err)
		}
	}
	if len(s.Asked()) > 0 {
		t.Errorf("it was asked: %v", s.Asked())
	}
}

func TestASearchGivesLatestVersionsAndSaysThatThereAreMore(t *testing.T) {
	s := start(t)
	c := client(t, s, "ok")
	all, _, more, _, err := c.Search(context.Background(), "FILES", 20, false)
	if err != nil || names(all) != "io.github.example/files 1.10.0" || more {
		t.Errorf("%s, more %v, %v", names(all), more, err)
	}
	all, _, more, _, err = c.Search(context.Background(), "example", 3, false)
	if err != nil || len(all) != 3 || !more {
		t.Errorf("%s, more %v, %v", names(all), more, err)
	}
	all, _, _, _, err = c.Search(context.Background(), "gone", 3, false)
	if err != nil || len(all) != 0 {
		t.Errorf("%s, %v", names(all), err)
	}
	if all, _, _, _, _ = c.Search(context.Background(), "gone", 3, true); len(all) != 1 || !all[0].Deleted() {
		t.Errorf("%s", names(all))
	}
	all, _, _, _, err = client(t, s, "duplicates").Search(context.Background(), "notes", 20, false)
	if err != nil || names(all) != "io.github.example/notes 0.3.0" {
		t.Errorf("%s, %v", names(all), err)
	}
}

func TestADeletedServerIsToldFromOneThatNeverWas(t *testing.T) {
	s := start(t)
	c := client(t, s, "ok")
	rec, _, err := c.Version(context.Background(), "com.example/gone", "latest")
	if err != nil || !rec.Deleted() || !strings.Contains(rec.Official.Message, "malware") {
		t.Errorf("%v, %v", rec, err)
	}
	if _, _, err := c.Version(context.Background(), "com.example/never", "latest"); kindOf(err) != registry.NotFound {
		t.Error(err)
	}
	if _, _, _, err := c.Versions(context.Background(), "com.example/never"); kindOf(err) != registry.NotFound {
		t.Error(err)
	}
}

func TestVersionsAreAllOfOneServer(t *testing.T) {
	s := start(t)
	all, _, _, err := client(t, s, "ok").Versions(context.Background(), "io.github.example/files")
	if err != nil || len(all) != 5 {
		t.Fatalf("%s, %v", names(all), err)
	}
	for want, got := range map[string]string{"": "1.10.0", "latest": "1.10.0", "^1.0.0": "1.10.0", "1.9.x": "1.9.0", "~1.1.0": "", "1.1.0": "1.1.0", "2.0.0-rc.1": "2.0.0-rc.1",
		">=2.0.0-rc.0": "2.0.0-rc.1", "^3": "", "<1.9.0": "1.0.0", "no range": ""} {
		rec := registry.Pick(all, want)
		if (rec == nil) != (got == "") || rec != nil && rec.Version != got {
			t.Errorf("%q is %v, want %q", want, rec, got)
		}
	}
	moving, _, _, err := client(t, s, "ok").Versions(context.Background(), "com.example/moving")
	if err != nil || registry.Pick(moving, "latest") != nil || registry.Pick(moving, "") != nil {
		t.Errorf("a record whose version is latest was taken: %v", err)
	}
	if proto, _, _, err := client(t, s, "ok").Versions(context.Background(), "com.example/__proto__"); err != nil || len(proto) != 1 {
		t.Errorf("%v, %v", proto, err)
	}
	if _, _, err := client(t, s, "other").Version(context.Background(), "io.github.example/files", "latest"); kindOf(err) != registry.Malformed {
		t.Errorf("an answer about another server was taken: %v", err)
	}
}

func TestAWrongFieldCostsThatFieldAndNoRecord(t *testing.T) {
	s := start(t)
	var records []*registry.Record
	var bad []registry.Fault
	_, _, err := client(t, s, "wrong-types").List(context.Background(), Query{}, func(p *registry.Page) error {
		records, bad = append(records, p.Records...), append(bad, p.Bad...)
		return nil
	})
	if err != nil || len(records) != 15 || len(bad) != 3 {
		t.Fatalf("%d records, %v, %v", len(records), bad, err)
	}
	r := records[0]
	if len(r.Faults) < 6 || r.Title != "" || len(r.Packages) != 1 || !r.Official.Published.IsZero() || !r.Official.Latest || r.Official.Status != registry.Active {
		t.Errorf("%+v", r)
	}
	rec, _, err := client(t, s, "no-meta").Version(context.Background(), "io.github.example/files", "1.0.0")
	if err != nil || rec.Official.Present || rec.Official.Status != "" || len(rec.Faults) == 0 {
		t.Errorf("%+v, %v", rec, err)
	}
}

func TestWhatWasKeptIsAskedForWithItsTagAndUsedOffline(t *testing.T) {
	s := start(t)
	c := client(t, s, "etag")
	state := t.TempDir()
	c.Cache = OpenCache(state)
	day := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	c.Now = func() time.Time { return day }
	ctx := context.Background()
	for range 2 {
		if rec, from, err := c.Version(ctx, "io.github.example/files", "latest"); err != nil || rec.Version != "1.10.0" || from.Kept || !from.Asked.Equal(day) {
			t.Fatalf("%v, %+v, %v", rec, from, err)
		}
		day = day.Add(time.Hour)
	}
	before := len(s.Asked())
	c.Offline = true
	rec, from, err := c.Version(ctx, "io.github.example/files", "latest")
	if err != nil || rec.Version != "1.10.0" || !from.Kept || day.Sub(from.Asked) != time.Hour {
		t.Errorf("%v, %+v, %v", rec, from, err)
	}
	if _, _, err := c.Version(ctx, "io.github.example/notes", "latest"); kindOf(err) != registry.NotCached {
		t.Error(err)
	}
	if len(s.Asked()) != before {
		t.Errorf("offline asked %v", s.Asked()[before:])
	}
	kept, _ := filepath.Glob(filepath.Join(state, "registry", "*"))
	if len(kept) != 1 {
		t.Fatal(kept)
	}
	info, err := os.Stat(kept[0])
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	raw, _ := os.ReadFile(kept[0])
	for what, change := range map[string][]byte{"cut off": raw[:len(raw)-5], "changed": []byte(strings.Replace(string(raw), "active", "extive", 1)), "empty": nil} {
		os.WriteFile(kept[0], change, 0o600)
		if _, _, err := c.Version(ctx, "io.github.example/files", "latest"); kindOf(err) != registry.NotCached {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAWebPageDoesNotTakeThePlaceOfWhatWasKept(t *testing.T) {
	c := client(t, start(t), "portal")
	c.Cache = OpenCache(t.TempDir())
	for _, want := range []registry.Kind{"", registry.Malformed} {
		if _, _, err := c.Version(context.Background(), "io.github.example/files", "latest"); kindOf(err) != want {
			t.Error(err)
		}
	}
	c.Offline = true
	if rec, from, err := c.Version(context.Background(), "io.github.example/files", "latest"); err != nil || !from.Kept || rec.Version != "1.10.0" {
		t.Error(err)
	}
}

func TestTheBytesOfKeptAnswersAreBounded(t *testing.T) {
	c := OpenCache(t.TempDir())
	c.put(answer{URL: "x", body: []byte("x")}, limits.Default)
	lim := limits.Default
	lim.KeptAnswerBytes = 1
	c.prune(lim)
	if _, ok := c.get("x", limits.Default); ok {
		t.Error("it is kept")
	}
}

func TestTheOldestAnswersGoFirst(t *testing.T) {
	lim := limits.Default
	lim.KeptAnswers = 3
	c := OpenCache(t.TempDir())
	for i := range pruneEvery + 1 {
		c.put(answer{URL: fmt.Sprint(i), body: []byte("x")}, lim)
		os.Chtimes(c.path(fmt.Sprint(i)), time.Time{}, time.Unix(int64(i)*100, 0))
	}
	kept, _ := filepath.Glob(filepath.Join(c.dir, "*"+keptSuffix))
	if _, ok := c.get(fmt.Sprint(pruneEvery), lim); !ok || len(kept) != lim.KeptAnswers {
		t.Errorf("%d are kept, the newest: %v", len(kept), ok)
	}
}

// A listing that was interrupted goes on where it was, and 11,000 records take the memory of a page.
func TestAListingOfElevenThousandRecordsIsBoundedAndGoesOnWhereItWas(t *testing.T) {
	s := start(t)
	c := client(t, s, "many")
	c.Cache = OpenCache(t.TempDir())
	var peak atomic.Uint64
	n, stop, stopped := 0, errors.New("interrupted"), false
	visit := func(p *registry.Page) error {
		if n == 5_000 && !stopped {
			stopped = true
			return stop
		}
		n += len(p.Records)
		if n%2_000 < 100 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			peak.Store(max(peak.Load(), m.HeapAlloc))
		}
		return nil
	}
	at, _, err := c.List(context.Background(), Query{Fresh: time.Hour}, visit)
	if !errors.Is(err, stop) || at != "5000" {
		t.Fatalf("%q, %v", at, err)
	}
	asked := len(s.Asked())
	if _, _, err := c.List(context.Background(), Query{Fresh: time.Hour, Cursor: at}, visit); err != nil || n != double.Many {
		t.Fatalf("%d, %v", n, err)
	}
	n = 0
	visit = func(p *registry.Page) error { n += len(p.Records); return nil }
	if _, from, err := c.List(context.Background(), Query{Fresh: time.Hour}, visit); err != nil || n != double.Many || !from.Kept {
		t.Fatalf("%d, %v", n, err)
	}
	if again := len(s.Asked()) - asked; again != 59 {
		t.Errorf("%d pages were asked for after the interruption, want 59", again)
	}
	if most := uint64(24 << 20); peak.Load() > most {
		t.Errorf("the heap held %d bytes", peak.Load())
	}
	t.Logf("heap at most %d KiB", peak.Load()>>10)
}

func TestARegistryWithoutAnEndIsNone(t *testing.T) {
	c := client(t, start(t), "many")
	c.Limits.RegistryPages = 3
	if _, _, err := c.List(context.Background(), Query{}, func(*registry.Page) error { return nil }); kindOf(err) != registry.BadCursor {
		t.Error(err)
	}
}

func TestTheBaseOfARegistry(t *testing.T) {
	for raw, want := range map[string]string{"https://r.example": "https://r.example", "https://r.example/": "https://r.example", "https://r.example/v0.1/": "https://r.example",
		"https://r.example/mirror/v0": "https://r.example/mirror", "http://127.0.0.1:80/x": "http://127.0.0.1:80/x"} {
		if got, err := Base(raw); got != want || err != nil {
			t.Errorf("%s: %s, %v", raw, got, err)
		}
	}
	for _, raw := range []string{"", "r.example", "ftp://r.example", "https://u:p@r.example", "https://r.example/?a=b", "https://r.example/#x", "file:///x"} {
		if got, err := Base(raw); err == nil {
			t.Errorf("%s is %s", raw, got)
		}
	}
}

func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{"": 0, "5": 5 * time.Second, "-1": 0, "soon": 0, "Tue, 01 Dec 2026 12:01:00 GMT": time.Minute,
		"Mon, 01 Dec 2025 12:01:00 GMT": 0, "99999999999": 24 * time.Hour} {
		if got := after(value, now); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
}
