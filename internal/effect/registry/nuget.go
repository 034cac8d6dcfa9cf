package registry

import (
	"context"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// nuget goes from the service index over the registration of a version to the catalog, which has the digest.
func (p *Packages) nuget(ctx context.Context, base, id, want string, about registry.Error) (*pkg.Pin, error) {
	if !pkg.GoodNuGet(id) {
		about.Kind, about.Detail = registry.NotFound, "no id of a package"
		return nil, &about
	}
	at := place{base: nugetIndex}
	if trimmed := strings.TrimRight(base, "/"); trimmed != "" && spoken[trimmed] == "" {
		at.base = base
	}
	raw, err := p.get(ctx, at, at.base, "", about)
	if err != nil {
		return nil, err
	}
	content, registrations, err := pkg.NuGetResources(raw, p.Limits)
	if err != nil {
		return nil, bad(about, at, err)
	}
	lower := strings.ToLower(id)
	if raw, err = p.get(ctx, place{base: content}, join(content, lower, "index.json"), "", about); err != nil {
		return nil, err
	}
	all, err := pkg.NuGetVersions(raw, p.Limits)
	if err != nil {
		return nil, bad(about, at, err)
	}
	version, err := pkg.Best(pkg.NuGet, all, want)
	if err != nil {
		return nil, bad(about, at, err)
	}
	if raw, err = p.get(ctx, place{base: registrations}, join(registrations, lower, strings.ToLower(version)+".json"), "", about); err != nil {
		return nil, err
	}
	entry, file, err := pkg.NuGetLeaf(raw, p.Limits)
	if err != nil {
		return nil, bad(about, at, err)
	}
	if raw, err = p.get(ctx, place{base: entry}, entry, "", about); err != nil {
		return nil, err
	}
	pin, err := pkg.ReadNuGet(raw, id, version, file, p.Limits)
	if err != nil {
		return nil, bad(about, at, err)
	}
	pin.Base = at.base
	return pin, nil
}
