package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/flow/scan"
	"github.com/mcpassay/mcpassay/internal/flow/verify"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/report"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// verifying is what the verify verb was asked for.
type verifying struct {
	*scanning
	lock, surface  string
	live, offline  bool
	noValues       bool
	file           *lockFile
	check          *verify.Check
	vacuous, asked bool
	demanding      demanding
	registry       string
	// age is how old the oldest answer of a registry is that was kept, known whether there is one.
	age   time.Duration
	known bool
}

func (a *app) verify() *cobra.Command {
	v := &verifying{scanning: &scanning{}}
	cmd := &cobra.Command{
		Use:     "verify",
		Short:   "Prove that what was approved is what is there",
		GroupID: "trust",
		Long: "Hold mcpassay.lock against what is: the lock must be whole, everything that\n" +
			"mcpassay.yaml declares must be in it, and every server in it approved. Packages and\n" +
			"records in it are held against what their registries say now: bytes, record, and who\n" +
			"made the package; --offline takes what was kept. With --config how servers are started\n" +
			"is compared, with --live what they answer, with --surface what a file says that they\n" +
			"answer. Every difference stops, but words and order in which no rule finds anything\n" +
			"new; approve what you want to let pass.",
		Example: "  mcpassay verify\n  mcpassay verify --live --config .mcp.json --allow-exec\n" +
			"  mcpassay verify --surface tools.json --server shop",
		Annotations: map[string]string{touches: "files; the registries of what the lock holds of packages; with --live the servers and what they need",
			exits: "0 verified, 1 anything else: no lock, drift, unapproved, could not verify; 2 usage"},
		Args: noArgs("mcpassay verify --config FILE, or --lock FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(v.scanning.check(), v.reach.check()); err != nil {
				return err
			}
			return v.run(cmd.Context())
		},
	}
	v.judging = a.reporting(cmd, "verify", false)
	f := cmd.Flags()
	onceVar(f, &v.lock, "lock", "the lock `FILE`, instead of the nearest mcpassay.lock of the project")
	v.targetFlags(f)
	f.Lookup("config").Usage = "compare how the servers of this config `FILE` are started; with --live ask them"
	f.Lookup("server").Usage = "ask or compare only the server of this `NAME` (may be repeated)"
	f.Lookup("allow-exec").Usage = "with --live start the commands that the named config or the named lock holds"
	f.BoolVar(&v.live, "live", false, "ask the servers, and compare what they answer")
	onceVar(f, &v.surface, "surface", "compare what `FILE` says: a surface that scan --save wrote, or a tools list")
	f.BoolVar(&v.offline, "offline", false, "ask nobody: take what was kept of registries, and say what that leaves out")
	onceVar(f, &v.registry, "registry", "ask the MCP registry at `URL`: a mirror (default $MCPASSAY_REGISTRY, else the official one)")
	f.BoolVar(&v.noValues, "no-values", false, "leave the changed lines out of the report")
	onceVar(f, &v.policy.file, "policy", "read the project file from `FILE` instead of the nearest mcpassay.yaml")
	v.demanding.flags(f)
	v.reach.flags(f)
	a.audited(cmd)
	return cmd
}

// modes refuses flags that contradict each other.
func (v *verifying) modes() error {
	switch {
	case v.live && v.offline:
		return usage("drop one of them", "--live asks servers, and --offline asks nobody")
	case v.live && v.surface != "":
		return usage("drop one of them", "--live and --surface are two answers of one server")
	case v.config != "" && v.surface != "":
		return usage("run it twice", "--config and --surface are compared one at a time")
	case v.allowExec && !v.live:
		return usage("add --live, or drop --allow-exec", "nothing is started without --live")
	case len(v.servers) > 0 && !v.live && v.surface == "" && v.config == "":
		return usage("add --live or --surface FILE", "--server says which server is compared, and none is")
	}
	return nil
}

func (v *verifying) run(ctx context.Context) error {
	if err := v.modes(); err != nil {
		return err
	}
	v.file = v.lockFile(v.lock)
	p, err := v.loadPolicy(v.app.io.Cwd, true)
	if err != nil {
		return v.stopped(err)
	}
	demand, err := v.demanding.demand(v.judging)
	if err != nil {
		return v.stopped(err)
	}
	f, err := v.file.open()
	if err == nil && f == nil {
		err = &problem{what: "there is no lock", at: v.file.shown(), hint: "mcpassay lock writes one of what mcpassay.yaml wants, mcpassay pin one of a server that runs"}
	}
	if err != nil {
		return v.stopped(err)
	}
	facts := v.facts()
	v.check = &verify.Check{Locked: rule.Locked{File: f, Today: v.date()}, Compared: map[string]bool{}, Strict: p.Profile.Name == "strict", Facts: facts, Limits: v.app.limits}
	if f.Err == nil {
		v.check.Covers(p.Servers)
		v.check.Demands(demand)
		v.vacuous = len(f.Servers) == 0 && p.Servers == nil
		if err := v.hold(ctx, p); err != nil {
			return err
		}
		if err := v.compare(ctx); err != nil {
			return v.stopped(err)
		}
	}
	res := v.check.Result(driftRules())
	if v.noValues {
		for i := range res.Drift {
			res.Drift[i].Before, res.Drift[i].After = []string{}, []string{}
		}
	}
	v.verdict = func(res *engine.Result) int {
		if v.vacuous || v.check.Stops(res) {
			return exitFindings
		}
		return exitClean
	}
	v.own = func(w io.Writer, res *engine.Result) error {
		m := v.check.Model(res, v.vacuous, v.unchecked())
		m.Offline, m.AgeSeconds = v.offline, int64(v.age/time.Second)
		m.Drift = report.Changes(m.Drift)
		maskedModel(m)
		return report.WriteValue(w, m)
	}
	if err := v.finish(res, gate(p), v.app.io.Cwd); err != nil {
		return err
	}
	if v.format == "text" {
		v.conclude()
	}
	return nil
}

// hold holds the packages and records of the lock against their registries.
func (v *verifying) hold(ctx context.Context, p *policy.Policy) error {
	f := v.check.File
	if !slices.ContainsFunc(f.Servers, func(s *lock.Server) bool { return s.Package != nil || s.Record != nil || s.Unpinned }) {
		return nil
	}
	root, err := v.trustedRoot(v.demanding.root)
	if err != nil {
		return v.stopped(err)
	}
	m := &market{app: v.app, registry: v.registry, offline: v.offline, ca: v.reach.ca, proxy: v.reach.proxy, private: v.reach.allowPrivate, plain: v.reach.allowHTTP}
	k, old, end, err := m.locker(v.file.places(), root)
	if err != nil {
		return err
	}
	defer end()
	v.check.Registries = k.Hold(ctx, f.Lock, p.Servers)
	v.age, v.known = old.since(v.app.io.Now())
	return nil
}

// maskedModel takes secrets out of what servers and configs say of themselves.
func maskedModel(m *verify.Model) {
	for i := range m.Incomplete {
		m.Incomplete[i].Detail = secret.Mask(m.Incomplete[i].Detail)
	}
	for i := range m.Blocked {
		m.Blocked[i].Name = secret.Mask(m.Blocked[i].Name)
	}
	for i := range m.ProvenanceBlocked {
		m.ProvenanceBlocked[i].Name = secret.Mask(m.ProvenanceBlocked[i].Name)
	}
	for i := range m.Servers {
		m.Servers[i].Name = secret.Mask(m.Servers[i].Name)
	}
	for _, names := range [][]string{m.Unenforceable, m.Unpinned} {
		for i := range names {
			names[i] = secret.Mask(names[i])
		}
	}
	for i := range m.Uncovered {
		m.Uncovered[i] = secret.Mask(m.Uncovered[i])
	}
}

// driftRules are the rules on locks. No policy leaves one out, or makes one milder: who wants a change to pass approves it.
func driftRules() []*rule.Rule {
	return slices.DeleteFunc(slices.Clone(catalog.All()), func(r *rule.Rule) bool { return r.Lock == nil })
}

// gate is what a policy has a say in where locks are judged: the profile.
func gate(p *policy.Policy) *policy.Policy {
	g := policy.Default()
	g.Profile, g.Source = p.Profile, p.Source
	return g
}

// stopped is a problem that the gate answers with 1, as it answers everything that it could not verify: one with a file, not
// one with the command line.
func (v *verifying) stopped(err error) error {
	var p *problem
	if !errors.As(err, &p) || p.at == "" {
		return err
	}
	p.code = exitFindings
	if v.json {
		if failed := report.WriteValue(v.app.io.Out, verify.Failed(v.file.shown(), safe(p.what))); failed != nil {
			return failed
		}
	}
	return err
}

// compare holds the lock against what the flags name.
func (v *verifying) compare(ctx context.Context) error {
	if v.surface != "" {
		return v.fromFile()
	}
	targets, names, err := v.named()
	if err != nil || !v.live {
		return err
	}
	if len(targets) == 0 {
		return nil
	}
	surfaces, err := v.ask(ctx, targets, false)
	if err != nil {
		return err
	}
	v.asked = true
	for i, s := range surfaces {
		doc, err := source.Parse(targets[i].Label, s.Encode(), source.JSON, v.app.limits)
		if err != nil {
			v.lacks(names[i], err.Error())
			continue
		}
		v.check.Surface(names[i], card.Read(doc).Servers[0])
	}
	return nil
}

func (v *verifying) lacks(server, why string) {
	v.check.Incomplete = append(v.check.Incomplete, finding.Incomplete{Path: v.file.shown(), Cause: "surface", Detail: safe(server + ": " + why)})
}

// named are the servers to ask and their names in the lock: those of the config, else those of the lock itself.
func (v *verifying) named() (targets []scan.Target, names []string, err error) {
	f := v.check.File
	if v.config == "" {
		if !v.live {
			return nil, nil, nil
		}
		return v.ofLock()
	}
	set := load.NewSet(v.disk(), v.app.limits)
	all, config, err := v.targets(set, nil, -1)
	if err != nil {
		return nil, nil, err
	}
	v.check.Incomplete = append(v.check.Incomplete, set.Incomplete...)
	if len(all) == 0 {
		return nil, nil, &problem{what: "nothing to compare: the config starts no server", at: v.config, hint: "--server NAME takes a disabled one", code: exitFindings}
	}
	covered := map[string]bool{}
	for _, t := range all {
		if s := v.check.Launch(t.Entry, v.file.places()); s != nil {
			covered[s.Name] = true
			if s.Unpinned {
				continue // there is no answer yet to compare with
			}
			targets, names = append(targets, t), append(names, s.Name)
		}
	}
	for _, s := range f.Servers {
		if v.live && !covered[s.Name] && !s.Unpinned && len(v.servers) == 0 {
			v.lacks(s.Name, "it is in the lock and not among the servers of "+config.Path+": it was not asked")
		}
	}
	return targets, names, nil
}

// ofLock are the servers of the lock, started as it says. A repository may have written it, so that its commands run only
// for a person who names it.
func (v *verifying) ofLock() (targets []scan.Target, names []string, err error) {
	f := v.check.File
	for _, name := range v.servers {
		if f.Get(name) == nil {
			return nil, nil, v.unknown(name)
		}
	}
	for _, s := range f.Servers {
		if s.Unpinned || len(v.servers) > 0 && !slices.Contains(v.servers, s.Name) {
			continue
		}
		start := s.Launch.Start(v.file.places())
		if len(start.Argv) > 0 && (!v.allowExec || v.lock == "") {
			return nil, nil, usage("name a config with --config FILE --allow-exec, or the lock itself with --lock "+v.file.shown()+" --allow-exec, once you have looked at what it starts",
				"%s is started by a command, which runs only for a person who names the file it stands in", safe(s.Name))
		}
		targets, names = append(targets, scan.Target{Label: s.Name, Start: start}), append(names, s.Name)
	}
	return targets, names, nil
}

func (v *verifying) unknown(name string) error {
	var all []string
	for _, s := range v.check.File.Servers {
		all = append(all, safe(s.Name))
	}
	return usage("it has "+strings.Join(all, ", "), "%s has no server named %s", v.file.shown(), safe(name))
}

// fromFile compares a surface or a list that stands in a file.
func (v *verifying) fromFile() error {
	servers, err := v.surfaces(v.surface)
	if err != nil {
		return err
	}
	f := v.check.File
	for _, name := range v.servers {
		if f.Get(name) == nil {
			return v.unknown(name)
		}
	}
	switch {
	case len(v.servers) == 1 && len(servers) == 1:
		v.check.Surface(v.servers[0], servers[0])
	case len(f.Servers) == 1 && len(servers) == 1 && len(v.servers) == 0:
		v.check.Surface(f.Servers[0].Name, servers[0])
	default:
		for _, s := range servers {
			switch {
			case len(v.servers) > 0 && !slices.Contains(v.servers, s.Name):
			case f.Get(s.Name) == nil:
				v.lacks(s.Name, "it is in "+v.surface+", and the lock has no server of that name: --server NAME says whose it is")
			default:
				v.check.Surface(s.Name, s)
			}
		}
	}
	for _, name := range v.servers {
		if !v.check.Compared[name] && len(v.check.Incomplete) == 0 {
			v.lacks(name, v.surface+" does not hold it")
		}
	}
	v.asked = true
	return nil
}

// surfaces reads what servers expose from a file.
func (j *judging) surfaces(name string) ([]*card.Server, error) {
	abs := absolute(j.app.io.Cwd, name)
	j.inputs = append(j.inputs, abs)
	content, err := j.disk().Read(abs, j.app.limits.NamedBytes, "")
	if err != nil {
		return nil, &problem{what: "it can not be read: " + refusal(err).Detail, at: name, hint: "mcpassay scan … --save FILE writes one", code: exitIncomplete}
	}
	doc, err := source.Parse(lint.Named(name, j.app.io.Cwd, j.app.io.Home), content.Bytes, source.JSON, j.app.limits)
	if err != nil {
		return nil, &problem{what: "it can not be read: " + err.Error(), at: name, hint: "mcpassay scan … --save FILE writes one", code: exitIncomplete}
	}
	f := card.Read(doc)
	if f == nil || len(f.Unread) > 0 {
		return nil, &problem{what: "it is no saved surface, and no list of tools", at: name, hint: "mcpassay scan … --save FILE writes one", code: exitIncomplete}
	}
	return f.Servers, nil
}

// unchecked is what this run did not look at.
func (v *verifying) unchecked() []string {
	all := []string{}
	if !v.asked {
		all = append(all, "whether the servers still expose this: --live asks them, --surface FILE compares an answer")
	} else if f := v.check.File; f.Lock != nil {
		for _, s := range f.Servers {
			if !v.check.Compared[s.Name] {
				all = append(all, "whether "+safe(s.Name)+" still exposes this: it was not compared")
			}
		}
	}
	if v.config == "" {
		all = append(all, "whether clients start these servers and no others: --config FILE compares a config")
	}
	return all
}

// proved says what of so many servers of the lock the run looked at.
func (v *verifying) proved(servers int) string {
	if v.check.Registries != nil {
		servers -= len(v.check.Registries.Unpinned)
	}
	if servers == 0 && !v.asked && len(v.check.File.Servers) > 0 {
		return "the packages alone: no server of " + safe(filepath.ToSlash(v.file.shown())) + " is approved yet, which mcpassay pin and mcpassay approve do"
	}
	be := map[bool]string{true: "is", false: "are"}
	of, n := text.Count(servers, "server"), servers
	how := " approved"
	if v.asked {
		how = map[bool]string{true: " as it was approved", false: " as they were approved"}[len(v.check.Compared) == 1]
		if n = len(v.check.Compared); n < servers {
			how += fmt.Sprintf(", and %d approved and not compared", servers-n)
			of = fmt.Sprintf("%d of %s", n, of)
		}
	}
	return fmt.Sprintf("%s of %s %s%s", of, safe(filepath.ToSlash(v.file.shown())), be[n == 1], how)
}

// packages says what was held against registries, and how old their answers are.
func (v *verifying) packages(out io.Writer) {
	g := v.check.Registries
	if g == nil {
		return
	}
	said := fmt.Sprintf("packages: %d of %d as they were locked", g.Verified, g.Checked)
	if n := g.CheckedProvenance; n > 0 {
		said += fmt.Sprintf(", %d of %d signed by who signed them before", n-len(g.Provenance), n)
	} else {
		said += ", no signer known to hold them to"
	}
	for _, some := range []struct {
		n    int
		what string
	}{{len(g.Unenforceable), "unenforceable"}, {len(g.Unpinned), "unpinned"}} {
		if some.n > 0 {
			said += fmt.Sprintf("; %d %s", some.n, some.what)
		}
	}
	if v.offline {
		said += "; nobody was asked"
		if v.known {
			said += fmt.Sprintf(", and the oldest of what was kept is %s old", ago(v.age))
		}
	}
	said, _ = text.Wrap(said, 2, 0, v.app.io.Width)
	fmt.Fprintln(out, said)
}

// conclude says in a line what the run proved.
func (v *verifying) conclude() {
	out := v.app.io.Out
	switch f := v.check.File; {
	case v.vacuous:
		fmt.Fprintf(out, "vacuous: %s holds no server, and no mcpassay.yaml says that there should be none\n", safe(v.file.shown()))
	case v.app.code != exitClean:
		fmt.Fprintln(out, "stopped: not verified")
		if len(v.check.Changes) > 0 {
			fmt.Fprintln(out, "what changed can be accepted: pin it again with --replace, look at it, and approve it")
		}
	default:
		said, _ := text.Wrap("verified: "+v.proved(len(f.Servers)), 2, 0, v.app.io.Width)
		fmt.Fprintln(out, said)
	}
	v.packages(out)
	if v.offline || v.verbose {
		for _, u := range v.unchecked() {
			fmt.Fprintln(out, "not looked at:", u)
		}
	}
}
