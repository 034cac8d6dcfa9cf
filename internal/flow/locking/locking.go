// Package locking writes down to the byte what a project wants, and holds what was written down against what registries say
// now. Resolving asks registries through interfaces of its own and changes nothing; applying changes a lock and asks nobody;
// the gates are one function for whoever verifies and whoever installs.
//
// Sources: mcpm-contracts ("Exit codes", "Config & lockfile formats", "verify --json"); where we differ is in
// docs/migrating.md.
package locking

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Registry is an MCP registry. Errors are *registry.Error.
type Registry interface {
	Version(ctx context.Context, name, version string) (*registry.Record, error)
	Versions(ctx context.Context, name string) (all []*registry.Record, bad []registry.Fault, err error)
}

// Packages are the registries of packages. Errors are *registry.Error, or *pkg.Unenforceable.
type Packages interface {
	Resolve(ctx context.Context, t pkg.Type, base, name, want, digest string) (*pkg.Pin, error)
	Attestations(ctx context.Context, pin *pkg.Pin) (map[string][]byte, error)
}

// Locker asks. It may be used concurrently.
type Locker struct {
	Registry Registry
	Packages Packages
	// Provenance says who made a package, by the attestations of its files.
	Provenance func(*pkg.Pin, map[string][]byte) lock.Provenance
	// Base is the URL of the MCP registry.
	Base string
	// Offline says that nobody is asked: what was kept is the answer.
	Offline bool
	// Places are the folders by which launches are written.
	Places lock.Places
	Limits limits.Set
}

// Refusal is why one server stops a run, in a word for programs and in words for people. What strangers say in Detail is
// safe to print.
type Refusal struct {
	Name   string `json:"name"`
	Reason Reason `json:"reason"`
	// Identifier and Version are the package, "" where it is not known; npmVersion is mcpm's word for the latter.
	Identifier string `json:"identifier,omitempty"`
	Version    string `json:"npmVersion,omitempty"`
	Detail     string `json:"detail"`
	Hint       string `json:"hint,omitempty"`
}

// Reason is a word for programs.
type Reason string

// The reasons of the package contract, and ours. A consumer stops at one that it does not know.
const (
	Drift          Reason = "drift"            // the bytes are others
	Format         Reason = "format"           // there is no common digest to tell by
	CouldNotVerify Reason = "could-not-verify" // nobody could be asked
	MissingBase    Reason = "missing-baseline" // the lock holds no digest, and there is one
	SignerChanged  Reason = "signer-changed"
	Regression     Reason = "regression" // it was signed, and is not any more
	Unverifiable   Reason = "unverifiable"
	Deleted        Reason = "deleted"
	RecordChanged  Reason = "record-changed" // the record of this very version is another
	Launch         Reason = "launch-changed" // the launch is not what record and project file come to
	Approved       Reason = "approved"       // it is approved as it stands in the lock
	NotFound       Reason = "not-found"
	Unresolved     Reason = "unresolved" // it can not be locked as it is
)

// RefusedError says that nothing was done, and why.
type RefusedError struct{ All []Refusal }

func (e *RefusedError) Error() string {
	var all []string
	for _, r := range e.All {
		all = append(all, r.Name+": "+r.Detail)
	}
	return strings.Join(all, "; ")
}

// words are a stranger's, for an output.
func (k *Locker) words(s string) string { return text.Line(secret.Mask(s), k.Limits.ShownRunes) }

// refusal makes one of an error of a registry.
func (k *Locker) refusal(name string, err error) Refusal {
	r := Refusal{Name: name, Reason: Unresolved}
	var e *registry.Error
	if errors.As(err, &e) {
		r.Hint = e.Hint()
		switch e.Kind {
		case registry.NotFound:
			r.Reason = NotFound
		case registry.Deleted:
			r.Reason = Deleted
		case registry.Mismatch:
			r.Reason = Drift
		default:
			r.Reason = CouldNotVerify
		}
		short := *e
		short.Detail = text.Line(secret.Mask(e.Detail), k.Limits.StatusRunes)
		r.Detail = secret.Mask(short.Error())
		return r
	}
	r.Detail = k.words(err.Error())
	return r
}

// each does something with every one of so many at once as the limit says.
func (k *Locker) each(n int, do func(i int)) {
	var wait sync.WaitGroup
	gate := make(chan struct{}, k.Limits.RegistryAtOnce)
	for i := range n {
		gate <- struct{}{}
		wait.Go(func() {
			defer func() { <-gate }()
			do(i)
		})
	}
	wait.Wait()
}

// written is the URL of a registry as a lock may hold it: a login or a token in it is for whoever asks.
func written(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return secret.MaskURL(u.String())
}

// image is a reference without tag and digest.
func image(ref string) string {
	ref, _, _ = strings.Cut(ref, "@")
	if i := strings.LastIndexByte(ref, ':'); i > strings.LastIndexByte(ref, '/') {
		ref = ref[:i]
	}
	return ref
}

// pinned is a locked package as its registry is asked for it: of an image the digest is its name.
func pinned(p *lock.Package) (name, want string) {
	if p.Type == pkg.OCI && len(p.Files) > 0 {
		if sums := p.Files[0].Sums(); len(sums) > 0 {
			return p.Identifier + "@" + sums[0].String(), ""
		}
	}
	if p.Type == pkg.OCI && !strings.Contains(p.Version, ":") {
		return p.Identifier + ":" + p.Version, ""
	}
	return p.Identifier, p.Version
}

// compare holds the files of a lock against those of a registry.
func compare(was []lock.PackageFile, now *pkg.Pin) (reason Reason, detail string) {
	for _, f := range was {
		i := slices.IndexFunc(now.Files, func(o pkg.File) bool { return o.Name == f.Name })
		if i < 0 {
			return Drift, fmt.Sprintf("the file %s is gone", f.Name)
		}
		switch pkg.CompareHashes(f.Sums(), now.Files[i].Hashes) {
		case pkg.Drift:
			return Drift, fmt.Sprintf("the bytes of %s are others than they were when it was locked", f.Name)
		case pkg.Format:
			return Format, fmt.Sprintf("the registry knows %s by no digest that the lock has", f.Name)
		}
	}
	for _, f := range now.Files {
		if !slices.ContainsFunc(was, func(o lock.PackageFile) bool { return o.Name == f.Name }) {
			return Drift, fmt.Sprintf("the file %s is new, and may be what is installed", f.Name)
		}
	}
	return "", ""
}

// attested says who made a package; ok is false where nobody could be asked.
func (k *Locker) attested(ctx context.Context, pin *pkg.Pin) (p lock.Provenance, err error) {
	if pin.Type != pkg.NPM && pin.Type != pkg.PyPI {
		return lock.Provenance{}, nil
	}
	docs, err := k.Packages.Attestations(ctx, pin)
	var e *registry.Error
	var un *pkg.Unenforceable
	switch {
	case errors.As(err, &e) && e.Kind == registry.NotFound:
		return lock.Provenance{Status: lock.Unsigned, Reason: "its registry has no attestations of it"}, nil
	case errors.As(err, &un):
		return lock.Provenance{Status: lock.Unsupported, Reason: k.words(un.Reason)}, nil
	case err != nil:
		return p, err
	}
	p = k.Provenance(pin, docs)
	p.Reason = k.words(p.Reason)
	return p, nil
}
