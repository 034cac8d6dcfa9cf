package pkg

import (
	"errors"
	"strings"
	"testing"
)

func TestTheBestVersionIsTheHighestThatARangeMeans(t *testing.T) {
	npm := []string{"1.0.0", "1.2.3", "1.10.0", "2.0.0-rc.1", "0.9.0", "not a version", "2.0.0-beta.2"}
	py := []string{"1.0", "1.0+local.1", "1.4", "2.0a1", "1.4.post1", "0.9"}
	for _, c := range []struct {
		t        Type
		all      []string
		want, is string
	}{
		{NPM, npm, "", "1.10.0"}, {NPM, npm, "latest", "1.10.0"}, {NPM, npm, "*", "1.10.0"}, {NPM, npm, "^1.2.0", "1.10.0"}, {NPM, npm, "~1.2", "1.2.3"}, {NPM, npm, "1.2.3", "1.2.3"},
		{NPM, npm, ">=1 <1.10", "1.2.3"}, {NPM, npm, "0.9.0 || 1.0.0", "1.0.0"}, {NPM, npm, "^2.0.0-beta.1", "2.0.0-rc.1"}, {NPM, npm, "^2.0.0", ""}, {NPM, npm, "not a version", "not a version"},
		{NPM, []string{"1.0.0-a", "1.0.0-b"}, "", "1.0.0-b"}, {NPM, nil, "", ""}, {NPM, npm, "3", ""},
		{PyPI, py, "===1.0", "1.0"}, {PyPI, py, "===1.0+local.1", "1.0+local.1"}, {PyPI, py, "=== 1.0+LOCAL.1", "1.0+local.1"}, {PyPI, py, "===1", ""}, {PyPI, py, "~=1.0", "1.4.post1"},
		{PyPI, py, ">=1,<1.4", "1.0"}, {PyPI, py, ">=2.0a0", "2.0a1"}, {PyPI, py, "", "1.4.post1"},
		{Cargo, []string{"1.0.0", "1.3.0", "2.0.0"}, "1.0.0", "1.0.0"}, {Cargo, []string{"1.0.1", "1.3.0", "2.0.0"}, "1.0", "1.3.0"},
		{NuGet, []string{"1.0.0", "1.3.0", "2.0.0"}, "[1.0,2.0)", "1.3.0"},
	} {
		got, err := Best(c.t, c.all, c.want)
		if got != c.is || (err == nil) != (c.is != "") {
			t.Errorf("%s %q of %v: %q, %v, want %q", c.t, c.want, c.all, got, err, c.is)
		}
		if c.is == "" && !errors.Is(err, ErrNone) {
			t.Errorf("%s %q: %v", c.t, c.want, err)
		}
	}
	for _, want := range []string{"no range", ">=", strings.Repeat("1 || ", 100)} {
		if got, err := Best(NPM, npm, want); err == nil || errors.Is(err, ErrNone) {
			t.Errorf("%.20q: %q, %v", want, got, err)
		}
	}
}

func TestAVersionIsToldFromARange(t *testing.T) {
	for v, want := range map[string]bool{"1.2.3": true, "1.2": false, "1.x": false, "^1.2.3": false, "latest": false, "1.2.3-rc.1+b.5": true, "": false} {
		if IsVersion(NPM, v) != want {
			t.Errorf("npm %q", v)
		}
	}
	for v, want := range map[string]bool{"1.2": true, "1.2.*": false, "===1.2": true, ">=1": false, "1.0+local": true} {
		if IsVersion(PyPI, v) != want {
			t.Errorf("pypi %q", v)
		}
	}
	if Compare(NPM, "1.10.0", "1.9.0") <= 0 || Compare(NPM, "x", "1.0.0") >= 0 || Compare(NPM, "1.0.0", "x") <= 0 || Compare(NPM, "a", "b") >= 0 {
		t.Error("the order is another")
	}
}

func FuzzBest(f *testing.F) {
	f.Add("^1.2.0", "1.2.3")
	f.Add("===1.0", "1.0")
	f.Add(">=1,<2", "1!2.0.dev0")
	f.Add("0*X}", "\x02") // the library's parser ran off its end
	f.Add("1.0.0", "0*X}")
	f.Fuzz(func(t *testing.T, want, have string) {
		for _, kind := range []Type{NPM, PyPI, Cargo, NuGet} {
			if got, err := Best(kind, []string{have}, want); err == nil && got != have {
				t.Fatalf("%s %q of %q: %q", kind, want, have, got)
			}
		}
	})
}
