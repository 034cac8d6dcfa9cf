package registry

import (
	"context"
	"net/url"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// cargo asks a sparse index.
func (p *Packages) cargo(ctx context.Context, base, name, want string, about registry.Error) (*pkg.Pin, error) {
	if !pkg.GoodCargo(name) {
		about.Kind, about.Detail = registry.NotFound, "no name of a crate"
		return nil, &about
	}
	at := place{base: cargoIndex}
	if trimmed := strings.TrimRight(strings.TrimPrefix(base, "sparse+"), "/"); trimmed != "" && spoken[trimmed] == "" {
		at.base = trimmed
	}
	raw, err := p.get(ctx, at, join(at.base, pkg.CargoPath(name)), plainText, about)
	if err != nil {
		return nil, err
	}
	pin, err := pkg.ReadCargo(raw, name, want, p.Limits)
	if err != nil {
		return nil, bad(about, at, err)
	}
	pin.Base = at.base
	if at.base == cargoIndex { // another registry says in its config.json where its files are
		pin.Files[0].URL = join(cratesFiles, url.PathEscape(pin.Name), url.PathEscape(pin.Files[0].Name))
	}
	return pin, nil
}
