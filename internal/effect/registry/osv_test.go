package registry

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/effect/net"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/osv"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	double "github.com/mcpassay/mcpassay/test/registry"
)

func advisories(t *testing.T, base string) *Advisories {
	t.Helper()
	door, err := net.New(net.Options{Named: base, Limits: quick()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(door.Close)
	return &Advisories{Base: base, Door: door, Cache: OpenCache(t.TempDir()), Now: time.Now, Limits: quick()}
}

func ids(all []*osv.Record) string {
	var s []string
	for _, r := range all {
		s = append(s, r.ID)
	}
	return strings.Join(s, " ")
}

func TestTheDatabaseOfVulnerabilitiesIsAskedAboutOneVersion(t *testing.T) {
	s := start(t)
	a := advisories(t, s.URL+"/osv")
	for _, c := range []struct {
		name, version, want string
	}{
		{double.Vulnerable, "1.0.0", "GHSA-aaaa-bbbb-cccc"}, {double.Vulnerable, "1.2.0", ""}, {"harmless", "1.0.0", ""},
		{double.Malicious, "9.9.9", "MAL-2026-1"}, {double.TwoPages, "1.0.0", "GHSA-dddd-eeee-ffff GHSA-gggg-hhhh-iiii"},
	} {
		got, from, err := a.Known(context.Background(), pkg.NPM, c.name, c.version)
		if err != nil || ids(got) != c.want || from.Kept {
			t.Errorf("%s %s: %q %+v %v", c.name, c.version, ids(got), from, err)
		}
	}
	if _, _, err := a.Known(context.Background(), pkg.OCI, "box", "1"); err == nil || kindOf(err) == registry.Refused {
		t.Errorf("an image is asked about: %v", err)
	}
	// Offline what was kept is the answer, with its age, until it is too old to say anything.
	a.Offline = true
	if got, from, err := a.Known(context.Background(), pkg.NPM, double.Vulnerable, "1.0.0"); err != nil || ids(got) == "" || !from.Kept {
		t.Errorf("%v %+v", err, from)
	}
	if _, _, err := a.Known(context.Background(), pkg.NPM, double.Vulnerable, "1.1.0"); kindOf(err) != registry.NotCached {
		t.Errorf("the answer about another version is used: %v", err)
	}
	a.Now = func() time.Time { return time.Now().Add(limits.Default.KnownStale + time.Hour) }
	if _, _, err := a.Known(context.Background(), pkg.NPM, "harmless", "1.0.0"); kindOf(err) != registry.NotCached || !strings.Contains(err.Error(), "7 days old") {
		t.Errorf("an old answer is a clean one: %v", err)
	}
}

func TestADatabaseThatDoesNotAnswerIsNoCleanAnswer(t *testing.T) {
	s := start(t)
	for path, want := range map[string]registry.Kind{"/osv-500": registry.Unreachable, "/osv-web-page": registry.Malformed, "/nowhere": registry.NotFound} {
		if _, _, err := advisories(t, s.URL+path).Known(context.Background(), pkg.NPM, "harmless", "1.0.0"); kindOf(err) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestADatabaseInFilesGivesTheSameAnswers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var lines, list []byte
	for i, r := range double.Advisories() {
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, raw...), '\n')
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, raw...)
	}
	write := func(name string, raw []byte) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	archive := filepath.Join(dir, "all.zip")
	out, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(out)
	for _, r := range double.Advisories() {
		w, err := z.Create(r["id"].(string) + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(w).Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	write("folder/npm/a.jsonl", lines)
	for _, path := range []string{archive, write("list.json", []byte("["+string(list)+"]")), write("lines.jsonl", lines), filepath.Join(dir, "folder")} {
		a := &AdvisoryFiles{Path: path, Limits: limits.Default}
		for _, name := range []string{double.Vulnerable, double.Malicious, "harmless"} {
			a.Want(pkg.NPM, name)
		}
		for _, c := range [][3]string{{double.Vulnerable, "1.1.9", "GHSA-aaaa-bbbb-cccc"}, {double.Vulnerable, "1.2.0", ""}, {double.Malicious, "1.0.0", "MAL-2026-1"}, {"harmless", "1.0.0", ""}} {
			if got, from, err := a.Known(context.Background(), pkg.NPM, c[0], c[1]); err != nil || ids(got) != c[2] || from.Asked.IsZero() {
				t.Errorf("%s: %v: %q %v", filepath.Base(path), c, ids(got), err)
			}
		}
		if _, _, err := a.Known(context.Background(), pkg.NPM, "never-wanted", "1.0.0"); kindOf(err) != registry.NotCached {
			t.Errorf("a package that was not looked for is clean: %v", err)
		}
	}
}

func TestADatabaseThatIsNoneIsSaid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, raw := range map[string]string{"a.zip": "no zip", "b.json": "{", "c.json": `{"name":"wanted"}`, "d.jsonl": `{"id":"A","affected":"wanted"}`, "e.json": "[]", "f.json": `[null,"wanted"]`} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(raw), 0o600); err != nil {
			t.Fatal(err)
		}
		a := &AdvisoryFiles{Path: path, Limits: limits.Default}
		a.Want(pkg.NPM, "wanted")
		if got, _, err := a.Known(context.Background(), pkg.NPM, "wanted", "1.0.0"); kindOf(err) != registry.Malformed {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	empty := &AdvisoryFiles{Path: t.TempDir(), Limits: limits.Default}
	empty.Want(pkg.NPM, "wanted")
	if _, _, err := empty.Known(context.Background(), pkg.NPM, "wanted", "1.0.0"); kindOf(err) != registry.Malformed {
		t.Errorf("an empty folder is a clean database: %v", err)
	}
	small := limits.Default
	small.OSVBytes = 100
	path := filepath.Join(dir, "large.json")
	if err := os.WriteFile(path, []byte(`{"id":"A","summary":"`+strings.Repeat("x", 200)+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	large := &AdvisoryFiles{Path: path, Limits: small}
	large.Want(pkg.NPM, "wanted")
	if _, _, err := large.Known(context.Background(), pkg.NPM, "wanted", "1.0.0"); kindOf(err) != registry.Malformed {
		t.Errorf("a database beyond the limit is a clean one: %v", err)
	}
}

// A name is found however a database spells it: OSV has NuGet's names with their capitals, and a slash may be escaped.
func TestARecordIsFoundHoweverItSpellsItsPackage(t *testing.T) {
	t.Parallel()
	record := func(ecosystem, name string) string {
		return `{"id":"GHSA-x","affected":[{"package":{"ecosystem":"` + ecosystem + `","name":"` + name + `"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}],"versions":["1.0.0"]}]}`
	}
	for i, c := range []struct {
		raw, name string
		of        pkg.Type
	}{
		{record("NuGet", "Example.Old"), "example.old", pkg.NuGet}, {record("NuGet", "Example.Old"), "Example.Old", pkg.NuGet}, {record("PyPI", "Example_Notes"), "example-notes", pkg.PyPI},
		{record("npm", `@example\/files`), "@example/files", pkg.NPM}, {record("npm", `@example/f\u0069les`), "@example/files", pkg.NPM},
	} {
		path := filepath.Join(t.TempDir(), "a.json")
		if err := os.WriteFile(path, []byte(c.raw), 0o600); err != nil {
			t.Fatal(err)
		}
		a := &AdvisoryFiles{Path: path, Limits: limits.Default}
		a.Want(c.of, c.name)
		if got, _, err := a.Known(context.Background(), c.of, c.name, "1.0.0"); err != nil || ids(got) != "GHSA-x" {
			t.Errorf("%d: %s is clean: %q %v", i, c.name, ids(got), err)
		}
	}
}

func TestTheBoundsOfADatabaseOfVulnerabilities(t *testing.T) {
	t.Parallel()
	pages := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		pages++
		fmt.Fprintf(w, `{"vulns":[],"next_page_token":"%d"}`, pages)
	}))
	t.Cleanup(s.Close)
	a := advisories(t, s.URL)
	a.Limits.OSVPages = 3
	if _, _, err := a.Known(context.Background(), pkg.NPM, "harmless", "1.0.0"); kindOf(err) != registry.Malformed || !strings.Contains(err.Error(), "more than 3 pages") || pages != 3 {
		t.Errorf("%d pages: %v", pages, err)
	}

	dir := t.TempDir()
	record := `{"id":"A","summary":"` + strings.Repeat("x", 100) + `","affected":[{"package":{"ecosystem":"npm","name":"wanted"},"versions":["1.0.0"]}]}`
	archive := filepath.Join(dir, "all.zip")
	out, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(out)
	for _, name := range []string{"a.json", "b.json"} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(record))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
	lines := filepath.Join(dir, "a.jsonl")
	if err := os.WriteFile(lines, []byte(record+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	known := func(path string, entry, all int) error {
		f := &AdvisoryFiles{Path: path, Limits: limits.Default}
		f.Limits.OSVEntry, f.Limits.OSVBytes = int64(entry), int64(all)
		f.Want(pkg.NPM, "wanted")
		got, _, err := f.Known(context.Background(), pkg.NPM, "wanted", "1.0.0")
		if err == nil && ids(got) == "" {
			err = errors.New("nothing was found")
		}
		return err
	}
	n := len(record)
	for _, c := range []struct {
		path       string
		entry, all int
		good       bool
	}{{archive, n, 2 * n, true}, {archive, n - 1, 2 * n, false}, {archive, n, 2*n - 1, false}, {lines, n + 1, 2 * n, true}, {lines, n - 1, 2 * n, false}, {lines, n + 1, n, false}} {
		if err := known(c.path, c.entry, c.all); c.good != (err == nil) || err != nil && kindOf(err) != registry.Malformed {
			t.Errorf("%s, %d and %d bytes: %v", filepath.Base(c.path), c.entry, c.all, err)
		}
	}
}

// What was kept by a clock that was wrong is not fresh for years.
func TestAnAnswerOfTomorrowIsAskedForAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	a := advisories(t, s.URL+"/osv")
	a.Cache = OpenCache(t.TempDir())
	a.Now = func() time.Time { return time.Now().AddDate(50, 0, 0) }
	if _, _, err := a.Known(context.Background(), pkg.NPM, "harmless", "1.0.0"); err != nil {
		t.Fatal(err)
	}
	a.Now, a.Offline = time.Now, true
	if _, _, err := a.Known(context.Background(), pkg.NPM, "harmless", "1.0.0"); kindOf(err) != registry.NotCached {
		t.Errorf("a kept answer of another century is a clean one: %v", err)
	}
}
