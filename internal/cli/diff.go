package cli

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/flow/verify"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/report"
	"github.com/mcpassay/mcpassay/internal/source"
)

// diffing is what the diff verb was asked for.
type diffing struct {
	*scanning
	lock     string
	noValues bool
}

func (a *app) diff() *cobra.Command {
	d := &diffing{scanning: &scanning{}}
	cmd := &cobra.Command{
		Use:     "diff A B | diff URL | diff -- COMMAND [ARGS...] | diff --config FILE",
		Short:   "Show what changed between two locks, surfaces or reports, or a lock and a server",
		GroupID: "trust",
		Long: "Show, item by item and line by line, what is another in B than in A: each is a\n" +
			"mcpassay.lock, a surface that scan --save wrote, or a tools list. With a server in\n" +
			"their place mcpassay.lock is compared with what the server answers now. Of two JSON\n" +
			"reports it shows which findings are new, gone, or of another severity; reports of\n" +
			"MCP Tool Card Linter (1.0.0, 1.1.0) are read too.",
		Example: "  git show main:mcpassay.lock > /tmp/main.lock && mcpassay diff /tmp/main.lock mcpassay.lock --format markdown\n" +
			"  mcpassay diff before.json after.json\n  mcpassay diff report-of-main.json report.json --format markdown\n  mcpassay diff --config .mcp.json --server github --allow-exec",
		Annotations: map[string]string{touches: "files; or the servers that are named and what they need",
			exits: "0 the same, 1 something changed, 2 could not be read or refused"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(d.check(), d.reach.check()); err != nil {
				return err
			}
			return d.run(cmd.Context(), args, cmd.ArgsLenAtDash())
		},
	}
	d.judging = a.reporting(cmd, "diff", false)
	f := cmd.Flags()
	f.BoolVar(&d.noValues, "no-values", false, "leave the changed lines out")
	onceVar(f, &d.lock, "lock", "the lock `FILE` to compare a server with, instead of the nearest mcpassay.lock of the project")
	d.targetFlags(f)
	f.StringVar(&d.name, "name", "", "the `NAME` in the lock of a URL or a command")
	d.reach.flags(f)
	return cmd
}

// state is one side: servers and their documents by name.
type state struct {
	servers []*lock.Server
	cards   map[string]*card.Server
}

func (s *state) get(name string) *lock.Server {
	i := slices.IndexFunc(s.servers, func(o *lock.Server) bool { return o.Name == name })
	if i < 0 {
		return nil
	}
	return s.servers[i]
}

func (d *diffing) run(ctx context.Context, args []string, dash int) error {
	p, err := d.loadPolicy(d.app.io.Cwd, true)
	if err != nil {
		return err
	}
	res := &engine.Result{Drift: []drift.Change{}}
	var before, after *state
	if err := d.showable(); err != nil {
		return err
	}
	if dash < 0 && len(args) == 2 {
		var files [2]side
		for i, name := range args {
			if files[i], err = d.open(name); err != nil {
				return err
			}
		}
		if done, err := d.reports(p, files[0], files[1]); done || err != nil {
			return err
		}
		if before, err = d.read(files[0]); err == nil {
			after, err = d.read(files[1])
		}
		res.Files = 2
	} else {
		before, after, err = d.live(ctx, res, args, dash)
	}
	if err != nil {
		return err
	}
	d.compare(res, before, after)
	verify.Weigh(res.Drift, p.Profile.Name == "strict", d.facts(), d.app.limits, func(name string) (was, is *card.Server) {
		return before.cards[name], after.cards[name]
	})
	if d.noValues {
		for i := range res.Drift {
			res.Drift[i].Before, res.Drift[i].After = []string{}, []string{}
		}
	}
	d.verdict = func(res *engine.Result) int {
		switch {
		case len(res.Incomplete) > 0:
			return exitIncomplete
		case len(res.Drift) > 0:
			return exitFindings
		}
		return exitClean
	}
	return d.finish(res, gate(p), d.app.io.Cwd)
}

// showable refuses the formats that hold findings and nothing else: a change would be missing in them, and they would look clean.
func (d *diffing) showable() error {
	const can = "use text, json, jsonl or markdown"
	forms := []string{d.format}
	for _, name := range d.outputs {
		form, _ := report.FormatOf(name)
		forms = append(forms, form)
	}
	for _, form := range forms {
		if !slices.Contains([]string{"text", "json", "jsonl", "markdown", "none"}, form) {
			return usage(can, "a diff can not be shown as %s", form)
		}
	}
	return nil
}

// side is a file that was named.
type side struct {
	name, abs string
	raw       []byte
}

func (d *diffing) open(name string) (side, error) {
	s := side{name: name, abs: absolute(d.app.io.Cwd, name)}
	d.inputs = append(d.inputs, s.abs)
	content, err := d.disk().Read(s.abs, d.app.limits.NamedBytes, "")
	if err != nil {
		return s, &problem{what: "it can not be read: " + refusal(err).Detail, at: name, hint: "name a mcpassay.lock, a report, or a file that scan --save wrote", code: exitIncomplete}
	}
	s.raw = content.Bytes
	return s, nil
}

func (s side) isLock() bool { return lock.Looks(filepath.ToSlash(s.name), s.raw) }

// reports compares two reports, where the files are such.
func (d *diffing) reports(p *policy.Policy, first, second side) (done bool, err error) {
	var sides [2]*report.Report
	var forms [2]string
	found := 0
	for i, s := range []side{first, second} {
		if s.isLock() || !report.Looks(s.raw) {
			continue
		}
		found++
		if sides[i], forms[i], err = report.ReadAny(s.raw); err != nil {
			return true, &problem{what: "not a valid report", faults: strings.Split(err.Error(), "\n"), at: s.name, hint: "mcpassay report validate says more", code: exitIncomplete}
		}
	}
	switch {
	case found == 0:
		return false, nil
	case found == 1:
		return true, usage("name two reports, or two locks or surfaces", "%s and %s are not of one kind: one of them is a report", first.name, second.name)
	case (forms[0] == "") != (forms[1] == ""):
		return true, usage("make both with one program", "one report is of mcpassay, the other of %s: their findings have no names in common", cmp.Or(forms[0], forms[1]))
	}
	res := report.Compare(sides[0], sides[1])
	d.verdict = func(res *engine.Result) int {
		switch {
		case len(res.Incomplete) > 0:
			return exitIncomplete
		case len(res.Findings)+len(res.Compared.Gone)+len(res.Compared.Changed)+len(res.Skipped) > 0:
			return exitFindings
		}
		return exitClean
	}
	return true, d.finish(res, gate(p), d.app.io.Cwd)
}

// compare lists what is another in after. One server on each side is the same one, whatever it is called.
func (d *diffing) compare(res *engine.Result, before, after *state) {
	if len(before.servers) == 1 && len(after.servers) == 1 && before.servers[0].Name != after.servers[0].Name && before.servers[0].Launch.Transport == "" {
		rename(before, after.servers[0].Name)
	}
	var names []string
	for _, s := range slices.Concat(before.servers, after.servers) {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		was, is := before.get(name), after.get(name)
		switch {
		case was == nil:
			res.Drift = append(res.Drift, drift.Server(is, drift.Added))
		case is == nil:
			res.Drift = append(res.Drift, drift.Server(was, drift.Removed))
		default:
			d.partly(res, was, is, before.cards[name], after.cards[name])
			res.Drift = append(res.Drift, drift.Compare(was, is, d.app.limits)...)
		}
	}
	res.Servers = len(slices.Compact(names))
}

// partly leaves out of the comparison what one of the two documents does not speak of.
func (d *diffing) partly(res *engine.Result, was, is *lock.Server, before, after *card.Server) {
	var lacking []string
	switch {
	case after != nil && !after.Saved && is.Launch.Transport == "":
		lacking = verify.Keep(was, is, after)
	case before != nil && !before.Saved && was.Launch.Transport == "":
		lacking = verify.Keep(is, was, before)
	case is.Launch.Transport == "":
		is.Launch, is.Confinement = was.Launch, was.Confinement
	case was.Launch.Transport == "":
		was.Launch, was.Confinement = is.Launch, is.Confinement
	}
	for _, what := range lacking {
		res.Incomplete = append(res.Incomplete, finding.Incomplete{Path: is.Name, Cause: "surface", Detail: "one of the two does not hold " + what})
	}
}

func rename(s *state, to string) {
	was := s.servers[0].Name
	s.servers[0].Name = to
	s.cards = map[string]*card.Server{to: s.cards[was]}
}

// read reads a lock, a saved surface or a tools list.
func (d *diffing) read(file side) (*state, error) {
	name := file.name
	if file.isLock() {
		f := lock.Open(name, file.abs, file.raw, d.app.limits)
		if f.Err != nil {
			return nil, (&lockFile{judging: d.judging, path: file.abs}).broken(f.Err, exitIncomplete)
		}
		return ofLock(f.Lock), nil
	}
	servers, err := d.surfaces(name)
	if err != nil {
		return nil, err
	}
	s := &state{cards: map[string]*card.Server{}}
	for _, c := range servers {
		took, err := lock.Take(c.Name, c)
		if err == nil && c.Saved {
			took, err = lock.Capture(c.Name, c)
		}
		if err != nil {
			return nil, &problem{what: safe(c.Name) + " can not be compared: " + err.Error(), at: name, code: exitIncomplete}
		}
		if s.get(c.Name) != nil {
			return nil, &problem{what: "it holds two servers named " + strconv.Quote(c.Name) + ": which of them is to be compared?", at: name, hint: "give each a name of its own", code: exitIncomplete}
		}
		s.servers, s.cards[c.Name] = append(s.servers, took), c
	}
	return s, nil
}

// ofLock is a lock as a side. Its servers become documents when a text of theirs is judged.
func ofLock(l *lock.Lock) *state {
	s := &state{servers: l.Servers, cards: map[string]*card.Server{}}
	for _, one := range l.Servers {
		s.cards[one.Name] = card.ServerAt(one.Node)
	}
	return s
}

// live asks servers, and takes of the lock those that were asked.
func (d *diffing) live(ctx context.Context, res *engine.Result, args []string, dash int) (before, after *state, err error) {
	set := load.NewSet(d.disk(), d.app.limits)
	targets, config, err := d.targets(set, args, dash)
	if err != nil {
		return nil, nil, err
	}
	file := d.lockFile(d.lock)
	f, err := file.open()
	switch {
	case err != nil:
		return nil, nil, err
	case f == nil:
		return nil, nil, &problem{what: "there is no lock", at: file.shown(), hint: "mcpassay pin writes one", code: exitIncomplete}
	case f.Err != nil:
		return nil, nil, file.broken(f.Err, exitIncomplete)
	}
	surfaces, err := d.ask(ctx, targets, config == nil)
	if err != nil {
		return nil, nil, err
	}
	res.Incomplete = append(res.Incomplete, set.Incomplete...)
	whole := ofLock(f.Lock)
	before, after = &state{cards: whole.cards}, &state{cards: map[string]*card.Server{}}
	for i, t := range targets {
		lacks := func(why string) {
			res.Incomplete = append(res.Incomplete, finding.Incomplete{Path: file.shown(), Cause: "surface", Detail: safe(t.Label + ": " + why)})
		}
		doc, err := source.Parse(t.Label, surfaces[i].Encode(), source.JSON, d.app.limits)
		if err != nil {
			lacks(err.Error())
			continue
		}
		c := card.Read(doc).Servers[0]
		is, err := lock.Capture(t.Label, c)
		if err != nil {
			lacks(err.Error())
			continue
		}
		was := whole.get(t.Label)
		if was != nil {
			before.servers = append(before.servers, was)
			is.Launch, is.Confinement = was.Launch, was.Confinement
		}
		if t.Entry != nil {
			if is.Launch, err = lock.LaunchOf(t.Entry, file.places()); err != nil {
				lacks(err.Error())
				continue
			}
		}
		after.servers, after.cards[t.Label] = append(after.servers, is), c
	}
	return before, after, nil
}
