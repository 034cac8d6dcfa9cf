package locking

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/model/recipe"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// Gates is what a lock's packages and records come to when they are held against what registries say now. No slice is nil.
type Gates struct {
	// Blocked and Provenance stop: of the bytes and records, and of who made a package.
	Blocked, Provenance []Refusal
	// Unenforceable are the servers whose bytes nothing holds, and why; Unpinned those that nobody asked yet what they expose.
	Unenforceable []Named
	Unpinned      []string
	// Notices are what should be known and stops nothing.
	Notices []Named
	// Checked are the packages with digests in the lock, Verified those of them that the registry has as they were locked;
	// CheckedNPM and VerifiedNPM are those of npm, NPM all of npm. CheckedProvenance are verified signers that were looked at.
	Checked, Verified, NPM, CheckedNPM, VerifiedNPM, CheckedProvenance int
}

// Named is a word about one server.
type Named struct {
	Name   string `json:"name"`
	Detail string `json:"detail"`
}

// Stops says whether a gate is shut.
func (g *Gates) Stops() bool { return len(g.Blocked)+len(g.Provenance) > 0 }

// Hold holds every package and record of a lock against the registries. declared are the servers of the project file, whose
// launches the lock must hold; nil where there is none. It is one function for verify and for an installation that is frozen.
func (k *Locker) Hold(ctx context.Context, l *lock.Lock, declared []project.Server) *Gates {
	g := &Gates{Blocked: []Refusal{}, Provenance: []Refusal{}, Unenforceable: []Named{}, Unpinned: []string{}, Notices: []Named{}}
	parts := make([]Gates, len(l.Servers))
	k.each(len(l.Servers), func(i int) {
		h := holding{Locker: k, gates: &parts[i], server: l.Servers[i], want: project.Server{Name: l.Servers[i].Name}}
		if at := slices.IndexFunc(declared, func(s project.Server) bool { return s.Name == h.want.Name }); at >= 0 {
			h.want, h.declared = declared[at], true
		}
		h.run(ctx)
	})
	for i := range parts {
		p := &parts[i]
		g.Blocked, g.Provenance = append(g.Blocked, p.Blocked...), append(g.Provenance, p.Provenance...)
		g.Unenforceable, g.Unpinned, g.Notices = append(g.Unenforceable, p.Unenforceable...), append(g.Unpinned, p.Unpinned...), append(g.Notices, p.Notices...)
		g.Checked, g.Verified, g.NPM = g.Checked+p.Checked, g.Verified+p.Verified, g.NPM+p.NPM
		g.CheckedNPM, g.VerifiedNPM, g.CheckedProvenance = g.CheckedNPM+p.CheckedNPM, g.VerifiedNPM+p.VerifiedNPM, g.CheckedProvenance+p.CheckedProvenance
	}
	return g
}

// holding is one server of a lock that is held against the registries.
type holding struct {
	*Locker
	gates    *Gates
	server   *lock.Server
	want     project.Server
	declared bool
}

func (h *holding) refusalOf(reason Reason, format string, args ...any) Refusal {
	r := Refusal{Name: h.server.Name, Reason: reason, Detail: h.words(fmt.Sprintf(format, args...))}
	if p := h.server.Package; p != nil {
		r.Identifier, r.Version = h.words(p.Identifier), h.words(p.Version)
	}
	return r
}

func (h *holding) block(reason Reason, format string, args ...any) {
	h.gates.Blocked = append(h.gates.Blocked, h.refusalOf(reason, format, args...))
}

func (h *holding) unmade(reason Reason, format string, args ...any) {
	h.gates.Provenance = append(h.gates.Provenance, h.refusalOf(reason, format, args...))
}

// failed blocks because something could not be had.
func (h *holding) failed(err error) {
	r := h.refusal(h.server.Name, err)
	if r.Reason == Unresolved || r.Reason == NotFound {
		r.Reason = CouldNotVerify
	}
	at := h.refusalOf(r.Reason, "%s", r.Detail)
	at.Hint = r.Hint
	h.gates.Blocked = append(h.gates.Blocked, at)
}

func (h *holding) notice(format string, args ...any) {
	h.gates.Notices = append(h.gates.Notices, Named{h.server.Name, h.words(fmt.Sprintf(format, args...))})
}

func (h *holding) run(ctx context.Context) {
	s := h.server
	if s.Unpinned {
		h.gates.Unpinned = append(h.gates.Unpinned, s.Name)
	}
	if s.Package == nil && (s.Record != nil || s.Unpinned) {
		what := "a command that is no package: nothing holds its bytes"
		if s.Launch.URL != "" {
			what = "an address: what answers there is held to nothing"
		}
		h.gates.Unenforceable = append(h.gates.Unenforceable, Named{s.Name, what})
	}
	var rec *registry.Record
	if s.Record != nil {
		var ok bool
		if rec, ok = h.record(ctx); !ok {
			return
		}
	}
	var of *registry.Package
	if rec != nil {
		if of = h.chosen(rec); of == nil && s.Package != nil {
			return
		}
	}
	if s.Package != nil {
		h.pack(ctx, of)
	} else if h.declared && (h.want.Kind == project.Remote || h.want.Kind == project.Command) {
		h.launch(recipe.Declared(&h.want))
	}
}

// record holds the record of an entry against what the registry has. It answers false where nothing can follow from it.
func (h *holding) record(ctx context.Context) (*registry.Record, bool) {
	r := h.server.Record
	rec, err := h.one(ctx, r)
	if err != nil {
		if e := (*registry.Error)(nil); errors.As(err, &e) && e.Kind == registry.NotFound && r.Registry != written(h.Base) {
			h.block(CouldNotVerify, "the registry %s has no %s %s, which was locked from %s: name that with --registry", written(h.Base), r.Name, r.Version, r.Registry)
			return nil, false
		}
		h.failed(err)
		return nil, false
	}
	if rec.Deleted() {
		h.block(Deleted, "%s %s was deleted from the registry: %s", r.Name, r.Version, h.words(rec.Official.Message))
		return nil, false
	}
	if digest, err := recordDigest(rec); err != nil || digest != r.Digest {
		h.block(RecordChanged, "the record of %s %s is another than when it was locked", r.Name, r.Version)
		return nil, false
	}
	if rec.Official.Status != registry.Active {
		h.notice("%s", h.status(rec))
	}
	return rec, true
}

// one asks for a record. Where nobody is to be asked, the list of versions that a lock was made of holds it too.
func (h *holding) one(ctx context.Context, r *lock.Record) (*registry.Record, error) {
	rec, err := h.Registry.Version(ctx, r.Name, r.Version)
	var e *registry.Error
	if !errors.As(err, &e) || e.Kind != registry.NotCached {
		return rec, err
	}
	all, _, again := h.Registry.Versions(ctx, r.Name)
	if i := slices.IndexFunc(all, func(o *registry.Record) bool { return o.Version == r.Version }); again == nil && i >= 0 {
		return all[i], nil
	}
	return nil, err
}

// chosen is the package of a record that an entry must hold, nil for none. A record whose address was locked is held here.
func (h *holding) chosen(rec *registry.Record) *registry.Package {
	c, err := recipe.Choose(rec)
	switch p := h.server.Package; {
	case err != nil:
		h.block(RecordChanged, "%s", err)
	case c.Remote != nil && p != nil, c.Package != nil && p == nil:
		h.block(RecordChanged, "its record comes to something else than the lock holds")
	case c.Remote != nil:
		made, err := recipe.Remote(c.Remote, &h.want)
		if err != nil {
			h.block(RecordChanged, "%s", err)
			return nil
		}
		h.launch(made)
	case string(p.Type) != c.Package.Type, p.Identifier != lockedName(p.Type, c.Package.Identifier), p.Type != pkg.OCI && p.Version != c.Package.Version:
		h.block(RecordChanged, "its record names the package %s %s %s, and the lock holds %s", c.Package.Type, c.Package.Identifier, c.Package.Version, h.server.Locked())
	default:
		return c.Package
	}
	return nil
}

// launch holds the launch of an entry against what record and project file come to. Of a server that is not declared only the
// project file would know what it adds.
func (h *holding) launch(made *recipe.Made) {
	want, err := lock.LaunchOfSpec(made.Spec, h.Places)
	if err != nil {
		h.block(Launch, "its launch can not be what the lock holds: %s", err)
		return
	}
	is := h.server.Launch
	if r := h.server.Record; r != nil { // what is written into clients is held too
		for name, v := range r.Values {
			if given, ok := made.Values[name]; !ok || given != v {
				h.block(Launch, "the lock gives %s another value than its record and mcpassay.yaml: mcpassay lock writes it anew", name)
				return
			}
		}
		if h.declared && len(r.Values) != len(made.Values) {
			h.block(Launch, "the lock leaves values out that its record gives: mcpassay lock writes it anew")
			return
		}
	}
	if h.declared && is.Equal(want) || !h.declared && begins(is, want) {
		return
	}
	h.block(Launch, "the lock starts or reaches something else than its record and mcpassay.yaml come to: mcpassay lock writes it anew")
}

// begins says whether a launch is another with arguments, variables and headers that a project file may add.
func begins(is, want lock.Launch) bool {
	holds := func(all, some []string) bool {
		return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
	}
	return is.Transport == want.Transport && is.Command == want.Command && is.Cwd == want.Cwd && is.EnvFile == want.EnvFile && is.URL == want.URL && len(is.Values) == 0 &&
		len(is.Args) >= len(want.Args) && slices.Equal(is.Args[:len(want.Args)], want.Args) && holds(is.Env, want.Env) && holds(is.Headers, want.Headers) &&
		(is.Transport == string(client.Stdio) || slices.Equal(is.Args, want.Args))
}

// pack holds a package against its registry.
func (h *holding) pack(ctx context.Context, of *registry.Package) {
	p := h.server.Package
	name, want := pinned(p)
	base, digest := "", ""
	if of == nil {
		of = &registry.Package{Type: string(p.Type), Identifier: p.Identifier, Version: p.Version}
	}
	base, digest = of.BaseURL, of.FileSHA256
	if base == "" && h.Offline {
		base = p.Registry // who asks nobody looks where somebody was asked
	}
	isNPM := p.Type == pkg.NPM
	if isNPM {
		h.gates.NPM++
	}
	if len(p.Files) > 0 {
		h.gates.Checked++
		if isNPM {
			h.gates.CheckedNPM++
		}
	}
	// What it is started as is held to what it is locked as, whatever its registry says.
	if made, err := recipe.Local(of, pinOf(p), &h.want); err != nil {
		h.block(RecordChanged, "%s", err)
		return
	} else {
		h.launch(made)
	}
	pin, err := h.Packages.Resolve(ctx, p.Type, base, name, want, digest)
	var un *pkg.Unenforceable
	switch {
	case errors.As(err, &un) && len(p.Files) == 0:
		h.gates.Unenforceable = append(h.gates.Unenforceable, Named{h.server.Name, fmt.Sprintf("%s: %s", p.Type, h.words(un.Reason))})
		return
	case errors.As(err, &un):
		h.block(Format, "its bytes were locked, and now %s", un.Reason)
		return
	case err != nil:
		h.failed(err)
		return
	case len(p.Files) == 0:
		h.block(MissingBase, "the lock holds no digest of its package, and its registry has one: mcpassay lock writes it down")
		return
	}
	if reason, detail := compare(p.Files, pin); reason != "" {
		h.block(reason, "%s", detail)
		return
	}
	h.gates.Verified++
	if isNPM {
		h.gates.VerifiedNPM++
	}
	if pin.Shadow != "" {
		h.gates.Unenforceable = append(h.gates.Unenforceable, Named{h.server.Name, h.words(shadowed(pin))})
	}
	if pin.Yanked {
		h.notice("its package was taken back by who published it")
	}
	if p.Provenance.Status == lock.Verified {
		h.provenance(ctx, pin)
	}
}

// shadowed says that what is run is not what was asked about.
func shadowed(pin *pkg.Pin) string {
	return "npx runs " + pin.Shadow + " of this project in place of what the registry has: nothing holds its bytes"
}

// provenance looks again at who made a package that was verified once.
func (h *holding) provenance(ctx context.Context, pin *pkg.Pin) {
	h.gates.CheckedProvenance++
	was := h.server.Package
	held := *pin // the digests are those of the lock
	held.Files = slices.Clone(pin.Files)
	for i := range held.Files {
		for _, f := range was.Files {
			if f.Name == held.Files[i].Name {
				held.Files[i].Hashes = f.Sums()
			}
		}
	}
	now, err := h.attested(ctx, &held)
	switch {
	case err != nil:
		r := h.refusal(h.server.Name, err)
		h.unmade(Unverifiable, "its attestations could not be had: %s", r.Detail)
	case now.Status == lock.Unsigned, now.Status == lock.Unsupported, now.Status == "":
		h.unmade(Regression, "it was built by %s when it was locked, and now nothing says who made it: %s", was.Provenance.Signer, now.Reason)
	case now.Status != lock.Verified:
		h.unmade(Unverifiable, "its attestations do not hold: %s", now.Reason)
	case !now.Same(was.Provenance):
		h.unmade(SignerChanged, "it was built by %s when it was locked, and now %s says so", was.Provenance.Signer, now.Signer)
	}
}

// pinOf is a locked package as a pin.
func pinOf(p *lock.Package) *pkg.Pin {
	pin := &pkg.Pin{Type: p.Type, Base: p.Registry, Name: p.Identifier, Version: p.Version}
	for _, f := range p.Files {
		pin.Files = append(pin.Files, pkg.File{Name: f.Name, Hashes: f.Sums()})
	}
	return pin
}
