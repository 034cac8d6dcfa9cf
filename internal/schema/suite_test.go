package schema

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// beside is a folder that the variable names, or one of the measured facts and public cases that lie beside the
// repository (MCPASSAY_SHARED says where else). They are no part of it: where they are absent the test skips.
func beside(t *testing.T, variable, folder, how string) string {
	t.Helper()
	dir := os.Getenv(variable)
	if dir == "" {
		root := os.Getenv("MCPASSAY_SHARED")
		if root == "" {
			root = filepath.Join("..", "..", "..", "shared")
		}
		dir = filepath.Join(root, filepath.FromSlash(folder))
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("%s names no folder, and there is none beside the repository: %s", variable, how)
	}
	return dir
}

// suiteExceptions are the optional files of the official suite, for every dialect that has them, that hold a test that
// is not passed, each with its reason. There are none among the required files.
var suiteExceptions = map[string]string{
	"optional/content.json":                    "what a string encodes is an annotation here, as in 2019-09",
	"optional/dependencies-compatibility.json": "the dialect has no dependencies: they are reported, not followed",
	"optional/format-assertion.json":           "a metaschema can not turn formats into assertions; Options.Formats can",
	"optional/format/hostname.json":            "the Unicode text behind an A-label is not looked at",
	"optional/format/idn-email.json":           "the format is not checked",
	"optional/format/idn-hostname.json":        "the format is not checked",
	"optional/format/iri.json":                 "the format is not checked",
	"optional/format/iri-reference.json":       "the format is not checked",
	"optional/format/uri-template.json":        "the format is not checked",
}

// remoteBase is where the suite's schemas expect its remotes.
const remoteBase = "http://localhost:1234/"

// TestTheOfficialSuitePasses runs the tests of json-schema.org's JSON-Schema-Test-Suite.
func TestTheOfficialSuitePasses(t *testing.T) {
	dir := beside(t, "MCPASSAY_JSONSCHEMA", "corpus/json-schema",
		"git clone https://github.com/json-schema-org/JSON-Schema-Test-Suite, and link its remotes into its tests folder")
	remotes := map[string]source.Node{}
	remote := func(uri string) source.Node {
		name, ok := strings.CutPrefix(uri, remoteBase)
		if !ok {
			return source.Node{}
		}
		if n, ok := remotes[name]; ok {
			return n
		}
		var n source.Node
		if raw, err := os.ReadFile(filepath.Join(dir, "remotes", filepath.FromSlash(name))); err == nil {
			d, err := source.Parse(name, raw, source.JSON, limits.Default)
			if err != nil {
				t.Fatal(err)
			}
			n = d.Root()
		}
		remotes[name] = n
		return n
	}
	unused := maps.Clone(suiteExceptions)
	for _, folder := range []struct {
		name    string
		dialect Dialect
	}{{"draft7", Draft7}, {"draft2019-09", Draft2019}, {"draft2020-12", Draft2020}} {
		var files []string
		for _, part := range []string{"", "optional", "optional/format"} {
			some, _ := filepath.Glob(filepath.Join(dir, folder.name, filepath.FromSlash(part), "*.json"))
			if files = append(files, some...); len(some) == 0 {
				t.Errorf("%s/%s holds no tests", folder.name, part)
			}
		}
		ran := 0
		for _, file := range files {
			short, _ := filepath.Rel(filepath.Join(dir, folder.name), file)
			short = filepath.ToSlash(short)
			reason, excepted := suiteExceptions[short]
			failed := 0
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := source.Parse(file, raw, source.JSON, limits.Default)
			if err != nil {
				t.Fatal(err)
			}
			for group := range doc.Root().Children() {
				o := Options{Limits: limits.Default, Default: folder.dialect, Remote: remote, Formats: strings.Contains(short, "/format/")}
				s := New(group.Get("schema"), o)
				for test := range group.Get("tests").Children() {
					name := strings.Join([]string{folder.name, short, group.Get("description").Text(), test.Get("description").Text()}, "/")
					want := Invalid
					if v, _ := test.Get("valid").Bool(); v {
						want = Valid
					}
					got := s.Validate(test.Get("data"))
					ran++
					if got.Verdict == want {
						continue
					}
					if failed++; !excepted {
						t.Errorf("%s: %v, want %v. %s %v\n%s\n%s", name, got.Verdict, want, got.Why, s.Faults, group.Get("schema").Raw(), test.Get("data").Raw())
					}
				}
			}
			if excepted && failed == 0 {
				t.Errorf("%s/%s passes, though %s", folder.name, short, reason)
			}
			delete(unused, short)
		}
		t.Logf("%s: %d tests", folder.name, ran)
	}
	for name := range unused {
		t.Errorf("an exception names no file: %s", name)
	}
}
