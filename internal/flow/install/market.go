package install

import (
	"context"
	"errors"

	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// Market is who is asked what is known of a server.
type Market interface {
	// Version gives a version of a server, a deleted one too.
	Version(ctx context.Context, name, version string) (*registry.Record, error)
	// Pin gives what the registry of a package says of it.
	Pin(ctx context.Context, p registry.Package) (*pkg.Pin, error)
	// Trust is the score of a record, and what the checks that ran could have reached.
	Trust(r *registry.Record) (score, reach int)
}

// Look asks what the gates must know of a server that is locked. A record that can not be had is an error: whether it was
// deleted is then not known.
func Look(ctx context.Context, m Market, in project.Install, s *project.Server, e *lock.Server) (out Subject, err error) {
	out = Subject{Server: *s, URL: e.Launch.URL}
	if e.Record != nil {
		if out.Record, err = m.Version(ctx, e.Record.Name, e.Record.Version); err != nil {
			return out, err
		}
		if in.MinTrust > 0 {
			out.Score, out.Reach = m.Trust(out.Record)
		}
	}
	p := e.Package
	if p == nil {
		return out, nil
	}
	out.Type, out.Identifier = p.Type, p.Identifier
	if !in.BlockInstallScripts && in.MinReleaseAge == 0 || p.Type == pkg.OCI {
		return out, nil
	}
	out.Pin, err = m.Pin(ctx, registry.Package{Type: string(p.Type), BaseURL: p.Registry, Identifier: p.Identifier, Version: p.Version})
	var un *pkg.Unenforceable
	if errors.As(err, &un) {
		err = nil
	}
	return out, err
}
