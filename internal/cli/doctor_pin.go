package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/doctor"
	"github.com/mcpassay/mcpassay/internal/flow/scan"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// doctorPin is doctor --pin: what mcpassay pin does, for the servers of the files that a person named and that no lock covers.
// What was found is never started, whatever the flags say: a repository brings its configs along.
//
// Source: warden-doctor section 4.
type doctorPin struct {
	on, yes bool
	reach   reach
}

// check refuses before anything is read. asking are the flags that say how servers are reached.
func (d *doctorPin) check(a *app, asking *pflag.FlagSet, configs []string) error {
	if !d.on {
		stray := ""
		asking.VisitAll(func(f *pflag.Flag) {
			if f.Changed {
				stray = "--" + f.Name
			}
		})
		if d.yes {
			stray = "--yes"
		}
		if stray != "" {
			return usage("add --pin, or drop it", "%s is about servers that are asked, and doctor asks none without --pin", stray)
		}
		return nil
	}
	switch {
	case len(configs) == 0:
		return usage("mcpassay doctor --config FILE --pin", "--pin starts the servers of files that you name, and none is named")
	case !d.yes && !(a.io.InTerminal && a.io.ErrTerminal):
		return usage("add --yes once you have looked at what it starts: mcpassay lint "+safe(configs[0]), "--pin starts commands, and there is no terminal to ask at")
	}
	return d.reach.check()
}

// planned is one server that is to be pinned.
type planned struct {
	doctor.Pin
	target scan.Target
	launch lock.Launch
	file   *lockFile
}

// run pins. What it refuses, and what goes wrong, is told and noted in the visit, and the rest goes on.
func (d *doctorPin) run(ctx context.Context, j *judging, v *doctor.Visit) error {
	p := &pinning{scanning: &scanning{judging: j, allowExec: true, concurrency: j.app.limits.ScanAtOnce, reach: d.reach}, fresh: true}
	refuse := func(i finding.Incomplete) {
		fmt.Fprintf(j.app.io.Err, "not pinned: %s: %s\n", i.Path, i.Detail)
		v.Incomplete = append(v.Incomplete, i)
	}
	all, refused := d.plan(p, v)
	for _, i := range refused {
		refuse(i)
	}
	if len(all) > 0 && !d.yes && !d.consent(j.app, all) {
		for _, one := range all {
			refuse(notPinned(one.Server, "you did not agree, and nothing was started"))
		}
		all = nil
	}
	for len(all) > 0 { // the servers of one file and one lock together
		first := all[0]
		together := func(o planned) bool { return o.Server.File == first.Server.File && o.Lock == first.Lock }
		batch := slices.DeleteFunc(slices.Clone(all), func(o planned) bool { return !together(o) })
		all = slices.DeleteFunc(all, together)
		if err := d.pin(ctx, p, v, batch, refuse); err != nil {
			return err
		}
	}
	v.FindLocks()
	return nil
}

// plan says what is to be pinned, and what is not and why.
func (d *doctorPin) plan(p *pinning, v *doctor.Visit) (all []planned, refused []finding.Incomplete) {
	for _, s := range v.Unapproved() {
		if s.File.Named {
			refused = append(refused, taken(v.Machine.Cover(s).Lock.Path, s.Display()))
		}
	}
	for _, one := range v.Uncovered() {
		s := one.Server
		named := ""
		if one.Named {
			named = one.Lock
		}
		switch file := p.lockFile(named); {
		case !s.File.Named:
			refused = append(refused, notPinned(s, "its file was found, not named: mcpassay doctor --config FILE --pin pins what you name"))
		case v.Holds(one.Lock, s.Display()):
			refused = append(refused, taken(file.shown(), s.Display()))
		default:
			start := client.World{Home: p.app.io.Home, Project: filepath.FromSlash(s.Folder()), Getenv: p.getenv}
			if start.Project == "" {
				start.Project = p.app.io.Cwd
			}
			t := scan.Target{Label: one.Name, Start: s.Start(start), Entry: s}
			l, err := p.launch(t, "", file)
			var why *problem
			if errors.As(err, &why) {
				refused = append(refused, notPinned(s, why.what+" ("+why.hint+")"))
				continue
			}
			all = append(all, planned{one, t, l, file})
		}
	}
	return all, refused
}

// pin asks the servers of one file and takes them into one lock.
func (d *doctorPin) pin(ctx context.Context, p *pinning, v *doctor.Visit, batch []planned, refuse func(finding.Incomplete)) error {
	path, file := batch[0].Server.File.Path, batch[0].file
	p.config, p.lock = path, ""
	if batch[0].Named {
		p.lock = file.path
	}
	var targets []scan.Target
	var launches []lock.Launch
	for _, one := range batch {
		targets, launches = append(targets, one.target), append(launches, one.launch)
	}
	surfaces, err := p.ask(ctx, targets, false)
	if err != nil {
		return err
	}
	before := len(v.Cards)
	if err := scan.Read(v.Set, path, "", scan.Document(surfaces), nil, p.app.limits); err != nil {
		refuse(finding.Incomplete{Path: path, Cause: "answer", Detail: safe(err.Error())})
		return nil
	}
	entries := p.entries(v.Set, v.Cards[before:], path, targets, launches, surfaces)
	made, err := p.write(ctx, file, v.Set, entries)
	if err != nil {
		return err
	}
	for i, t := range targets {
		if !slices.ContainsFunc(made, func(m pinned) bool { return m.entry.Name == t.Label }) {
			fmt.Fprintf(p.app.io.Err, "pin failed: %s\n", safe(t.Label+why(surfaces[i])))
		}
	}
	p.tell(p.app.io.Err, file, made)
	return nil
}

// why is what a server that was not read in full lacks first.
func why(s *wire.Surface) string {
	if s.Complete() {
		return ""
	}
	return ": " + s.Gaps[0].Detail
}

func notPinned(s *client.Server, detail string) finding.Incomplete {
	return finding.Incomplete{Path: s.File.Path, Cause: "refused", Detail: safe(s.Display() + ": " + detail)}
}

// taken is the refusal of an entry that is there already.
func taken(path, name string) finding.Incomplete {
	return finding.Incomplete{Path: path, Cause: "refused", Detail: safe(name + " is in the lock already, and doctor --pin replaces nothing"),
		Hint: "approve it, or pin it again with mcpassay pin --replace"}
}

// consent shows exactly what is about to be started and asks once. Nothing is masked: it goes to a terminal, to the one who
// answers, and is nothing that is meant to be pasted.
func (d *doctorPin) consent(a *app, all []planned) bool {
	fmt.Fprintln(a.io.Err, "About to start, and to ask what they expose:")
	for _, one := range all {
		words := slices.Concat(one.target.Start.Argv, nil)
		if one.target.Start.URL != "" {
			words = append(words, one.target.Start.URL)
		}
		fmt.Fprintf(a.io.Err, "  %s (%s):\n    %s\n", safe(one.Name), safe(one.Server.File.Path), a.command(words...))
		for _, kv := range one.target.Start.Env {
			if name, _, _ := strings.Cut(kv, "="); one.launch.Values[name] != "" { // it loads code
				fmt.Fprintf(a.io.Err, "    with %s\n", a.command(kv))
			}
		}
	}
	return agreed(a, "Start them?")
}
