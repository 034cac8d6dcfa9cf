package registry

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/effect/net"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Packages asks the registries of packages by what their bytes are known. It may be used concurrently.
type Packages struct {
	// Net is what a person allows of the network. Its Named and Credentials are set here, for each place by itself.
	Net     net.Options
	Cache   *Cache
	Offline bool
	Now     func() time.Time
	// Getenv looks up a variable, Environ lists them all (nil where only Getenv knows); ReadFile reads a file of settings, and
	// fails where there is none.
	Getenv   func(string) string
	Environ  func() []string
	ReadFile func(path string) ([]byte, error)
	// Home and Project are the folders that npm's settings are in, "" for none.
	Home, Project string
	// NPM asks the user's npm for its registry ("npm config get registry"), nil where it must not be started.
	NPM func(ctx context.Context) (string, error)
	// Kept is told when an answer was asked for that is taken from disk, as nobody may be asked; nil where nobody wants to know.
	Kept   func(asked time.Time)
	Limits limits.Set

	mu    sync.Mutex
	doors map[string]*net.Door
	rc    *npmSettings
	asked *string // what NPM said
}

// place is where something is asked. Mine says that the user's own settings or flags name it: it may be this machine.
type place struct {
	base  string
	mine  bool
	token string
}

// door is the door to a place. What one is given reaches no other.
func (p *Packages) door(at place) (*net.Door, error) {
	u, err := url.Parse(at.base)
	if err != nil {
		return nil, errors.New("the URL of the registry can not be read")
	}
	origin, ok := wire.Origin(u)
	if !ok {
		return nil, errors.New("the URL of the registry is not http:// or https:// with a host")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	key := fmt.Sprint(origin, at.mine, at.token)
	if d := p.doors[key]; d != nil {
		return d, nil
	}
	opt := p.Net
	opt.Limits = p.Limits
	if at.mine {
		opt.Named = at.base
	}
	if at.token != "" {
		c, err := net.Bearer(at.base, at.token)
		if err != nil {
			return nil, err
		}
		opt.Credentials = []net.Credential{c}
	}
	d, err := net.New(opt)
	if err != nil {
		return nil, err
	}
	if p.doors == nil {
		p.doors = map[string]*net.Door{}
	}
	p.doors[key] = d
	return d, nil
}

// Close ends the connections.
func (p *Packages) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range p.doors {
		d.Close()
	}
}

// ask prepares a question to a place. accept is the type of the answer, JSON where it is "". Answers of a place with a token
// are not kept: they may be for this user alone.
func (p *Packages) ask(at place, accept string, about registry.Error) (*asking, error) {
	about.Registry = at.base
	d, err := p.door(at)
	if err != nil {
		about.Kind, about.Detail = registry.Refused, err.Error()
		return nil, &about
	}
	k := &asking{door: d, cache: p.Cache, offline: p.Offline, now: p.Now, lim: p.Limits, about: about, accept: accept}
	if at.token != "" {
		k.cache = nil
	}
	return k, nil
}

// get asks for a document.
func (p *Packages) get(ctx context.Context, at place, address, accept string, about registry.Error) ([]byte, error) {
	k, err := p.ask(at, accept, about)
	if err != nil {
		return nil, err
	}
	body, from, err := k.get(ctx, address, 0)
	p.told(from, err)
	return body, err
}

// told says how old an answer is that was kept.
func (p *Packages) told(from Origin, err error) {
	if err == nil && from.Kept && p.Kept != nil {
		p.Kept(from.Asked)
	}
}

// bad is an answer of a registry that can not be used.
func bad(about registry.Error, at place, err error) error {
	var un *pkg.Unenforceable
	if errors.As(err, &un) {
		return un
	}
	about.Kind, about.Registry, about.Detail = registry.Malformed, at.base, err.Error()
	if errors.Is(err, pkg.ErrNone) {
		about.Kind, about.Detail = registry.NotFound, ""
	}
	return &about
}

// Pin finds what is known of the bytes of a package of a record.
func (p *Packages) Pin(ctx context.Context, r registry.Package) (*pkg.Pin, error) {
	if r.Version != "" && registry.LooksLatest(r.Version) {
		return nil, &pkg.Unenforceable{Reason: "its record says latest, which is no version"}
	}
	return p.Resolve(ctx, pkg.Type(r.Type), r.BaseURL, r.Identifier, r.Version, r.FileSHA256)
}

// Resolve finds the version that want means (a version, a range, a tag; "" for the latest) and what is known of its bytes.
// base is the registry that a record names, "" for none: a setting of the user goes before it, as it does when the package
// is installed. digest is the SHA-256 that a record gives, "" for none. The error is a *registry.Error, or a
// *pkg.Unenforceable where the bytes can not be held to anything.
func (p *Packages) Resolve(ctx context.Context, t pkg.Type, base, name, want, digest string) (*pkg.Pin, error) {
	about := registry.Error{Name: string(t) + " package " + name, Version: want, Package: true}
	switch t {
	case pkg.NPM:
		return p.npm(ctx, base, name, want, about)
	case pkg.PyPI:
		return p.pypi(ctx, base, name, want, about)
	case pkg.OCI:
		return p.oci(ctx, name, about)
	case pkg.NuGet:
		return p.nuget(ctx, base, name, want, about)
	case pkg.Cargo:
		return p.cargo(ctx, base, name, want, about)
	case pkg.MCPB:
		return p.mcpb(ctx, name, want, digest, about)
	}
	return nil, &pkg.Unenforceable{Reason: fmt.Sprintf("packages of the type %q are not known", t)}
}

// join puts a path behind a base.
func join(base string, parts ...string) string {
	return strings.TrimRight(base, "/") + "/" + strings.Join(parts, "/")
}
