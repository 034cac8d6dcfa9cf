package registry

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// simpleJSON is the simple API in JSON (PEP 691).
const simpleJSON = "application/vnd.pypi.simple.v1+json"

// pypiPlaces are the indexes of a project in the order in which uv looks for it: what uv and pip are told by the environment,
// the record, PyPI. uv takes a project from the first of them that has it.
func (p *Packages) pypiPlaces(base string) (all []place) {
	for _, name := range []string{"UV_INDEX", "UV_EXTRA_INDEX_URL"} { // before the one that the others name
		for word := range strings.FieldsSeq(p.Getenv(name)) {
			if index, u, ok := strings.Cut(word, "="); ok && !strings.ContainsAny(index, ":/") {
				word = u // it has a name
			}
			all = append(all, place{base: word, mine: true})
		}
	}
	for _, name := range []string{"UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"} {
		if v := p.Getenv(name); v != "" {
			if index, u, ok := strings.Cut(v, "="); ok && !strings.ContainsAny(index, ":/") {
				v = u
			}
			return append(all, place{base: v, mine: true})
		}
	}
	base = strings.TrimRight(base, "/")
	switch {
	case base == "":
		return append(all, place{base: pypiIndex})
	case spoken[base] != "":
		return append(all, place{base: spoken[base]})
	case strings.HasSuffix(base, "/simple"):
		return append(all, place{base: base})
	}
	return append(all, place{base: base + "/simple"})
}

// minePyPI says that an address is of an index that the user's own settings name.
func (p *Packages) minePyPI(base, address string) bool {
	return slices.ContainsFunc(p.pypiPlaces(base), func(at place) bool { return at.mine && sameOrigin(at.base, address) })
}

func (p *Packages) pypi(ctx context.Context, base, name, want string, about registry.Error) (pin *pkg.Pin, err error) {
	normal, ok := pkg.PyPIName(name)
	if !ok {
		about.Kind, about.Detail = registry.NotFound, "no name of a project"
		return nil, &about
	}
	if p.Getenv("UV_FIND_LINKS") != "" {
		about.Kind, about.Detail = registry.Refused, "UV_FIND_LINKS names packages that are in no index, and one of them may be what is installed"
		return nil, &about
	}
	for _, at := range p.pypiPlaces(base) {
		pin, err = p.pypiAt(ctx, at, normal, want, about)
		var e *registry.Error
		if !errors.As(err, &e) || e.Kind != registry.NotFound || e.Status != 404 {
			break // one that does not answer may have it
		}
	}
	return pin, err
}

// pypiAt asks one index.
func (p *Packages) pypiAt(ctx context.Context, at place, normal, want string, about registry.Error) (*pkg.Pin, error) {
	address := join(at.base, normal, "")
	raw, err := p.get(ctx, at, address, simpleJSON, about)
	if err != nil {
		return nil, err
	}
	doc, err := pkg.ReadPyPI(raw, normal, address, p.Limits)
	if err != nil {
		return nil, bad(about, at, err)
	}
	version, err := doc.Pick(want)
	if err != nil {
		return nil, bad(about, at, err)
	}
	pin, err := doc.Pin(version)
	if err != nil {
		return nil, bad(about, at, err)
	}
	pin.Base = cmp.Or(pin.Base, at.base)
	return pin, nil
}
