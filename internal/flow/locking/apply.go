package locking

import (
	"fmt"
	"slices"

	"github.com/mcpassay/mcpassay/internal/model/lock"
)

// Change is what became of a server in a lock.
type Change struct {
	Name string `json:"name"`
	// What is added, changed, unchanged or removed.
	What string `json:"what"`
	// Was and Now are what it is locked as, "" for none.
	Was string `json:"was,omitempty"`
	Now string `json:"now,omitempty"`
	// Unpinned says that nobody asked it yet what it exposes.
	Unpinned bool `json:"unpinned"`
	// Notices are what should be known and stops nothing.
	Notices []string `json:"notices"`
}

// The words of a Change.
const (
	Added     = "added"
	Changed   = "changed"
	Unchanged = "unchanged"
	Removed   = "removed"
)

// Apply puts entries into a lock. What was pinned and approved of an unchanged launch stays. What somebody approved, the bytes
// of a version that was locked before and the signer of a package give way only with replace. Either all are put or, with a
// *RefusedError, none. With prune, what was locked and is among no entries is taken out.
func Apply(l *lock.Lock, all []*Entry, replace, prune bool) (changes []Change, err error) {
	var refused []Refusal
	for _, e := range all {
		if e.kept || replace {
			continue
		}
		if r := objection(l, e.Server); r != nil {
			refused = append(refused, *r)
		}
	}
	if len(refused) > 0 {
		return nil, &RefusedError{refused}
	}
	for _, e := range all {
		old := l.Get(e.Want.Name)
		c := Change{Name: e.Want.Name, Notices: append([]string{}, e.Notices...)}
		if old != nil {
			c.Was = old.Locked()
			if a, b := old.Package, e.Server.Package; !replace && a != nil && b != nil && a.Provenance.Status == lock.Verified && b.Provenance.Status != lock.Verified {
				c.Notices = append(c.Notices, "who made it could not be verified again ("+string(b.Provenance.Status)+"); what was verified stays in the lock")
			}
		}
		if !e.kept {
			put(l, e.Server)
		}
		now := l.Get(e.Want.Name)
		if now == nil {
			continue // it was taken out meanwhile, and its name alone says nothing
		}
		c.Now, c.Unpinned = now.Locked(), now.Unpinned
		switch {
		case old == nil:
			c.What = Added
		case string(old.Alone()) == string(now.Alone()):
			c.What = Unchanged
		default:
			c.What = Changed
		}
		changes = append(changes, c)
	}
	if !prune {
		return changes, nil
	}
	for _, s := range slices.Clone(l.Servers) {
		wanted := slices.ContainsFunc(all, func(e *Entry) bool { return e.Want.Name == s.Name })
		if !wanted && (s.Package != nil || s.Record != nil || s.Unpinned) {
			l.Drop(s.Name)
			changes = append(changes, Change{Name: s.Name, What: Removed, Was: s.Locked(), Notices: []string{}})
		}
	}
	return changes, nil
}

// objection is why an entry must not take the place of what the lock holds, nil for nothing.
func objection(l *lock.Lock, now *lock.Server) *Refusal {
	was := l.Get(now.Name)
	if was == nil {
		return nil
	}
	r := &Refusal{Name: now.Name}
	refuse := func(reason Reason, format string, args ...any) *Refusal {
		r.Reason, r.Detail = reason, fmt.Sprintf(format, args...)
		return r
	}
	if now.Package != nil {
		r.Identifier, r.Version = now.Package.Identifier, now.Package.Version
	}
	r.Hint = "find out why; mcpassay lock --replace takes it"
	if a, b := was.Package, now.Package; a != nil && b != nil && a.Type == b.Type && a.Identifier == b.Identifier {
		same := a.Version == b.Version
		if same && len(a.Files) > 0 {
			if why := files(a, b); why != "" {
				return refuse(Drift, "%s", why)
			}
		}
		if a.Provenance.Status == lock.Verified {
			switch {
			case b.Provenance.Status == lock.Verified && same && !a.Provenance.Same(b.Provenance), b.Provenance.Status == lock.Verified && !a.Provenance.Precedes(b.Provenance):
				return refuse(SignerChanged, "%s was built by %s, and %s is by %s", a.Version, a.Provenance.Signer, b.Version, b.Provenance.Signer)
			case b.Provenance.Status != lock.Verified && !same:
				return refuse(Regression, "%s was built by %s, and of %s nobody knows who made it (%s: %s)", a.Version, a.Provenance.Signer, b.Version, b.Provenance.Status, b.Provenance.Reason)
			}
		}
	}
	if a, b := was.Record, now.Record; a != nil && b != nil && a.Name == b.Name && a.Version == b.Version && a.Digest != b.Digest {
		return refuse(RecordChanged, "the record of %s %s is another than when it was locked", b.Name, b.Version)
	}
	if !was.Launch.Equal(now.Launch) && (len(l.Approved(was)) > 0 || l.Was(now.Name) != nil) {
		r.Hint = "look at what changed, then mcpassay lock --replace, pin it and approve it again"
		return refuse(Approved, "it is approved as %s, and would be %s", was.Locked(), now.Locked())
	}
	return nil
}

// files says in what the files of one version are others than they were, "" for nothing.
func files(was, now *lock.Package) string {
	if len(now.Files) == 0 {
		return "its registry knows its bytes by no digest any more"
	}
	pin := pinOf(now)
	_, why := compare(was.Files, pin)
	return why
}

// put takes an entry in, with what is known of it already.
func put(l *lock.Lock, s *lock.Server) {
	now := *s
	old := l.Get(s.Name)
	if old == nil {
		l.Put(&now)
		return
	}
	now.Confinement = old.Confinement
	if a, b := old.Package, now.Package; a != nil && b != nil && a.Type == b.Type && a.Identifier == b.Identifier && a.Version == b.Version && len(a.Files) > 0 && files(a, b) == "" {
		keep := *a // which registry was asked does not make it another package
		if a.Provenance.Status != lock.Verified || b.Provenance.Status == lock.Verified {
			keep.Provenance = b.Provenance
		}
		now.Package = &keep
	}
	if a, b := old.Record, now.Record; a != nil && b != nil && a.Name == b.Name && a.Version == b.Version && a.Digest == b.Digest {
		keep := *a
		keep.Values = b.Values
		now.Record = &keep
	}
	if old.Launch.Equal(now.Launch) && !old.Unpinned {
		surface := *old
		surface.Package, surface.Record = now.Package, now.Record
		now = surface
	}
	l.Put(&now)
}
