package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/net"
	registrydoor "github.com/mcpassay/mcpassay/internal/effect/registry"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	auditflow "github.com/mcpassay/mcpassay/internal/flow/audit"
	"github.com/mcpassay/mcpassay/internal/flow/doctor"
	"github.com/mcpassay/mcpassay/internal/flow/find"
	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/flow/scan"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/osv"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/report"
	"github.com/mcpassay/mcpassay/internal/sign/provenance"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// auditing is what the audit verb was asked for.
type auditing struct {
	*scanning
	market            *market
	clients           []string
	live              bool
	osv, osvFile      string
	root              string
	reportJSON, sarif bool
	fixing            auditFix
	// items are what was found out, model what it comes to.
	auditor *auditflow.Auditor
	items   []*auditflow.Item
	model   *trust.Model
	// left is the model without what --fix took out; nil where nothing was. failed says that something was to go and did not.
	left   *trust.Model
	failed bool
}

// noOSV is the value of --osv that asks nobody about vulnerabilities.
const noOSV = "off"

func (a *app) auditVerb() *cobra.Command {
	t := &auditing{scanning: &scanning{}}
	cmd := &cobra.Command{
		Use: "audit", Short: "Say what is known of the servers that your clients have", GroupID: "packages",
		Long: "Find out what is known of the servers that your clients start or reach: those of your\n" +
			"own files and of this project. What an entry starts is resolved, not what it is called:\n" +
			"packages in their registries, addresses in the MCP registry, what is known of their\n" +
			"vulnerabilities, and what the rules say. Each check passed, failed or was not run, with\n" +
			"the reason. Nothing is started, but that npm is asked where its packages come from;\n" +
			"--live asks the servers too. --fix takes out the entries below --min-trust.",
		Example: "  mcpassay audit\n  mcpassay audit --json\n  mcpassay audit --report-json > audit.json\n  mcpassay audit --offline --osv-db all.zip\n" +
			"  mcpassay audit --config .mcp.json --live --allow-exec\n  mcpassay audit --fix --min-trust 60",
		Annotations: map[string]string{touches: "config files, the MCP registry, the registries of packages, OSV, npm's settings; with --live the servers; with --fix it changes config files",
			exits: "0 assessed, 1 risky, not assessed or something that could not be read, 2 refused or usage"},
		Args: noArgs("mcpassay audit --config FILE audits one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			t.fixing.chosen = cmd.Flags().Changed("min-trust")
			if err := t.check(); err != nil {
				return err
			}
			return t.run(cmd.Context())
		},
	}
	t.judging = a.judging(cmd, "audit")
	f := cmd.Flags()
	onceVar(f, &t.config, "config", "audit the servers of this config `FILE` only")
	f.StringSliceVar(&t.clients, "client", nil, "audit the servers of these `CLIENTS` only")
	f.BoolVar(&t.reportJSON, "report-json", false, "print the assessment alone as JSON: inventory, completeness, outcome, the checks of each server")
	f.BoolVar(&t.sarif, "sarif", false, "the same as --format sarif")
	f.BoolVar(&t.fixing.on, "fix", false, "take the entries out that are below --min-trust")
	f.IntVar(&t.fixing.minTrust, "min-trust", defaultMinTrust, "with --fix: keep what has at least so many `PER CENT` of what the checks that ran can reach")
	f.BoolVarP(&t.fixing.yes, "yes", "y", false, "with --fix: do not ask")
	f.BoolVar(&t.fixing.dry, "dry-run", false, "with --fix: show what would change")
	f.BoolVar(&t.live, "live", false, "ask the servers what they expose: those at an address, and with --config and --allow-exec those that are started")
	f.BoolVar(&t.allowExec, "allow-exec", false, "with --live and --config start the commands that the config names")
	f.IntVar(&t.concurrency, "concurrency", a.limits.ScanAtOnce, "with --live: how many servers to ask at once")
	t.market = &market{app: a}
	f.StringVar(&t.market.registry, "registry", "", "ask the MCP registry at `URL`: a mirror (default $MCPASSAY_REGISTRY, else the official one)")
	f.StringVar(&t.osv, "osv", "", "ask the database of vulnerabilities at `URL`, or off for nobody (default $MCPASSAY_OSV, else OSV's own)")
	f.StringVar(&t.osvFile, "osv-db", "", "read what is known of vulnerabilities from `PATH`: an archive of OSV, records, or a folder of them")
	onceVar(f, &t.root, "trusted-root", "verify attestations with the trusted root in `FILE`, instead of that of Sigstore's public instance")
	f.BoolVar(&t.market.offline, "offline", false, "ask nobody: use what was kept, and say how old it is")
	f.StringVar(&t.policy.file, "policy", "", "read the policy from `FILE` (a repository's own is not read)")
	t.reach.flags(f)
	a.audited(cmd)
	return cmd
}

// check refuses what contradicts itself (mcpm-contracts, audit: exit 2).
func (t *auditing) check() error {
	if t.sarif {
		if t.json {
			return usage("drop one of them", "--sarif and --json are two formats")
		}
		t.format = "sarif"
	}
	switch {
	case t.reportJSON && (t.json || t.format != "text"):
		return usage("drop one of them; -o FILE.json writes the full report beside it", "--report-json is a format of its own")
	case t.reportJSON && t.fixing.on:
		return usage("run them one after the other", "--report-json says what is there, and --fix changes it")
	case t.live && t.market.offline:
		return usage("drop one of them", "--live asks servers, and --offline asks nobody")
	case t.allowExec && (!t.live || t.config == ""):
		return usage("add --live --config FILE", "commands are started with --live alone, and only those of a file that you name")
	case t.osvFile != "" && t.osv != "":
		return usage("drop one of them", "--osv and --osv-db are two databases")
	}
	if err := t.fixing.check(t); err != nil {
		return err
	}
	if err := t.scanning.check(); err != nil {
		return err
	}
	return t.reach.check()
}

func (t *auditing) run(ctx context.Context) error {
	p, err := t.loadPolicy(t.app.io.Cwd, false)
	if err != nil {
		return err
	}
	opt := doctor.Options{Env: t.clientEnv(), Cwd: t.app.io.Cwd, Limits: t.app.limits, Command: t.app.command, Today: t.date(), Shown: t.shown}
	if t.config != "" {
		abs := absolute(t.app.io.Cwd, t.config)
		opt.Configs, opt.NoDiscover = []string{abs}, true
		opt.Shown = func(path string) string {
			if path == abs {
				return lint.Named(t.config, t.app.io.Cwd, t.app.io.Home)
			}
			return t.shown(path)
		}
	}
	var only []*client.Client
	for _, name := range t.clients {
		c, err := clientNamed(name)
		if err != nil {
			return err
		}
		only = append(only, c)
	}
	d := t.disk()
	v := doctor.Look(d, opt)
	client.Shadow(v.Files)
	for _, f := range v.Files {
		t.inputs = append(t.inputs, f.Abs)
	}
	t.inputs = append(t.inputs, v.Inputs()...)
	if len(only) > 0 {
		v.Files = slices.DeleteFunc(v.Files, func(f *client.File) bool { return !slices.Contains(only, f.Client) })
	}
	end, err := t.open(v)
	if err != nil {
		return err
	}
	defer end()
	t.app.children.Store(true) // npm may be asked
	told := t.progress(len(auditflow.Started(v.Files)))
	t.auditor.Told = func(name string) { told.one(scan.Target{Label: name}, nil) }
	t.items = t.auditor.Look(ctx, auditflow.Started(v.Files))
	told.end()
	if ctx.Err() != nil {
		return &problem{what: "interrupted", code: exitInterrupted}
	}
	for _, i := range t.items {
		v.Trust = append(v.Trust, i.Server)
	}
	rules := auditflow.Rules(p.Rules())
	res := v.Judge(rules, d.facts)
	for _, f := range v.Locks { // what it knows of a server counts for nothing, and may be all there is
		if f.Err != nil {
			res.Incomplete = append(res.Incomplete, finding.Incomplete{Path: f.Path, Cause: "lock", Detail: "the lock can not be relied on: " + text.Safe(f.Err.Error(), t.app.limits.ShownRunes),
				Hint: "mcpassay lock writes it anew"})
		}
	}
	exposed, err := t.exposed(ctx)
	if err != nil {
		return err
	}
	for n, i := range t.items {
		found, incomplete := t.auditor.Cards(i, exposed[n], rules, d.facts)
		res.Findings, res.Incomplete = append(res.Findings, found...), append(res.Incomplete, incomplete...)
	}
	res.Findings = p.Apply(res.Findings, nil, t.date(), policy.WithoutComments(), policy.Files(v.Files, t.policyDir), policy.Ran(rules), policy.OnlyPart())
	t.model = t.auditor.Model(t.items, res.Findings, res)
	res.Trust, res.Guards = t.model, v.Guards(t.app.logged(), t.guardPolicy())
	t.verdict = func(res *engine.Result) int {
		m := t.model
		if t.left != nil {
			m = t.left
		}
		if m.Outcome == trust.Incomplete || m.Level == trust.Risky || t.failed {
			return exitFindings
		}
		if p.FailOn != 0 && exitOf(res, p.FailOn, true) != exitClean {
			return exitFindings
		}
		return exitClean
	}
	if t.reportJSON {
		t.json, t.own = true, func(w io.Writer, res *engine.Result) error { return report.WriteValue(w, t.model) }
	}
	if t.fixing.on {
		if err := t.fixing.run(ctx, t); err != nil {
			return err
		}
	}
	return t.finish(res, p, t.app.io.Cwd)
}

// open opens the doors of an audit. end closes them.
func (t *auditing) open(v *doctor.Visit) (end func(), err error) {
	m := t.market
	m.ca, m.proxy, m.private, m.plain = t.reach.ca, t.reach.proxy, t.reach.allowPrivate, t.reach.allowHTTP
	client, packages, shut, err := m.doors()
	if err != nil {
		return nil, err
	}
	finder := &find.Finder{Registry: records{client}, Packages: packages, Base: client.Base, Facts: demoFacts{}, Now: t.app.io.Now, Limits: t.app.limits}
	t.auditor = &auditflow.Auditor{Finder: finder, Packages: packages, Cover: v.Machine.Cover, Now: t.app.io.Now, Limits: t.app.limits,
		Index: func(ctx context.Context) (*registry.Index, find.Asked, error) {
			x, from, err := client.Index(ctx)
			return x, origin(from), err
		}}
	end = shut
	root, err := t.trustedRoot(t.root)
	if err != nil {
		end()
		return nil, err
	}
	t.auditor.Signer = func(ctx context.Context, pin *pkg.Pin) (trust.Signed, bool) {
		docs, err := packages.Attestations(ctx, pin)
		if err != nil {
			return unattested(pin, err)
		}
		return signedBy(pin, provenance.Of(pin, docs, root(), t.app.limits)), false
	}
	raw, from := t.osv, "--osv"
	if raw == "" {
		raw, from = t.app.io.Getenv("MCPASSAY_OSV"), "MCPASSAY_OSV"
	}
	switch {
	case t.osvFile != "":
		files := &registrydoor.AdvisoryFiles{Path: absolute(t.app.io.Cwd, t.osvFile), Limits: t.app.limits}
		t.inputs = append(t.inputs, files.Path)
		t.auditor.Advisories, t.auditor.Want = advisories{files.Known}, files.Want
		return end, nil
	case raw == noOSV:
		t.auditor.NoAdvisories = "nobody was asked, as " + from + " off says"
		return end, nil
	case raw == "":
		raw = registrydoor.OSV
	}
	base, err := registrydoor.Base(raw)
	if err != nil {
		end()
		return nil, usage("--osv https://osv.example.com, or --osv off", "%s names no database: %s", from, err)
	}
	named := packages.Net
	named.Named = base
	door, err := net.New(named)
	if err != nil {
		end()
		return nil, usage("", "%s", err)
	}
	asked := &registrydoor.Advisories{Base: base, Door: door, Cache: client.Cache, Offline: m.offline, Now: t.app.io.Now, Limits: t.app.limits}
	t.auditor.Advisories = advisories{asked.Known}
	return func() { shut(); door.Close() }, nil
}

// unattested says why there is nothing to verify. failed says that the registry could not be asked.
func unattested(pin *pkg.Pin, err error) (s trust.Signed, failed bool) {
	var e *registry.Error
	var un *pkg.Unenforceable
	switch {
	case errors.As(err, &e) && e.Kind == registry.NotFound:
		return trust.Signed{State: trust.Fail, Detail: pin.Name + " " + pin.Version + " has no attestation"}, false
	case errors.As(err, &un):
		return trust.Signed{State: trust.NotRun, Detail: un.Error()}, false
	}
	return trust.Signed{State: trust.NotRun, Detail: err.Error()}, true
}

// signedBy is who made a package, in words.
func signedBy(pin *pkg.Pin, p lock.Provenance) trust.Signed {
	what := pin.Name + " " + pin.Version
	switch p.Status {
	case lock.Verified:
		return trust.Signed{State: trust.Pass, Detail: what + " was built by " + p.Signer + ", as " + p.Issuer + " vouches"}
	case lock.Unsigned:
		return trust.Signed{State: trust.Fail, Detail: what + " has no attestation"}
	case lock.Unsupported:
		return trust.Signed{State: trust.NotRun, Detail: what + " has attestations of a kind that is not known: " + p.Reason}
	}
	return trust.Signed{State: trust.Fail, Detail: what + " has attestations that do not hold: " + p.Reason}
}

// advisories is a database as the flow asks for it.
type advisories struct {
	known func(context.Context, pkg.Type, string, string) ([]*osv.Record, registrydoor.Origin, error)
}

func (a advisories) Known(ctx context.Context, t pkg.Type, name, version string) ([]*osv.Record, find.Asked, error) {
	all, from, err := a.known(ctx, t, name, version)
	return all, origin(from), err
}

// exposed asks the servers that may be asked what they expose; an item that was not asked has nil.
func (t *auditing) exposed(ctx context.Context) ([]*auditflow.Surface, error) {
	out := make([]*auditflow.Surface, len(t.items))
	if !t.live {
		return out, nil
	}
	var targets []scan.Target
	var at []int
	for n, i := range t.items {
		e := i.Entry
		project := e.File.Project
		if project == "" {
			project = t.app.io.Cwd
		}
		start := e.Start(client.World{Home: t.app.io.Home, Project: filepath.FromSlash(project), Getenv: t.getenv})
		if len(start.Argv) > 0 && !t.allowExec {
			continue
		}
		targets, at = append(targets, scan.Target{Label: e.Display(), Start: start, Entry: e}), append(at, n)
	}
	if len(targets) == 0 {
		return out, nil
	}
	surfaces, err := t.ask(ctx, targets, false)
	if err != nil {
		return nil, err
	}
	for k, s := range surfaces {
		one := &auditflow.Surface{}
		out[at[k]] = one
		if !s.Complete() {
			one.Gap = "it could not be asked for all"
			if len(s.Gaps) > 0 {
				one.Gap = string(s.Gaps[0].Cause) + ": " + s.Gaps[0].Detail
			}
			continue
		}
		doc, err := source.Parse(targets[k].Label, s.Encode(), source.JSON, t.app.limits)
		if err != nil {
			one.Gap = err.Error()
			continue
		}
		one.Card = card.Read(doc).Servers[0]
	}
	return out, nil
}
