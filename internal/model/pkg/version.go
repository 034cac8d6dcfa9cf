// Package pkg is what package registries say of packages: which versions there are, which one a range means, and by what
// digests the bytes of one are known. It is pure: documents come in, and what they hold comes out.
package pkg

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"deps.dev/util/semver"
)

// Type is a kind of package, as records of the MCP registry name it.
type Type string

// The types that server.json knows (2025-12-11).
const (
	NPM   Type = "npm"
	PyPI  Type = "pypi"
	OCI   Type = "oci"
	NuGet Type = "nuget"
	Cargo Type = "cargo"
	MCPB  Type = "mcpb"
)

func (t Type) system() semver.System {
	switch t {
	case PyPI:
		return semver.PyPI
	case NuGet:
		return semver.NuGet
	case Cargo:
		return semver.Cargo
	}
	return semver.NPM
}

// ErrNone says that no version is what was asked for.
var ErrNone = errors.New("no version is what was asked for")

// longestVersion is how many bytes a version or a range may have (server.json, 2025-12-11): parsers are for those.
const longestVersion = 255

// Compare orders two versions as their registry does. One that is no version comes before all that are.
func Compare(t Type, a, b string) int {
	va, errA := parse(t, a)
	vb, errB := parse(t, b)
	switch {
	case errA != nil && errB != nil:
		return strings.Compare(a, b)
	case errA != nil:
		return -1
	case errB != nil:
		return 1
	}
	return va.Compare(vb)
}

func parse(t Type, v string) (*semver.Version, error) {
	if len(v) > longestVersion {
		return nil, fmt.Errorf("a version of more than %d bytes", longestVersion)
	}
	return fenced(func() (*semver.Version, error) { return t.system().Parse(v) })
}

// fenced makes an error of a panic of the library, whose parsers run off the end of a few strange texts ("0*X}").
func fenced[T any](parse func() (T, error)) (out T, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("it can not be read")
		}
	}()
	return parse()
}

// IsVersion says that v is one version and no range or word.
func IsVersion(t Type, v string) bool {
	if t == PyPI && strings.HasPrefix(v, "===") {
		return true
	}
	if core, _, _ := strings.Cut(strings.Split(v, "-")[0], "+"); (t == NPM || t == Cargo) && strings.Count(core, ".") != 2 {
		return false // 1.2 is a range there
	}
	p, err := parse(t, v)
	return err == nil && !p.IsWildcard()
}

// Best is the highest of the versions that want means: a version, a range in the grammar of the type, or "", * and latest
// for the highest that is no pre-release, or of pre-releases alone the highest. It fails with ErrNone, or because want can
// not be read.
//
// For PyPI, ===X is the one string X (PEP 440, arbitrary equality), whose local part a == would leave open.
func Best(t Type, versions []string, want string) (string, error) {
	want = strings.TrimSpace(want)
	if exact, ok := strings.CutPrefix(want, "==="); ok && t == PyPI {
		exact = strings.TrimSpace(exact)
		for _, v := range versions {
			if strings.EqualFold(v, exact) {
				return v, nil
			}
		}
		return "", ErrNone
	}
	if slices.Contains(versions, want) {
		return want, nil
	}
	match := func(v *semver.Version, _ bool) bool { return true }
	named, pre := false, true // whether want names a pre-release, and whether it may mean one at all
	if want != "" && want != "*" && !strings.EqualFold(want, "latest") {
		if len(want) > longestVersion {
			return "", fmt.Errorf("a range of more than %d bytes", longestVersion)
		}
		c, err := fenced(func() (*semver.Constraint, error) { return t.system().ParseConstraint(want) })
		if err != nil {
			return "", fmt.Errorf("%q is no version and no range: %w", want, err)
		}
		named = c.HasPrerelease()
		pre = named || t == PyPI && !slices.ContainsFunc(versions, func(s string) bool { // as uv does it
			v, err := parse(t, s)
			return err == nil && !v.IsPrerelease()
		})
		match = func(v *semver.Version, loose bool) bool {
			matches := c.MatchVersion
			if loose && t == PyPI {
				matches = c.MatchVersionPrerelease
			}
			ok, err := fenced(func() (bool, error) { return matches(v), nil })
			return ok && err == nil
		}
	}
	best := func(loose bool) (name string) {
		var top *semver.Version
		for _, s := range versions {
			v, err := parse(t, s)
			if err != nil || v.IsWildcard() || v.IsPrerelease() && !loose || !match(v, loose) || top != nil && v.Compare(top) <= 0 {
				continue
			}
			name, top = s, v
		}
		return name
	}
	name := best(named)
	if name == "" && pre {
		name = best(true)
	}
	if name == "" {
		return "", ErrNone
	}
	return name, nil
}
