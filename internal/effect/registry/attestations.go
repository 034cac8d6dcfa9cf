package registry

import (
	"context"
	"net/url"

	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// Attestations are the documents that the registry of a package holds about its files, by the name of the file: for npm the
// bundles of the version, for PyPI the provenance of each file (PEP 740). They are as they came: whether one holds, and about
// which digest, is for who verifies it, and Pin.Files has the digests that all of them must be about. A package without any
// fails with a *registry.Error of the kind NotFound, and any other error says that nobody knows. Types that have none fail
// with a *pkg.Unenforceable.
func (p *Packages) Attestations(ctx context.Context, pin *pkg.Pin) (map[string][]byte, error) {
	about := registry.Error{Name: "attestations of the " + string(pin.Type) + " package " + pin.Name, Version: pin.Version, Registry: pin.Base, Package: true}
	all := map[string][]byte{}
	switch pin.Type {
	case pkg.NPM:
		at, err := p.npmPlace(ctx, pin.Base, pin.Name)
		if err != nil {
			return nil, err
		}
		raw, err := p.get(ctx, at, join(at.base, "-/npm/v1/attestations", url.PathEscape(pin.Name+"@"+pin.Version)), "", about)
		if err != nil {
			return nil, err
		}
		all[pin.Files[0].Name] = raw
	case pkg.PyPI:
		for _, f := range pin.Files {
			if f.Attestations == "" { // an installer takes any of the files
				about.Kind, about.Detail = registry.NotFound, "none of "+f.Name
				return nil, &about
			}
			raw, err := p.get(ctx, place{base: f.Attestations, mine: p.minePyPI(pin.Base, f.Attestations)}, f.Attestations, "", about)
			if err != nil {
				return nil, err
			}
			all[f.Name] = raw
		}
	default:
		return nil, &pkg.Unenforceable{Reason: "registries of the type " + string(pin.Type) + " hold no attestations that are known"}
	}
	return all, nil
}
