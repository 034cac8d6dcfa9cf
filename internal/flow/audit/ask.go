package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/model/trust"
)

// pack is what is known of one package, asked for once.
type pack struct {
	once  sync.Once
	known trust.Package
	notes []note
	pin   *pkg.Pin
}

func (p *pack) say(check, state, detail string, failed bool) {
	p.notes = append(p.notes, note{trust.Evidence{Check: check, State: state, Detail: detail}, failed})
}

// pack fills in what the registries say of a package.
func (a *Auditor) pack(ctx context.Context, i *Item, p *trust.Package) {
	if !asks(p) {
		why := "no registry of packages has " + p.Ecosystem + " packages"
		switch {
		case p.Elsewhere:
			why = "its launch line takes it from a place of its own, which is not asked"
		case strings.ContainsAny(p.Name+p.Want, "${}%"):
			why = "which package it is, only the client knows"
		}
		for _, check := range []string{"package-integrity", "vulnerabilities"} {
			i.say(check, trust.NotRun, "unenforceable: "+why, false)
		}
		return
	}
	got, _ := a.packs.LoadOrStore(string(p.Type)+" "+p.Name+" "+p.Want+" "+p.Spec, &pack{known: *p})
	one := got.(*pack)
	one.once.Do(func() { a.ask(ctx, one) })
	k := one.known
	p.Version, p.Published, p.Age, p.Withdrawn, p.Scripts, p.Absent, p.Digests, p.Signed, p.Advisories = k.Version, k.Published, k.Age, k.Withdrawn, k.Scripts, k.Absent, k.Digests, k.Signed, k.Advisories
	i.notes = append(i.notes, one.notes...)
	if one.pin != nil {
		a.locked(i, p, one.pin)
	}
}

// ask asks the registry of a package, and the database of vulnerabilities.
func (a *Auditor) ask(ctx context.Context, one *pack) {
	p := &one.known
	name := p.Name
	if p.Type == pkg.OCI {
		name = p.Spec
	}
	pin, err := a.Packages.Resolve(ctx, p.Type, "", name, p.Want, "")
	var un *pkg.Unenforceable
	var e *registry.Error
	switch {
	case errors.As(err, &un):
		one.say("package-integrity", trust.NotRun, "unenforceable: "+un.Error(), false)
	case errors.As(err, &e) && e.Kind == registry.NotFound && e.Detail == "":
		p.Absent = true
		one.say("package-integrity", trust.Fail, e.Error(), true)
	case err != nil:
		one.say("package-integrity", trust.NotRun, err.Error(), true)
	default:
		one.pin = pin
		a.pinned(ctx, one, pin)
	}
	if p.Version == "" && p.Pin == launch.Exact {
		p.Version = strings.TrimPrefix(strings.TrimLeft(p.Want, "="), "v")
	}
	a.advisories(ctx, one)
}

func (a *Auditor) pinned(ctx context.Context, one *pack, pin *pkg.Pin) {
	p := &one.known
	p.Version, p.Published, p.Scripts, p.Digests = pin.Version, pin.Published, pin.InstallScripts, pin.Digests()
	p.Age = a.age(pin.Published)
	what := strings.TrimSpace(p.Name + " " + p.Version)
	one.say("package-integrity", trust.Pass, what+" is known by its digests", false)
	switch {
	case pin.Deprecated != "" || pin.Yanked:
		p.Withdrawn = cmp.Or(pin.Deprecated, "yanked")
		one.say("package-status", trust.Fail, what+" is withdrawn: "+p.Withdrawn, false)
	default:
		one.say("package-status", trust.Pass, what+" is not withdrawn", false)
	}
	switch {
	case len(pin.InstallScripts) > 0:
		one.say("install-scripts", trust.Fail, what+" runs code when it is installed: "+strings.Join(pin.InstallScripts, ", "), false)
	case p.Type == pkg.NPM:
		one.say("install-scripts", trust.Pass, what+" runs no code when it is installed", false)
	default:
		one.say("install-scripts", trust.NotRun, "the registry does not say what runs when a package of the type "+string(p.Type)+" is installed", false)
	}
	switch {
	case p.Type != pkg.NPM && p.Type != pkg.PyPI:
		p.Signed = trust.Signed{State: trust.NotRun, Detail: "registries of the type " + string(p.Type) + " hold no attestations that are known"}
	case pin.Attestations == "":
		p.Signed = trust.Signed{State: trust.Fail, Detail: what + " has no attestation"}
	case a.Signer == nil:
		p.Signed = trust.Signed{State: trust.NotRun, Detail: what + " has attestations, which nobody has verified here"}
	default:
		var failed bool
		p.Signed, failed = a.Signer(ctx, pin)
		one.say("provenance", p.Signed.State, p.Signed.Detail, failed)
		return
	}
	one.say("provenance", p.Signed.State, p.Signed.Detail, false)
}

// age is how long ago something was published, nil where nobody says when.
func (a *Auditor) age(at time.Time) *time.Duration {
	if at.IsZero() {
		return nil
	}
	d := a.Now().Sub(at)
	return &d
}

func (a *Auditor) advisories(ctx context.Context, one *pack) {
	const check = "vulnerabilities"
	p := &one.known
	switch {
	case a.Advisories == nil:
		one.say(check, trust.NotRun, a.NoAdvisories, false)
		return
	case p.Version == "" && p.Type != pkg.OCI:
		one.say(check, trust.NotRun, "which version of "+p.Name+" it is, nobody knows", true)
		return
	}
	found, from, err := a.Advisories.Known(ctx, p.Type, p.Name, p.Version)
	var un *pkg.Unenforceable
	if err != nil {
		one.say(check, trust.NotRun, err.Error(), !errors.As(err, &un))
		return
	}
	asOf := ""
	if from.Kept && !from.At.IsZero() {
		asOf = ", as of " + from.At.UTC().Format(time.DateOnly)
	}
	for _, r := range found {
		_, fixed := r.Affects(p.Type, p.Name, p.Version)
		p.Advisories = append(p.Advisories, trust.Advisory{ID: r.ID, Aliases: r.Aliases, Summary: r.Summary, Level: r.Level(), Malicious: r.Malicious(), Fixed: fixed})
	}
	if len(found) > 0 {
		var ids []string
		for _, r := range found {
			ids = append(ids, r.ID)
		}
		one.say(check, trust.Fail, fmt.Sprintf("%s %s: %s%s", p.Name, p.Version, strings.Join(ids, ", "), asOf), false)
		return
	}
	one.say(check, trust.Pass, fmt.Sprintf("nothing is known against %s %s%s", p.Name, p.Version, asOf), false)
}

// locked holds the bytes of a package to what a lock says of them.
func (a *Auditor) locked(i *Item, p *trust.Package, pin *pkg.Pin) {
	e := i.cover.Entry
	if e == nil || e.Package == nil || e.Package.Type != p.Type || e.Package.Version != pin.Version ||
		registry.BareIdentifier(string(p.Type), e.Package.Identifier) != p.Coordinate().Identifier {
		return
	}
	if why := drifted(e.Package, pin); why != "" {
		p.Changed = i.cover.Lock.Path
		i.say("package-integrity", trust.Fail, p.Name+" "+pin.Version+" "+why+" than "+i.cover.Lock.Path+" holds", false)
	}
}

// drifted says whether a file of a lock has other bytes by now. A file that a version got since is none of the lock's.
func drifted(was *lock.Package, pin *pkg.Pin) string {
	for _, f := range was.Files {
		var old []pkg.Hash
		for _, s := range f.Hashes {
			if h, err := pkg.ParseHash(s); err == nil {
				old = append(old, h)
			}
		}
		at := slices.IndexFunc(pin.Files, func(now pkg.File) bool { return now.Name == f.Name })
		if at < 0 && len(was.Files) == 1 && len(pin.Files) == 1 {
			at = 0 // what is called after its digest
		}
		if at >= 0 && pkg.CompareHashes(old, pin.Files[at].Hashes) == pkg.Drift {
			return "has other bytes"
		}
	}
	return ""
}

// versions are the records of one name, asked for once.
type versions struct {
	once sync.Once
	all  []*registry.Record
	err  error
}

// record finds the record by which the MCP registry lists what is configured.
func (a *Auditor) record(ctx context.Context, i *Item) {
	const status, texts = "registry-status", "texts"
	neither := func(detail string, failed bool) {
		i.say(status, trust.NotRun, detail, failed)
		i.say(texts, trust.NotRun, detail, false)
	}
	var listed []registry.Entry
	asked := i.Address != ""
	for _, p := range i.Packages {
		if asks(p) {
			asked = true
			if a.index != nil && len(listed) == 0 {
				listed = a.index.Packaged(p.Coordinate())
			}
		}
	}
	if i.Address != "" && a.index != nil {
		if reached := a.index.Reached(i.Address); len(reached) > 0 {
			listed = reached
		}
	}
	switch {
	case !asked:
		neither(i.without(), false)
		return
	case len(listed) == 0 && (a.index == nil || a.listing != nil):
		neither(a.unlisted(), true)
		return
	case len(listed) == 0:
		neither("the MCP registry lists nobody with its package or address", false)
		return
	}
	slices.SortStableFunc(listed, func(x, y registry.Entry) int {
		live := func(e registry.Entry) int {
			if e.Status == registry.Active {
				return 0
			}
			return 1
		}
		return cmp.Or(live(x)-live(y), strings.Compare(x.Name, y.Name))
	})
	name := listed[0].Name
	got, _ := a.records.LoadOrStore(name, &versions{})
	v := got.(*versions)
	v.once.Do(func() { v.all, _, _, v.err = a.Finder.Registry.Versions(ctx, name) })
	if v.err != nil {
		neither(v.err.Error(), true)
		return
	}
	rec := pick(v.all, i.Packages)
	if rec == nil {
		neither("the MCP registry has no version of "+name, true)
		return
	}
	r := &trust.Record{Name: rec.Name, Version: rec.Version, Status: rec.Official.Status, Message: rec.Official.Message, Published: rec.Official.Published, Age: a.age(rec.Official.Published),
		Others: []string{}, Said: a.Finder.Texts(rec)}
	for _, o := range listed[1:] {
		r.Others = append(r.Others, o.Name)
	}
	i.Record = r
	what := r.Name + " " + r.Version
	switch r.Status {
	case registry.Active:
		i.active = trust.Pass
		i.say(status, trust.Pass, what+" is active", false)
	case registry.Gone, registry.Deprecated:
		i.active = trust.Fail
		i.say(status, trust.Fail, what+" is "+string(r.Status)+": "+cmp.Or(r.Message, "the registry gives no reason"), false)
	default:
		i.say(status, trust.NotRun, what+": the registry says nothing of its state that is known", false)
	}
	if grave := slices.ContainsFunc(r.Said, func(f trust.Finding) bool { return f.Severity == trust.Critical || f.Severity == trust.High }); grave {
		i.say(texts, trust.Fail, "what "+what+" says is aimed at a model", false)
	} else {
		i.say(texts, trust.Pass, "nothing in what "+what+" says is aimed at a model or hidden", false)
	}
}

// pick is the record of the version that is configured, else the latest one, a deleted one where there is no other.
func pick(all []*registry.Record, packages []*trust.Package) *registry.Record {
	for _, p := range packages {
		for _, r := range all {
			for _, of := range r.Packages {
				if p.Version != "" && of.Version == p.Version && (registry.Coordinate{Type: of.Type, Identifier: registry.BareIdentifier(of.Type, of.Identifier)}) == p.Coordinate() {
					return r
				}
			}
		}
	}
	if r := registry.Pick(all, ""); r != nil {
		return r
	}
	registry.Newest(all)
	if len(all) == 0 {
		return nil
	}
	return all[0]
}
