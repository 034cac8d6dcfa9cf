// Package pin writes down what servers are: an entry of mcpassay.lock is made of what a server answered, of how it was
// started, and of what a person approved. It changes a lock as a whole or not at all, and two writers at once lose nothing
// of each other's.
package pin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/sign"
)

// Store is the file of a lock.
type Store interface {
	// Exclusive keeps other writers out until release is called.
	Exclusive(ctx context.Context) (release func(), err error)
	// Read gives the file's bytes, nil where there is no file.
	Read() ([]byte, error)
	// Replace writes the file in the place of one that still holds the bytes that were read; nil for no file.
	Replace(was, now []byte) error
}

// BrokenError is a lock that is there and can not be relied on.
type BrokenError struct{ Why *lock.Error }

func (e *BrokenError) Error() string { return e.Why.Error() }

// Update changes a lock. Where change leaves it as it was, the file is left alone.
func Update(ctx context.Context, store Store, path string, lim limits.Set, change func(*lock.Lock) error) (written bool, err error) {
	release, err := store.Exclusive(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	was, err := store.Read()
	if err != nil {
		return false, err
	}
	l := &lock.Lock{}
	if was != nil {
		f := lock.Open(path, path, was, lim)
		if f.Err != nil {
			return false, &BrokenError{f.Err}
		}
		l = f.Lock
	}
	if err := change(l); err != nil {
		return false, err
	}
	now := l.Encode()
	if string(now) == string(was) {
		return false, nil
	}
	// A lock that nobody could read again would be lost: servers together can be larger than each of them may be.
	if f := lock.Open(path, path, now, lim); len(now) > lim.NamedBytes || f.Err != nil {
		return false, &TooLargeError{Bytes: len(now), Most: lim.NamedBytes, Why: f.Err}
	}
	return true, store.Replace(was, now)
}

// TooLargeError says that a lock would be larger than one may be, and was not written.
type TooLargeError struct {
	Bytes, Most int
	// Why is what reading it says, nil where its size alone is too large.
	Why *lock.Error
}

func (e *TooLargeError) Error() string {
	if e.Why != nil {
		return "the lock could not be read again: " + e.Why.Msg
	}
	return fmt.Sprintf("the lock would take %d bytes, and %d is the most", e.Bytes, e.Most)
}

// Given are the names of the variables and headers that the command line gives a server beside its entry.
type Given struct{ Env, Headers []string }

// Launch is how a target is started or reached, as a lock holds it. Entry is its config entry, nil for one that a person
// typed in the folder cwd. The error is a *lock.SecretError where a secret stands in it.
func Launch(entry *client.Server, start client.Start, cwd, transport string, given Given, p lock.Places) (lock.Launch, error) {
	switch {
	case entry != nil:
		return lock.LaunchOf(entry, p)
	case start.URL != "":
		return lock.LaunchOfURL(start.URL, transport, given.Headers)
	}
	return lock.LaunchOfCommand(start.Argv, cwd, given.Env, p)
}

// Entry makes the entry of one server. One that changed its lists while they were read has no one surface, unless the
// person waited for the change (settled).
func Entry(name string, l lock.Launch, s *card.Server, settled bool) (*lock.Server, error) {
	if err := lock.CheckName(name); err != nil {
		return nil, err
	}
	if s.Node.Get("earlier").Valid() && !settled {
		return nil, errors.New("it changed its lists while they were read: wait for the change with --refresh 5s")
	}
	out, err := lock.Capture(name, s)
	if err != nil {
		return nil, err
	}
	out.Launch = l
	return out, nil
}

// ApprovedError says that an approved entry would be replaced by another.
type ApprovedError struct{ Name string }

func (e *ApprovedError) Error() string {
	return e.Name + " is approved as it stands in the lock, and the server is another by now"
}

// Outcome is what became of an entry.
type Outcome string

// The outcomes.
const (
	Added     Outcome = "pinned"
	Replaced  Outcome = "pinned anew"
	Unchanged Outcome = "unchanged"
)

// LockedError says that an entry that was locked would be pinned as another launch.
type LockedError struct{ Name, Package string }

func (e *LockedError) Error() string {
	return e.Name + " is locked as " + e.Package + ", and this starts or reaches something else"
}

// Named is the name that an entry has in a lock which may call it otherwise: a client's name for a server is often shorter
// than the registry's, and what was locked to start in that very way is the same server.
func Named(l *lock.Lock, s *lock.Server) string {
	if l.Get(s.Name) != nil {
		return s.Name
	}
	for _, o := range l.Servers {
		if (o.Package != nil || o.Record != nil) && o.Launch.Equal(s.Launch) {
			return o.Name
		}
	}
	return s.Name
}

// Put takes an entry into a lock, unapproved. One that somebody approved, in whatever state, gives way only to a person
// who says so, and so does a package that was locked to what starts another one. What was locked of a launch stays with it,
// and what confines a server stays whatever starts it.
func Put(l *lock.Lock, s *lock.Server, replace bool) (Outcome, error) {
	old := l.Get(s.Name)
	if old != nil && s.Confinement == nil {
		s.Confinement = old.Confinement
	}
	if old != nil && s.Package == nil && s.Record == nil && (old.Package != nil || old.Record != nil) {
		switch {
		case old.Launch.Equal(s.Launch):
			s.Package, s.Record = old.Package, old.Record
		case !replace:
			return "", &LockedError{s.Name, old.Locked()}
		}
	}
	switch {
	case old == nil:
		l.Put(s)
		return Added, nil
	case old.Same(s) && old.Unpinned == s.Unpinned:
		return Unchanged, nil
	case !replace && (len(l.Approved(old)) > 0 || l.Was(s.Name) != nil):
		return "", &ApprovedError{s.Name}
	}
	l.Put(s)
	return Replaced, nil
}

// Approve approves a server as it stands, in the place of an earlier approval by the same person. What that one signed, and
// what anybody signed of another state, goes with it.
func Approve(l *lock.Lock, a lock.Approval) {
	l.Settle(a.Server)
	l.Approvals = slices.DeleteFunc(l.Approvals, func(o lock.Approval) bool { return o.Server == a.Server && o.By == a.By })
	l.Signatures = slices.DeleteFunc(l.Signatures, func(o lock.Signature) bool {
		if o.Server != a.Server {
			return false
		}
		if k := o.Keyless; k != nil {
			return k.By == a.By || k.Subject != sign.Subject(l.Get(a.Server))
		}
		st, err := sign.Unverified(o.Envelope)
		return err != nil || st.About(l.Get(a.Server)) != nil || st.Predicate.By == a.By
	})
	l.Approvals = append(l.Approvals, a)
	slices.SortStableFunc(l.Approvals, func(a, b lock.Approval) int { return strings.Compare(a.Server, b.Server) })
}

// Sign keeps a signature beside the approval that it is over.
func Sign(l *lock.Lock, s lock.Signature) {
	l.Signatures = append(l.Signatures, s)
	slices.SortStableFunc(l.Signatures, func(a, b lock.Signature) int { return strings.Compare(a.Server, b.Server) })
}

// Revoke takes back the approvals of a server as it stands, those of one person or, for "", of all. It says how many.
func Revoke(l *lock.Lock, server, by string, r lock.Revocation) (n int) {
	s := l.Get(server)
	launch, surface := s.LaunchDigest(), s.SurfaceDigest()
	for i := range l.Approvals {
		a := &l.Approvals[i]
		if a.Server == server && a.Launch == launch && a.Surface == surface && a.Revoked == nil && (by == "" || a.By == by) {
			a.Revoked = &r
			n++
		}
	}
	return n
}
