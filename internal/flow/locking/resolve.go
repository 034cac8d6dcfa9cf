package locking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/model/recipe"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// Entry is one server as it would be locked, with what it was made of.
type Entry struct {
	// Server has no surface: what is in the lock of an unchanged launch stays when it is applied.
	Server *lock.Server
	Want   project.Server
	// Record is its record, Package the package of it that is taken, Pin what its registry says; nil for none.
	Record  *registry.Record
	Package *registry.Package
	Pin     *pkg.Pin
	Made    *recipe.Made
	// Notices are what should be known and stops nothing.
	Notices []string
	// Unenforceable is why nothing holds the bytes, "" for a pin.
	Unenforceable string
	// kept says that the entry of the lock stays as it is: the project file does not say what it is.
	kept bool
}

// Resolve finds what each server is: its version, its record, the digests of its package, who made that, its launch. The
// version that a lock holds stays while it is what is wanted and is not deleted; upgrade takes the newest that is. Either all
// are found or the error is a *RefusedError.
func (k *Locker) Resolve(ctx context.Context, was *lock.Lock, servers []project.Server, upgrade bool) ([]*Entry, error) {
	all := make([]*Entry, len(servers))
	refused := make([]*Refusal, len(servers))
	k.each(len(servers), func(i int) {
		e, err := k.one(ctx, was.Get(servers[i].Name), servers[i], upgrade)
		if err == nil {
			all[i] = e
			return
		}
		r := k.refusal(servers[i].Name, err)
		refused[i] = &r
	})
	var bad []Refusal
	for _, r := range refused {
		if r != nil {
			bad = append(bad, *r)
		}
	}
	if len(bad) > 0 {
		return nil, &RefusedError{bad}
	}
	slices.SortFunc(all, func(a, b *Entry) int { return strings.Compare(a.Want.Name, b.Want.Name) })
	return all, nil
}

// one resolves one server. held is its entry, whose version is kept where it can be, and need not be upgraded.
func (k *Locker) one(ctx context.Context, held *lock.Server, s project.Server, upgrade bool) (e *Entry, err error) {
	old := held
	if upgrade {
		old = nil
	}
	e = &Entry{Want: s, Server: &lock.Server{Name: s.Name, Unpinned: true}}
	if err := lock.CheckName(s.Name); err != nil {
		return nil, err
	}
	switch s.Kind {
	case project.Registry:
		err = k.recorded(ctx, old, e)
	case project.Package:
		if err := recipe.Startable(pkg.Type(s.Type)); err != nil {
			return nil, err // nobody is asked for what could not be started
		}
		want := s.Version
		if old != nil && old.Record == nil && Is(old.Package, s) && s.Type != string(pkg.OCI) {
			want = old.Package.Version
		}
		err = k.packaged(ctx, e, registry.Package{Type: s.Type, Identifier: s.Identifier, Version: want})
	case project.Remote, project.Command:
		e.Made = recipe.Declared(&s)
	default:
		if held == nil {
			return nil, errors.New("mcpassay.yaml says its name alone, and that is none of the registry's: give it a package, a url or a command")
		}
		e.kept = true
		return e, nil
	}
	if err != nil {
		return nil, err
	}
	if e.Server.Launch, err = lock.LaunchOfSpec(e.Made.Spec, k.Places); err != nil {
		return nil, err
	}
	return e, nil
}

// lockedName is the identifier under which a package is locked.
func lockedName(t pkg.Type, identifier string) string {
	if t == pkg.OCI {
		return image(identifier)
	}
	return identifier
}

// wants says whether a version is what a range means.
func wants(t pkg.Type, want, version string) bool {
	if want == "" || registry.LooksLatest(want) {
		return true
	}
	best, err := pkg.Best(t, []string{version}, want)
	return err == nil && best == version
}

// Satisfies says whether a version of a record is what a project file wants of it.
func Satisfies(want, version string) bool { return wants(pkg.NPM, want, version) }

// Is says whether a locked package is the one that a project file names.
func Is(p *lock.Package, s project.Server) bool {
	t := pkg.Type(s.Type)
	if p == nil || p.Type != t || p.Identifier != lockedName(t, s.Identifier) {
		return false
	}
	if t == pkg.OCI { // a tag is no version that could be compared
		return s.Version == "" || registry.LooksLatest(s.Version) || s.Version == p.Version
	}
	return wants(t, s.Version, p.Version)
}

var errLatest = errors.New("its record says latest where a version should be: nothing can be pinned by that")

// recorded resolves a server of the MCP registry.
func (k *Locker) recorded(ctx context.Context, old *lock.Server, e *Entry) error {
	s := e.Want
	all, bad, err := k.Registry.Versions(ctx, s.Of)
	if err != nil {
		return err
	}
	about := registry.Error{Registry: k.Base, Name: s.Of, Version: s.Version}
	var rec *registry.Record
	if old != nil && old.Record != nil && old.Record.Name == s.Of && Satisfies(s.Version, old.Record.Version) {
		i := slices.IndexFunc(all, func(r *registry.Record) bool { return r.Version == old.Record.Version && !r.Deleted() })
		if i >= 0 {
			rec = all[i]
		}
	}
	if rec == nil {
		rec = registry.Pick(all, s.Version)
	}
	exact := rec != nil && rec.Version == s.Version
	switch {
	case rec == nil && len(bad) == 0 && len(all) > 0 && !slices.ContainsFunc(all, func(r *registry.Record) bool { return !r.Deleted() }):
		about.Kind, about.Detail = registry.Deleted, all[0].Official.Message
		return &about
	case len(bad) > 0 && !exact:
		about.Kind, about.Detail = registry.Malformed, fmt.Sprintf("%d of its versions can not be read, and one of them may be what is wanted: %s", len(bad), bad[0])
		return &about
	case rec == nil && slices.ContainsFunc(all, func(r *registry.Record) bool { return !r.Deleted() && registry.LooksLatest(r.Version) }):
		return errLatest
	case rec == nil:
		about.Kind = registry.NotFound
		return &about
	case rec.Deleted():
		about.Kind, about.Version, about.Detail = registry.Deleted, rec.Version, rec.Official.Message
		return &about
	case registry.LooksLatest(rec.Version):
		return errLatest
	}
	if err := k.take(e, rec); err != nil {
		return err
	}
	if rec.Official.Status != registry.Active {
		e.Notices = append(e.Notices, k.status(rec))
	}
	c, err := recipe.Choose(rec)
	if err != nil {
		return err
	}
	if c.Remote != nil {
		e.Made, err = recipe.Remote(c.Remote, &e.Want)
	} else {
		err = k.packaged(ctx, e, *c.Package)
	}
	if err != nil {
		return err
	}
	e.Server.Record.Values = e.Made.Values
	return nil
}

// status says in words what the registry calls a record.
func (k *Locker) status(rec *registry.Record) string {
	s := fmt.Sprintf("%s %s is %s", rec.Name, rec.Version, cmp.Or(k.words(string(rec.Official.Status)), "of no known status"))
	if m := k.words(rec.Official.Message); m != "" {
		s += ": " + m
	}
	return s
}

// take writes a record down. Of one that was read in part nobody knows what it wants.
func (k *Locker) take(e *Entry, rec *registry.Record) error {
	for _, f := range rec.Faults {
		if strings.HasPrefix(f.Pointer, "/packages") || strings.HasPrefix(f.Pointer, "/remotes") {
			return fmt.Errorf("its record can not be read whole (%s)", f)
		}
	}
	digest, err := recordDigest(rec)
	if err != nil {
		return fmt.Errorf("its record has no one meaning: %w", err)
	}
	e.Record = rec
	e.Server.Record = &lock.Record{Name: rec.Name, Version: rec.Version, Registry: written(k.Base), Status: string(rec.Official.Status), Digest: digest}
	return nil
}

func recordDigest(rec *registry.Record) (string, error) {
	form, err := canon.JSON(rec.Node.Raw())
	if err != nil {
		return "", err
	}
	return canon.Digest(form), nil
}

// packaged resolves a package. Its version may be a range where the project file names the package itself.
func (k *Locker) packaged(ctx context.Context, e *Entry, p registry.Package) error {
	t := pkg.Type(p.Type)
	e.Package = &p
	switch {
	case t == pkg.OCI:
		im, err := pkg.ParseImage(p.Identifier)
		if err != nil {
			return fmt.Errorf("its image is %w", err)
		}
		if im.Tag == "" && im.Digest == "" {
			if p.Version == "" || registry.LooksLatest(p.Version) {
				return errors.New("its image has neither a tag nor a digest")
			}
			p.Identifier += ":" + p.Version
		}
	case e.Record == nil:
	case p.Version == "":
		return errors.New("its record names no version of its package")
	case !pkg.IsVersion(t, p.Version):
		return fmt.Errorf("its record gives its package the version %q, which is none", p.Version)
	}
	pin, err := k.Packages.Resolve(ctx, t, p.BaseURL, p.Identifier, p.Version, p.FileSHA256)
	var un *pkg.Unenforceable
	if errors.As(err, &un) && p.Version != "" && pkg.IsVersion(t, p.Version) && t != pkg.OCI {
		e.Unenforceable = k.words(un.Reason)
		pin, err = &pkg.Pin{Type: t, Name: p.Identifier, Version: p.Version}, nil
	}
	if err != nil {
		return err
	}
	if t == pkg.OCI {
		if len(pin.Files) != 1 || len(pin.Files[0].Hashes) != 1 {
			return errors.New("its image is known by no digest")
		}
		digest := pin.Files[0].Hashes[0].String()
		if pin.Version == "" || registry.LooksLatest(pin.Version) {
			pin.Version = digest
		}
		// By its digest it is what is run, so that it must be there; and so that what is kept answers for it offline.
		if _, err := k.Packages.Resolve(ctx, t, p.BaseURL, image(p.Identifier)+"@"+digest, "", ""); err != nil {
			return err
		}
	}
	var who lock.Provenance
	if len(pin.Files) > 0 {
		if who, err = k.attested(ctx, pin); err != nil {
			return err
		}
	}
	if who.Status == lock.CouldNotVerify {
		e.Notices = append(e.Notices, "its attestations do not hold: "+who.Reason)
	}
	e.Pin = pin
	e.Server.Package = lock.PackageOf(pin, lockedName(t, p.Identifier), written(pin.Base), who)
	if pin.Shadow != "" {
		e.Notices = append(e.Notices, k.words(shadowed(pin)))
	}
	if pin.Deprecated != "" || pin.Yanked {
		e.Notices = append(e.Notices, fmt.Sprintf("its package is %s: %s", map[bool]string{true: "yanked", false: "deprecated"}[pin.Yanked], cmp.Or(k.words(pin.Deprecated), "its registry gives no reason")))
	}
	e.Made, err = recipe.Local(&p, pin, &e.Want)
	return err
}
