// Package audit finds out what is known of the servers that are configured: it resolves what an entry starts or reaches, not
// what it is called, to packages and records, asks their registries and a database of vulnerabilities through doors of its
// own, and brings that, what the rules find and what the server exposes into one row a server. A check that could not be run
// did not pass, and what could not be had makes its row one that says why.
//
// Source: mcpm-contracts, audit; where we differ is in docs/migrating.md.
package audit

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/flow/find"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/osv"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Packages are the registries of packages.
type Packages interface {
	// Resolve finds the version that want means, and by what its bytes are known.
	Resolve(ctx context.Context, t pkg.Type, base, name, want, digest string) (*pkg.Pin, error)
}

// Advisories is a database of vulnerabilities.
type Advisories interface {
	Known(ctx context.Context, t pkg.Type, name, version string) ([]*osv.Record, find.Asked, error)
}

// Signer says who made a package. Failed says that the answer could not be had.
type Signer func(ctx context.Context, pin *pkg.Pin) (signed trust.Signed, failed bool)

// Auditor asks and judges.
type Auditor struct {
	// Finder asks the MCP registry, and judges what its records say.
	Finder *find.Finder
	// Index is what that registry lists. Beside an error it may give one that was kept.
	Index    func(ctx context.Context) (*registry.Index, find.Asked, error)
	Packages Packages
	// Advisories is nil where nobody is to be asked: NoAdvisories says why.
	Advisories   Advisories
	NoAdvisories string
	// Want is told before anything is asked which packages there are; it may be nil.
	Want func(t pkg.Type, name string)
	// Signer is nil where nothing verifies signatures.
	Signer Signer
	// Cover is what the locks of the machine say of an entry.
	Cover func(*client.Server) lock.Cover
	// Told is called as each server is done, never twice at a time; it may be nil.
	Told   func(name string)
	Now    func() time.Time
	Limits limits.Set

	index   *registry.Index
	indexed find.Asked
	listing error
	packs   sync.Map // of *pack, by what is asked for
	records sync.Map // of *versions, by name
}

// Item is one configured server, and what was found out about it.
type Item struct {
	*trust.Server
	notes []note
	cover lock.Cover
	// rated are the states of the registry's part of the score.
	active, aged string
}

// note is the answer to one check.
type note struct {
	trust.Evidence
	// failed says that the answer could not be had, though somebody has it.
	failed bool
}

// Started are the entries of files that a client starts or reaches, in the order of the files.
func Started(files []*client.File) (all []*client.Server) {
	for _, f := range files {
		for _, s := range f.Servers {
			if rule.Starts(s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// Look finds out what is known of entries. It asks each thing once, however many entries hang on it.
func (a *Auditor) Look(ctx context.Context, entries []*client.Server) []*Item {
	items := make([]*Item, len(entries))
	asked := false
	for i, e := range entries {
		items[i] = &Item{Server: trust.Of(e), cover: a.Cover(e), active: trust.NotRun, aged: trust.NotRun}
		for _, p := range items[i].Packages {
			if asks(p) {
				asked = true
				if a.Want != nil {
					a.Want(p.Type, p.Name)
				}
			}
		}
		asked = asked || items[i].Address != ""
	}
	if asked {
		a.index, a.indexed, a.listing = a.Index(ctx)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	slots := make(chan struct{}, max(1, a.Limits.AuditAtOnce))
	for n, i := range items {
		if n >= a.Limits.AuditServers {
			i.say("registry-status", trust.NotRun, "more servers are configured than one audit looks into: name files with --config", true)
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			a.one(ctx, i)
			if a.Told != nil {
				mu.Lock()
				defer mu.Unlock()
				a.Told(i.Entry.Display())
			}
		})
	}
	wg.Wait()
	return items
}

// asks says whether a registry of packages can be asked about a package.
func asks(p *trust.Package) bool { return p.Type != "" && !p.Elsewhere }

func (a *Auditor) one(ctx context.Context, i *Item) {
	i.pinning()
	for _, p := range i.Packages {
		a.pack(ctx, i, p)
	}
	a.record(ctx, i)
	a.ages(i)
	a.lookalikes(i)
	if i.Unread {
		i.say("pinning", trust.NotRun, "the launch line holds more than is read", true)
	}
}

func (i *Item) say(check, state, detail string, failed bool) {
	i.notes = append(i.notes, note{trust.Evidence{Check: check, State: state, Detail: detail}, failed})
}

// elsewhere is why nothing can be said of bytes.
const (
	remote  = "it runs elsewhere, and what runs there can change at any time"
	program = "it starts no package of a registry"
)

// without is why a server without a package has no answer to a check.
func (i *Item) without() string {
	if i.Address != "" {
		return remote
	}
	return program
}

func (i *Item) pinning() {
	if len(i.Packages) == 0 {
		i.say("pinning", trust.NotRun, i.without(), false)
		return
	}
	for _, p := range i.Packages {
		name := secret.Mask(p.Name)
		if p.Pin.Floating() {
			i.say("pinning", trust.Fail, name+" is not pinned to one version ("+p.Pin.String()+")", false)
		} else {
			i.say("pinning", trust.Pass, name+" is pinned ("+p.Pin.String()+")", false)
		}
	}
}

// ages says how long the server is out.
func (a *Auditor) ages(i *Item) {
	var ages []time.Duration
	for _, p := range i.Packages {
		if p.Age != nil {
			ages = append(ages, *p.Age)
		}
	}
	if r := i.Record; r != nil && r.Age != nil {
		ages = append(ages, *r.Age)
	}
	if len(ages) == 0 {
		why := "nobody says when it was published"
		if i.Record == nil && len(i.Packages) == 0 {
			why = i.without()
		}
		i.say("release-age", trust.NotRun, why, false)
		return
	}
	youngest := slices.Min(ages)
	i.aged = trust.Pass
	if youngest <= a.Limits.ReleaseAged {
		i.aged = trust.Fail
	}
	if youngest < a.Limits.ReleaseFresh {
		i.say("release-age", trust.Fail, "it was published less than "+text.Count(int(a.Limits.ReleaseFresh.Hours()), "hour")+" ago, or in the future", false)
		return
	}
	i.say("release-age", trust.Pass, "published "+text.Count(int(youngest.Hours())/24, "day")+" ago", false)
}

// lookalikes holds names against what the registry lists.
func (a *Auditor) lookalikes(i *Item) {
	const check = "lookalike"
	n := 0
	for _, p := range i.Packages {
		switch {
		case !asks(p):
			continue
		case a.index == nil:
			i.say(check, trust.NotRun, a.unlisted(), true)
		case a.index.Listed(p.Coordinate()):
			i.say(check, trust.Pass, p.Name+" is listed in the MCP registry", false)
		default:
			near, ok := a.index.Near(p.Coordinate())
			if !ok {
				i.say(check, trust.Pass, p.Name+" is near none of the packages of "+text.Count(a.index.Len(), "listed server"), false)
				break
			}
			p.Like = &trust.Like{Name: near.Like.Identifier, Of: near.Of, Form: near.Form}
			i.say(check, trust.Fail, p.Name+" is nearly "+near.Like.Identifier, false)
		}
		n++
	}
	if n == 0 {
		i.say(check, trust.NotRun, i.without(), false)
	}
}

// unlisted is why nobody knows what the registry lists.
func (a *Auditor) unlisted() string {
	if a.listing != nil {
		return a.listing.Error()
	}
	return "what the registry lists is not known"
}
