package pkg

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestNamesAreWrittenAsTheirRegistriesDo(t *testing.T) {
	for name, want := range map[string]string{"Example.Notes": "example-notes", "a__b-.c": "a-b-c", "A1": "a1", "": "!", "-a": "!", "a-": "!", "a b": "!", "ä": "!", "../x": "!"} {
		if got, ok := PyPIName(name); ok == (want == "!") || ok && got != want {
			t.Errorf("%q is %q, %v", name, got, ok)
		}
	}
	for name, want := range map[string]string{"a": "1/a", "ab": "2/ab", "abc": "3/a/abc", "Serde": "se/rd/serde"} {
		if CargoPath(name) != want {
			t.Errorf("%s: %s", name, CargoPath(name))
		}
	}
	if GoodCargo("a/b") || GoodCargo("-a") || !GoodCargo("a_b-1") || GoodNuGet("a..\\b") || GoodNuGet(".a") || !GoodNuGet("A.B-c_d") || GoodNuGet(strings.Repeat("a", 101)) {
		t.Error("another name is good")
	}
}

func TestTheVersionInTheNameOfAFile(t *testing.T) {
	for file, want := range map[string]string{"example_notes-0.3.0-py3-none-any.whl": "0.3.0", "example_notes-0.3.0-1-py3-none-any.whl": "0.3.0", "example-notes-0.3.0.tar.gz": "0.3.0", "Example.Notes-0.3.0.zip": "0.3.0",
		"example_notes-1.0-rc1.tar.gz": "1.0-rc1", "example_notes-0.3.0.egg": "", "other-1.0.tar.gz": "", "example-notes.tar.gz": "", "example_notes-0.3.0.whl": "", "": ""} {
		if got := pypiVersion(file, "example-notes"); got != want {
			t.Errorf("%s: %q", file, got)
		}
	}
}

func TestReferencesOfImages(t *testing.T) {
	digest := "sha256:" + strings.Repeat("ab", 32)
	for ref, want := range map[string]Image{
		"box": {"", "box", "", ""}, "a/box:1": {"", "a/box", "1", ""}, "r.example/a/b/box:1.0_x": {"r.example", "a/b/box", "1.0_x", ""}, "r.example:5000/box@" + digest: {"r.example:5000", "box", "", digest},
		"localhost/box:1@" + digest: {"localhost", "box", "1", digest}, "docker.io/library/box": {"docker.io", "library/box", "", ""}, "127.0.0.1:80/box": {"127.0.0.1:80", "box", "", ""},
	} {
		if got, err := ParseImage(ref); got != want || err != nil {
			t.Errorf("%s: %+v, %v", ref, got, err)
		}
	}
	for _, ref := range []string{"", ":", "box:", "Box", "a//b", "a/../b", "../b", "box@sha256:00", "box@" + strings.Replace(digest, "256", "1", 1), "r.example?x/box", "u@r.example/box", "box:-x", "a b", "box:1:2/x:"} {
		if got, err := ParseImage(ref); err == nil {
			t.Errorf("%q: %+v", ref, got)
		}
	}
}

func TestChallengesOfRegistriesOfImages(t *testing.T) {
	realm, service, scope, ok := Challenge(`Bearer realm="https://t.example/token",service="r.example", scope="repository:a/b:pull,push"`)
	if !ok || realm != "https://t.example/token" || service != "r.example" || scope != "repository:a/b:pull,push" {
		t.Error(realm, service, scope, ok)
	}
	for _, h := range []string{"", "Basic realm=\"x\"", "Bearer", "Bearer service=\"x\"", `Bearer realm="x`, "bearer realm=x"} {
		if _, _, _, ok := Challenge(h); ok {
			t.Errorf("%q", h)
		}
	}
	for raw, want := range map[string]string{`{"token":"a"}`: "a", `{"access_token":"b"}`: "b", `{}`: "", `[]`: "", `{"token":7}`: "", `{"token":"` + strings.Repeat("a", limits.Default.TokenBytes+1) + `"}`: ""} {
		if got, err := TokenOf([]byte(raw), limits.Default); got != want || (err == nil) != (want != "") {
			t.Errorf("%.30s: %q, %v", raw, got, err)
		}
	}
}

func TestACatalogOfNuGetThatKnowsNoDigest(t *testing.T) {
	var un *Unenforceable
	if _, err := ReadNuGet([]byte(`{"id":"A","version":"1.0.0"}`), "a", "1.0.0", "", limits.Default); !errors.As(err, &un) {
		t.Error(err)
	}
	p, err := ReadNuGet([]byte(`{"id":"A","version":"1.0","packageHash":"`+strings.TrimPrefix(sri512, "sha512-")+`","packageHashAlgorithm":"SHA512","listed":false,"deprecation":{"message":"use B"}}`), "a", "1.0.0", "", limits.Default)
	if err != nil || !p.Yanked || p.Deprecated != "use B" {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := ReadNuGet([]byte(`{"id":"B","version":"1.0.0"}`), "a", "1.0.0", "", limits.Default); err == nil || errors.As(err, &un) {
		t.Errorf("another package: %v", err)
	}
}

func FuzzDocuments(f *testing.F) {
	f.Add([]byte(`{"name":"a","files":[{"filename":"a-1.0-py3-none-any.whl","hashes":{"sha256":"`+strings.Repeat("ab", 32)+`"}}],"versions":["1.0"]}`), "a/box:1")
	f.Add([]byte(`{"name":"a","vers":"1.0.0","cksum":"`+strings.Repeat("ab", 32)+`"}`), `Bearer realm="x"`)
	f.Add([]byte(`{"resources":[{"@id":"x","@type":"PackageBaseAddress/3.0.0"}],"catalogEntry":"x"}`), "r.example:1/box@sha256:00")
	f.Fuzz(func(t *testing.T, raw []byte, words string) {
		lim := limits.Default
		if p, err := ReadPyPI(raw, "a", "https://p.example/simple/a/", lim); err == nil {
			if v, err := p.Pick(""); err == nil {
				if pin, err := p.Pin(v); err == nil && len(pin.Digests()) != len(pin.Files) {
					t.Fatal("a file that nothing holds")
				}
			}
		}
		if p, err := ReadCargo(raw, "a", "", lim); err == nil && len(p.Digests()) != 1 {
			t.Fatal("a crate that nothing holds")
		}
		NuGetResources(raw, lim)
		NuGetVersions(raw, lim)
		NuGetLeaf(raw, lim)
		if p, err := ReadNuGet(raw, "a", "1.0.0", "", lim); err == nil && len(p.Files[0].Hashes) == 0 {
			t.Fatal("a package that nothing holds")
		}
		if im, err := ParseImage(words); err == nil && (im.Path == "" || strings.Contains(im.Path, "..") || strings.ContainsAny(im.Path+im.Tag, "?#% @")) {
			t.Fatalf("%q: %+v", words, im)
		}
		Challenge(words)
	})
}
