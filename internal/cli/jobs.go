package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/doctor"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/flow/scan"
	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/report"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// jobs does for a server what the verbs do, and gives what they would print.
type jobs struct {
	app *app
	// private says that private addresses may be probed.
	private bool
	own     []netip.AddrPort    // at which we listen
	all     func() serve.Result // the list of every rule
}

// jobs makes them. What a stranger gives is judged in no place: no file, no variable and no program of this machine counts.
func (a *app) jobs(private bool) *jobs {
	quiet := a.io
	quiet.In, quiet.Out, quiet.Err, quiet.Terminal, quiet.ErrTerminal, quiet.Width = bytes.NewReader(nil), io.Discard, io.Discard, false, false, 0
	j := &jobs{private: private, app: &app{io: quiet, ctx: a.ctx, limits: a.limits}}
	j.app.lasting.Store(true)
	j.all = sync.OnceValue(func() serve.Result {
		r, _ := j.app.rulesResult(catalog.All()) // a row holds nothing that can fail to encode
		return r.Prepared()
	})
	return j
}

// verb is a judging verb without flags, whose report is JSON and text.
func (a *app) verb(name, env string) *judging {
	return &judging{app: a, verb: name, format: "json", env: env, platform: a.io.Platform, color: "never", failOn: finding.Error, countAdvice: true,
		started: a.io.Now()}
}

// result is a report in both of its forms.
func (j *judging) result(res *engine.Result, p *policy.Policy, base string) (serve.Result, error) {
	rep, env := j.build(res, p, base)
	var doc, line, text bytes.Buffer
	if err := errors.Join(report.Write(&doc, "json", rep, env), report.Write(&text, "text", rep, env)); err != nil {
		return serve.Result{}, err
	}
	err := json.Compact(&line, doc.Bytes())
	return serve.Result{JSON: line.Bytes(), Text: text.String()}, err
}

// stated is an error in one line, with its hint.
func stated(err error) error {
	var p *problem
	if !errors.As(err, &p) {
		return errors.New(safe(err.Error()))
	}
	line := p.what
	if len(p.faults) > 0 {
		line += ": " + strings.Join(p.faults, "; ")
	}
	if p.hint != "" {
		line += " (" + p.hint + ")"
	}
	return errors.New(safe(line))
}

// ruleRows is a list of rules as one object.
type ruleRows[T any] struct {
	Rules []T `json:"rules"`
}

func (a *app) rulesResult(all []*rule.Rule) (serve.Result, error) {
	rows := ruleRows[ruleRow]{make([]ruleRow, 0, len(all))}
	for _, r := range all {
		rows.Rules = append(rows.Rules, rowOf(r))
	}
	doc, err := plainJSON(rows)
	var text bytes.Buffer
	listRules(&text, all, 0)
	return serve.Result{JSON: doc, Text: text.String()}, err
}

// plainJSON is JSON in one line, with nothing escaped that need not be.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func (j *jobs) Rules(names []string) (serve.Result, error) {
	if len(names) == 0 {
		return j.all(), nil
	}
	var all []*rule.Rule
	for _, name := range names {
		some, err := rulesNamed(name)
		if err != nil {
			return serve.Result{}, stated(err)
		}
		all = append(all, some...)
	}
	return j.app.rulesResult(all)
}

func (j *jobs) Explain(name string) (serve.Result, error) {
	all, err := rulesNamed(name)
	if err != nil {
		return serve.Result{}, stated(err)
	}
	doc, err := plainJSON(ruleRows[rulePageRow]{pageRows(all)})
	var text bytes.Buffer
	writePages(&text, all, 0)
	return serve.Result{JSON: doc, Text: text.String()}, err
}

// nowhere is the world of a text that a stranger gave: nothing of this machine is known in it.
type nowhere struct{ platform string }

func (n nowhere) Platform() string                      { return n.platform }
func (nowhere) Home() string                            { return "" }
func (nowhere) Exists(string) rule.Tri                  { return rule.Unknown }
func (nowhere) Tracked(*client.File) (rule.Tri, string) { return rule.No, "" }
func (nowhere) Env(string) rule.Tri                     { return rule.Unknown }
func (nowhere) OnPath(string) rule.Tri                  { return rule.Unknown }

// where is where a stranger's text stands: name is a path in a project, "" for none.
func (j *jobs) where(name, clientName string) (client.Where, error) {
	root := "/project"
	if j.app.io.Platform == "windows" {
		root = `C:\project`
	}
	w := client.Where{Path: "-", Root: root, Env: client.Env{OS: j.app.io.Platform, Getenv: func(string) string { return "" }}}
	if name != "" {
		if len(name) > j.app.limits.URLBytes || !filepath.IsLocal(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '\\' }) {
			return w, errors.New("name is no path in a project: write it as .vscode/mcp.json")
		}
		w.Path = path.Clean(name)
	}
	if clientName != "" {
		c, err := clientNamed(clientName)
		if err != nil {
			return w, stated(err)
		}
		w.Client = c
	}
	return w, nil
}

func (j *jobs) Lint(config, name, clientName string) (serve.Result, error) {
	where, err := j.where(name, clientName)
	if err != nil {
		return serve.Result{}, err
	}
	set := load.NewSet(nil, j.app.limits)
	set.AddBytes(load.Ask{Named: true, Where: where}, []byte(config), nil)
	return j.judge(j.app.verb("lint", "none"), set)
}

func (j *jobs) Scan(surface, clientName string) (serve.Result, error) {
	const name = "tools.json"
	where, err := j.where(name, clientName)
	if err != nil {
		return serve.Result{}, err
	}
	set := load.NewSet(nil, j.app.limits)
	if err := scan.Read(set, name, filepath.Join(where.Root, name), []byte(surface), where.Client, j.app.limits); err != nil {
		return serve.Result{}, fmt.Errorf("tools can not be read: %s", safe(err.Error()))
	}
	return j.judge(j.app.verb("scan", "none"), set)
}

// judge judges by the built-in policy, as the command line does where no other is found.
func (j *jobs) judge(v *judging, set *load.Set) (serve.Result, error) {
	entries := 0
	for _, f := range set.Files {
		entries += len(f.Servers)
	}
	for _, f := range set.Manifests {
		entries += 1 + len(f.Packages()) + len(f.Remotes())
	}
	for _, f := range set.Cards {
		entries += len(f.Unread)
		for _, s := range f.Servers {
			entries += 1 + len(s.Cards) + len(s.Strays)
		}
	}
	if err := j.bounded(entries, 0); err != nil {
		return serve.Result{}, err
	}
	p := policy.Default()
	rules := lintRules(p)
	set.EveryClient = p.Profile.EveryClient
	res := set.Judge(rules, nowhere{v.platform})
	res.Findings = p.Apply(res.Findings, set.Docs(), v.date(), policy.Files(set.Files, ""), policy.Ran(rules), policy.OnlyPart())
	if v.verb == "scan" {
		scan.Place(res.Findings, set.Cards)
	}
	if err := j.bounded(0, len(res.Findings)); err != nil {
		return serve.Result{}, err
	}
	return v.result(res, p, "")
}

// bounded refuses what would take more than one answer may.
func (j *jobs) bounded(entries, findings int) error {
	lim := j.app.limits
	if entries > lim.ServeEntries {
		return fmt.Errorf("%d servers, tools and the like, and %d are the most for one call: the command line takes more", entries, lim.ServeEntries)
	}
	if findings > lim.ServeFindings {
		return fmt.Errorf("%d findings, and %d are the most for one answer: the command line shows them all", findings, lim.ServeFindings)
	}
	return nil
}

func (j *jobs) Doctor() (serve.Result, error) {
	v := j.app.verb("doctor", "inherit")
	v.failOn, v.countAdvice = finding.Info, false
	res, p, err := v.examine(doctor.Options{Env: v.clientEnv(), Cwd: j.app.io.Cwd, Limits: j.app.limits, Command: j.app.command, Shown: v.shown}, nil)
	if err != nil {
		return serve.Result{}, stated(err)
	}
	return v.result(res, p, j.app.io.Cwd)
}

// Probe asks an endpoint as `mcpassay probe --deep=false URL` does, on behalf of whoever named it.
func (j *jobs) Probe(ctx context.Context, section, target string) (serve.Result, error) {
	p := &probing{judging: j.app.verb("probe", "none"), era: "auto", section: section, deepSaid: true, stranger: true}
	p.reach = reach{allowPrivate: j.private, allowHTTP: j.private, ours: j.own, stranger: true, timeout: j.app.limits.RunTime}
	t, err := p.typed([]string{target}, -1, "")
	if err != nil {
		return serve.Result{}, stated(err)
	}
	surfaces, err := p.ask(ctx, t)
	if err != nil {
		return serve.Result{}, stated(err)
	}
	pol := policy.Default()
	res := p.judge(scan.Document(surfaces), surfaces[0].Label, "", pol)
	if err := j.bounded(res.Servers+res.Tools, len(res.Findings)); err != nil {
		return serve.Result{}, err
	}
	return p.result(res, pol, "")
}
