package registry

import (
	"cmp"
	"context"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// simpleJSON is the simple API in JSON (PEP 691).
const simpleJSON = "application/vnd.pypi.simple.v1+json"

// pypiPlace is the index of a project: what uv and pip are told by the environment, the record, PyPI.
func (p *Packages) pypiPlace(base string) place {
	for _, name := range []string{"UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"} {
		if v := p.Getenv(name); v != "" {
			return place{base: v, mine: true}
		}
	}
	base = strings.TrimRight(base, "/")
	switch {
	case base == "":
		return place{base: pypiIndex}
	case spoken[base] != "":
		return place{base: spoken[base]}
	case strings.HasSuffix(base, "/simple"):
		return place{base: base}
	}
	return place{base: base + "/simple"}
}

func (p *Packages) pypi(ctx context.Context, base, name, want string, about registry.Error) (*pkg.Pin, error) {
	normal, ok := pkg.PyPIName(name)
	if !ok {
		about.Kind, about.Detail = registry.NotFound, "no name of a project"
		return nil, &about
	}
	at := p.pypiPlace(base)
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
