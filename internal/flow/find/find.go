// Package find answers what a registry has: it searches, describes a server, and says why one is judged as it is. It asks
// through interfaces of its own, runs nothing, and what it gives is ready to be printed: a stranger's words are masked, made
// safe and cut.
package find

import (
	"context"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Registry is an MCP registry.
type Registry interface {
	Search(ctx context.Context, term string, most int, deleted bool) (all []*registry.Record, bad []registry.Fault, more bool, asked Asked, err error)
	Version(ctx context.Context, name, version string) (*registry.Record, Asked, error)
	Versions(ctx context.Context, name string) (all []*registry.Record, bad []registry.Fault, asked Asked, err error)
}

// Packages are the registries of packages.
type Packages interface {
	// Pin finds what is known of the bytes of a package of a record.
	Pin(ctx context.Context, p registry.Package) (*pkg.Pin, error)
}

// Asked says when a registry last said something, and whether that was read from disk.
type Asked struct {
	At   time.Time
	Kept bool
}

// Finder asks and judges.
type Finder struct {
	Registry Registry
	Packages Packages // for Why
	// Base is the registry's URL, for the answer.
	Base   string
	Facts  rule.Facts
	Now    func() time.Time
	Limits limits.Set
}

// Search finds servers by a part of their name.
func (f *Finder) Search(ctx context.Context, term string, most int, deleted bool) (*Found, error) {
	all, bad, more, asked, err := f.Registry.Search(ctx, term, most, deleted)
	if err != nil {
		return nil, err
	}
	out := &Found{SchemaVersion: 1, Source: f.source(asked), Servers: []Row{}, More: more, Unread: f.faults(bad)}
	for _, r := range all {
		s := f.judge(r)
		out.Servers = append(out.Servers, Row{Head: f.head(r), TrustScore: s.Score.Score, MaxPossible: s.MaxPossible, Level: s.Level, Assessment: s.assessment()})
	}
	return out, nil
}

// one is the record that a name and a version mean.
func (f *Finder) one(ctx context.Context, name, want string) (*registry.Record, []*registry.Record, []registry.Fault, Asked, error) {
	all, bad, asked, err := f.Registry.Versions(ctx, name)
	if err != nil {
		return nil, nil, nil, asked, err
	}
	rec := registry.Pick(all, want)
	if rec == nil && (want == "" || registry.LooksLatest(want)) { // all of them are deleted
		registry.Newest(all)
		for _, r := range all {
			if r.Deleted() {
				rec = r
				break
			}
		}
	}
	if rec == nil {
		return nil, all, bad, asked, &registry.Error{Kind: registry.NotFound, Registry: f.Base, Name: name, Version: want}
	}
	return rec, all, bad, asked, nil
}

// Info describes one version of a server: want is a version, a range, or "" for the latest.
func (f *Finder) Info(ctx context.Context, name, want string) (*Info, error) {
	rec, all, bad, asked, err := f.one(ctx, name, want)
	if err != nil {
		return nil, err
	}
	return f.info(rec, all, bad, asked), nil
}

func (f *Finder) info(rec *registry.Record, all []*registry.Record, bad []registry.Fault, asked Asked) *Info {
	s := f.judge(rec)
	out := &Info{SchemaVersion: 1, Source: f.source(asked), Head: f.head(rec), TrustScore: s.Score, Assessment: s.assessment(),
		Repository: f.url(rec.Repository.URL), Website: f.url(rec.Website), Packages: []Package{}, Remotes: []Remote{}, Versions: []Version{}, Faults: f.faults(rec.Faults), Unread: f.faults(bad)}
	for _, p := range rec.Packages {
		out.Packages = append(out.Packages, f.pack(p))
	}
	for _, t := range rec.Remotes {
		out.Remotes = append(out.Remotes, Remote{Type: f.words(t.Type), URL: f.url(t.URL), Headers: f.inputs(t.Headers), Variables: f.inputs(t.Variables)})
	}
	registry.Newest(all)
	for _, r := range all {
		out.Versions = append(out.Versions, Version{Version: f.words(r.Version), Status: f.words(string(r.Official.Status)), Published: when(r.Official.Published)})
	}
	return out
}

// Why says what the judgement on a server is made of: beside what Info knows, the age of the release and what the registries
// of its packages say.
func (f *Finder) Why(ctx context.Context, name, want string) (*Why, error) {
	rec, all, bad, asked, err := f.one(ctx, name, want)
	if err != nil {
		return nil, err
	}
	s := f.judge(rec)
	s.cooldown(rec)
	out := &Why{Info: f.info(rec, all, bad, asked)}
	for _, p := range rec.Packages {
		pin, err := f.Packages.Pin(ctx, p)
		out.Pins = append(out.Pins, f.pin(p, pin, err))
		s.pinned(pin, err)
	}
	if len(rec.Packages) == 0 {
		s.unpackaged()
	}
	out.tell(s)
	return out, nil
}

// Trust is the score of a record and what the checks that ran could have reached. Its packages are not asked for: what is known
// of them is held to install's own gates.
func (f *Finder) Trust(r *registry.Record) (score, reach int) {
	j := f.judge(r)
	j.cooldown(r)
	j.add()
	return j.Score.Score, trust.Ceiling
}

// source says who was asked, and when.
func (f *Finder) source(a Asked) Source {
	s := Source{Registry: f.url(f.Base), Asked: when(a.At), Kept: a.Kept}
	if a.Kept {
		s.AgeSeconds = int64(f.Now().Sub(a.At) / time.Second)
	}
	return s
}

func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// words are a stranger's, for an output.
func (f *Finder) words(s string) string { return text.Line(secret.Mask(s), f.Limits.ShownRunes) }

func (f *Finder) url(s string) string {
	return text.Line(secret.Mask(secret.MaskURL(s)), f.Limits.ShownURLRunes)
}

func (f *Finder) faults(all []registry.Fault) []string {
	out := []string{}
	for _, one := range all {
		if len(out) == f.Limits.ShownFaults {
			break
		}
		out = append(out, f.words(one.String()))
	}
	return out
}
