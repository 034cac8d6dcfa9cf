package cli

import (
	"context"

	"github.com/mcpassay/mcpassay/internal/effect/registry"
	"github.com/mcpassay/mcpassay/internal/flow/find"
	"github.com/mcpassay/mcpassay/internal/flow/locking"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	model "github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/sign/bundle"
	"github.com/mcpassay/mcpassay/internal/sign/provenance"
)

// wantedRecords is a registry as flow/locking asks for it.
type wantedRecords struct{ find.Registry }

func (r wantedRecords) Version(ctx context.Context, name, version string) (*model.Record, error) {
	rec, _, err := r.Registry.Version(ctx, name, version)
	return rec, err
}

func (r wantedRecords) Versions(ctx context.Context, name string) ([]*model.Record, []model.Fault, error) {
	all, bad, _, err := r.Registry.Versions(ctx, name)
	return all, bad, err
}

// locker asks through the doors of a finder.
func (m *market) locker(f *find.Finder, p lock.Places) (*locking.Locker, error) {
	k := &locking.Locker{Registry: wantedRecords{f.Registry}, Base: f.Base, Offline: m.offline, Places: p, Limits: m.app.limits}
	k.Packages, _ = f.Packages.(*registry.Packages)
	k.Provenance = func(pin *pkg.Pin, docs map[string][]byte) lock.Provenance {
		return provenance.Of(pin, docs, bundle.PublicGood(), m.app.limits)
	}
	return k, nil
}
