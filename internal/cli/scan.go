package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/flow/scan"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// scanning is what the scan verb was asked for, beside what every judging verb takes.
type scanning struct {
	*judging
	config, save, replay, name, client string
	servers                            []string
	allowExec, allowEmpty              bool
	concurrency                        int
	reach                              reach
}

func (a *app) scan() *cobra.Command {
	s := &scanning{}
	cmd := &cobra.Command{
		Use:     "scan URL | scan -- COMMAND [ARGS...] | scan --config FILE",
		Short:   "Ask a server what it exposes, and judge every tool, prompt and resource",
		GroupID: "check",
		Long: "Ask a server what it exposes and judge it card by card: tools, prompts, resources\n" +
			"and instructions. No tool is called. A command runs in a sandbox; the commands of a\n" +
			"config run only with --allow-exec.",
		Example: "  mcpassay scan https://mcp.example.com/mcp\n  mcpassay scan --prefetch -- npx -y @example/server\n" +
			"  mcpassay scan --config .mcp.json --allow-exec --server github\n  mcpassay scan URL --save surface.json, later: mcpassay scan --replay surface.json",
		Annotations: map[string]string{touches: "the servers that are named, and the network or the programs that they need"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(s.check(), s.reach.check()); err != nil {
				return err
			}
			return s.run(cmd.Context(), args, cmd.ArgsLenAtDash())
		},
	}
	s.judging = a.judging(cmd, "scan")
	f := cmd.Flags()
	s.targetFlags(f)
	f.StringVar(&s.save, "save", "", "write what the servers answered to `FILE`")
	f.StringVar(&s.replay, "replay", "", "judge the `FILE` that --save wrote: no network, no process")
	f.StringVar(&s.name, "name", "", "what to call a URL or a command in reports, instead of its host and path or its package: a `LABEL`")
	f.StringVar(&s.client, "client", "", "judge for this `CLIENT` (see mcpassay clients)")
	f.StringVar(&s.policy.file, "policy", "", "read the policy from `FILE` instead of the nearest mcpassay.yaml")
	f.BoolVar(&s.allowEmpty, "allow-empty", false, "having nothing to check is no failure")
	s.reach.flags(f)
	s.reach.scanFlags(f)
	a.audited(cmd)
	return cmd
}

// targetFlags are those that name servers, and say how many are asked at once.
func (s *scanning) targetFlags(f *pflag.FlagSet) {
	onceVar(f, &s.config, "config", s.verb+" the servers of this config `FILE`")
	f.StringArrayVar(&s.servers, "server", nil, "of the config only the server of this `NAME` (may be repeated), disabled or not")
	f.BoolVar(&s.allowExec, "allow-exec", false, "start the commands that the config names")
	f.IntVar(&s.concurrency, "concurrency", s.app.limits.ScanAtOnce, "how many servers to ask at once")
}

// targets are the servers that the arguments and flags name, and the config they come from, nil for none. What of a config
// is not asked is noted in set.
func (s *scanning) targets(set *load.Set, args []string, dash int) ([]scan.Target, *client.File, error) {
	if s.config == "" && (len(s.servers) > 0 || s.allowExec) {
		return nil, nil, usage("add --config FILE", "--server and --allow-exec are about a config's servers")
	}
	switch {
	case s.config != "":
		if alone := s.verb == "pin" && len(s.servers) == 1; len(args) > 0 || s.name != "" && !alone {
			return nil, nil, usage("name either a config or one server", "--config takes no URL, command or --name beside it")
		}
		all, config, err := s.fromConfig(set)
		if len(all) == 1 {
			all[0].Label = cmp.Or(s.name, all[0].Label)
		}
		return all, config, err
	case len(args) == 0:
		return nil, nil, usage(fmt.Sprintf("mcpassay %[1]s URL, mcpassay %[1]s -- COMMAND, or mcpassay %[1]s --config FILE", s.verb), "nothing to %s was named", s.verb)
	}
	t, err := s.typed(args, dash, s.name)
	return []scan.Target{t}, nil, err
}

// typed is the one server that a command line names: a URL, or a command behind --. name is what to call it, "" for its
// own name.
func (j *judging) typed(args []string, dash int, name string) (t scan.Target, err error) {
	verb := "mcpassay " + j.verb
	switch {
	case dash < 0 && len(args) == 1 && strings.Contains(args[0], "://"):
		u, err := url.Parse(args[0])
		if err != nil {
			return t, usage("write it as https://host/path", "%q is no URL", secret.MaskURL(args[0]))
		}
		return scan.Target{Label: cmp.Or(name, secret.MaskURL(wire.ShownURL(u))), Start: client.Start{URL: args[0]}}, nil
	case dash < 0 && len(args) == 1 && strings.ContainsAny(args[0], ".:") && !strings.HasPrefix(args[0], "."):
		shown := strings.TrimPrefix(secret.MaskURL("https://"+args[0]), "https://")
		scheme := "https://"
		if u, err := url.Parse("http://" + args[0]); err == nil && wire.Loopback(u) {
			scheme = "http://"
		}
		return t, usage("write it as "+scheme+shown+", or for a command "+verb+" -- "+shown, "%q is no URL", shown)
	case dash != 0:
		shown := secret.MaskArgs(args)
		shown[0] = strings.TrimPrefix(secret.MaskURL("https://"+shown[0]), "https://")
		return t, usage(verb+" URL, or "+verb+" -- "+strings.Join(shown, " "), "%q is no URL, and a command stands behind --", shown[0])
	}
	return scan.Target{Label: cmp.Or(name, commandName(args)), Start: client.Start{Argv: args}}, nil
}

// commandName is the package that a command starts, else the script of an interpreter, else the program.
func commandName(argv []string) string {
	var line launch.Line
	if line.Parse(argv); line.Package != nil && line.Package.Name != "" {
		return line.Package.Name
	}
	if line.Runner != "" {
		for _, word := range line.Rest {
			if !strings.HasPrefix(word, "-") {
				return filepath.Base(word)
			}
		}
	}
	return filepath.Base(argv[0])
}

func (s *scanning) fromConfig(into *load.Set) ([]scan.Target, *client.File, error) {
	var c *client.Client
	if s.client != "" {
		var err error
		if c, err = clientNamed(s.client); err != nil {
			return nil, nil, err
		}
	}
	abs := absolute(s.app.io.Cwd, s.config)
	set := load.NewSet(s.disk(), s.app.limits)
	f, outcome := set.Add(load.Ask{Named: true, Where: client.Where{Path: lint.Named(s.config, s.app.io.Cwd, s.app.io.Home), Abs: abs,
		Root: s.app.io.Cwd, Env: s.clientEnv(), Client: c}})
	if outcome != load.Read {
		why := "it could not be read"
		if len(set.Incomplete) > 0 {
			why = "the config can not be read: " + cmp.Or(set.Incomplete[0].Detail, set.Incomplete[0].Cause)
		}
		return nil, nil, &problem{what: why, at: s.config, hint: "name an MCP client's config file", code: exitIncomplete}
	}
	s.inputs = append(s.inputs, abs)
	project := f.Project
	if project == "" {
		project = s.app.io.Cwd
	}
	chosen := scan.Choose(f, s.servers, client.World{Home: s.app.io.Home, Project: filepath.FromSlash(project), Getenv: s.getenv})
	if len(chosen.Unknown) > 0 {
		return nil, nil, usage("it has "+strings.Join(serverNames(f), ", "), "%s has no server named %s", s.config, strings.Join(chosen.Unknown, ", "))
	}
	if most := s.app.limits.ScanTargets; len(chosen.Targets) > most {
		return nil, nil, usage("name those to ask with --server NAME", "%s has %d servers, and one scan asks %d at most", s.config, len(chosen.Targets), most)
	}
	if len(chosen.Off) > 0 {
		fmt.Fprintf(s.app.io.Err, "not started, as by its client: %s (--server NAME asks it all the same)\n", safe(strings.Join(chosen.Off, ", ")))
	}
	for _, name := range chosen.Off {
		into.Excluded = append(into.Excluded, f.Path+": "+name)
	}
	for _, n := range chosen.Broken {
		into.Incomplete = append(into.Incomplete, finding.Incomplete{Path: f.Path, Cause: "server",
			Detail: text.Safe(n.Pointer()+" is "+n.Kind().String()+", not a server: mcpassay lint says more", s.app.limits.ShownRunes)})
	}
	for _, t := range chosen.Targets {
		if len(t.Start.Missing) > 0 {
			fmt.Fprintf(s.app.io.Err, "%s: not set: %s\n", safe(t.Label), safe(strings.Join(t.Start.Missing, ", ")))
		}
		for _, left := range t.Start.Left {
			fmt.Fprintf(s.app.io.Err, "%s: %s\n", safe(t.Label), left)
		}
	}
	return chosen.Targets, f, nil
}

func serverNames(f *client.File) []string {
	var names []string
	for _, v := range f.Servers {
		names = append(names, safe(v.Display()))
	}
	return names
}

// getenv looks up what a config refers to. What rules may look up (--env) is another matter.
func (j *judging) getenv(name string) (string, bool) {
	for _, kv := range j.app.io.Environ() {
		if k, v, _ := strings.Cut(kv, "="); k == name || j.app.io.Platform == "windows" && strings.EqualFold(k, name) {
			return v, true
		}
	}
	return "", false
}

func (s *scanning) run(ctx context.Context, args []string, dash int) error {
	p, err := s.loadPolicy(s.app.io.Cwd, true)
	if err != nil {
		return err
	}
	var c *client.Client
	if s.client != "" {
		if c, err = clientNamed(s.client); err != nil {
			return err
		}
	}
	set := load.NewSet(s.disk(), s.app.limits)
	if s.replay != "" {
		if len(args) > 0 || s.config != "" || s.save != "" {
			return usage("mcpassay scan --replay FILE alone", "--replay asks no server")
		}
		err = s.fromSaved(set, c)
	} else {
		err = s.live(ctx, set, c, args, dash)
	}
	if err != nil {
		return err
	}
	if len(set.Cards) == 0 && len(set.Incomplete) == 0 {
		if !s.allowEmpty {
			return &problem{what: "nothing to scan: the config starts no server", at: s.config, hint: "--server NAME asks a disabled one; --allow-empty makes this exit 0", code: exitIncomplete}
		}
	}
	rules := lintRules(p)
	facts := s.facts()
	set.EveryClient = p.Profile.EveryClient
	res := set.Judge(rules, facts)
	res.Findings = p.Apply(res.Findings, set.Docs(), s.date(), policy.Files(set.Files, s.policyDir), policy.Ran(rules), policy.OnlyPart())
	scan.Place(res.Findings, set.Cards)
	return s.finish(res, p, s.app.io.Cwd)
}

// fromSaved reads what --save wrote.
func (s *scanning) fromSaved(set *load.Set, c *client.Client) error {
	abs := absolute(s.app.io.Cwd, s.replay)
	content, err := s.disk().Read(abs, s.app.limits.NamedBytes, "")
	if err != nil {
		return &problem{what: "the saved surface can not be read: " + refusal(err).Detail, at: s.replay, hint: "mcpassay scan … --save FILE writes one", code: exitIncomplete}
	}
	s.inputs = append(s.inputs, abs)
	s.app.audit.targets(s.replay)
	if err := scan.Read(set, lint.Named(s.replay, s.app.io.Cwd, s.app.io.Home), abs, content.Bytes, c, s.app.limits); err != nil {
		return &problem{what: "the saved surface can not be read: " + err.Error(), at: s.replay, hint: "mcpassay scan … --save FILE writes one", code: exitIncomplete}
	}
	for _, f := range set.Cards {
		for _, v := range f.Distinct() {
			set.Incomplete = append(set.Incomplete, unasked(f, v)...)
		}
	}
	return nil
}

// unasked are the lists that a probe, which is about how a server behaves, did not ask for.
func unasked(f *card.File, v *card.Server) (all []finding.Incomplete) {
	for _, k := range wire.Lists() {
		announced := v.Capabilities.Get(k.Capability()).Kind() == source.Object
		if v.Trials.Valid() && announced && k != wire.Tools && k != wire.Templates && !v.Node.Get(k.String()).Valid() {
			all = append(all, finding.Incomplete{Path: f.Path, Cause: "surface",
				Detail: k.String() + " were not asked for: the file is of a probe, which asks for the tools alone", Hint: "mcpassay scan … --save FILE asks for all"})
		}
	}
	return all
}

// live asks the servers.
func (s *scanning) live(ctx context.Context, set *load.Set, c *client.Client, args []string, dash int) error {
	targets, config, err := s.targets(set, args, dash)
	if err != nil || len(targets) == 0 {
		return err
	}
	save, err := s.mayKeep(s.save)
	if err != nil {
		return err
	}
	surfaces, err := s.ask(ctx, targets, config == nil)
	if err != nil {
		return err
	}
	raw := scan.Document(surfaces)
	path, abs := targets[0].Label, ""
	switch {
	case s.save != "":
		abs, path = save, lint.Named(s.save, s.app.io.Cwd, s.app.io.Home)
		if err := s.keep(abs, raw); err != nil {
			return err
		}
	case config != nil:
		path = config.Path
	}
	if err := scan.Read(set, path, abs, raw, c, s.app.limits); err != nil {
		set.Incomplete = append(set.Incomplete, finding.Incomplete{Path: path, Cause: "answer", Detail: text.Safe(err.Error(), s.app.limits.ShownRunes)})
	}
	return nil
}

// ask asks servers. typed says that a person typed them, so that no config names them.
func (s *scanning) ask(ctx context.Context, targets []scan.Target, typed bool) ([]*wire.Surface, error) {
	if s.concurrency < 1 {
		return nil, usage("--concurrency 4 asks four at once", "--concurrency %d asks nobody", s.concurrency)
	}
	if slices.ContainsFunc(targets, func(t scan.Target) bool { return len(t.Start.Argv) > 0 }) && !typed && !s.allowExec {
		return nil, usage("add --allow-exec once you have looked at what it starts: mcpassay lint "+s.config,
			"%s starts commands, and a config's commands run only with --allow-exec", s.config)
	}
	door, err := s.reach.door(s, targets, typed)
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		s.app.audit.targets(t.Label)
	}
	s.app.children.Store(true)
	defer s.app.children.Store(false)
	told := s.progress(len(targets))
	surfaces := scan.Ask(ctx, door, targets, s.concurrency, told.one)
	told.end()
	if ctx.Err() != nil {
		return nil, &problem{what: "interrupted", code: exitInterrupted}
	}
	return surfaces, nil
}

// mayKeep says before a server is asked whether what it says can be saved, and under which absolute name: "" for none.
func (j *judging) mayKeep(name string) (abs string, err error) {
	if name == "" {
		return "", nil
	}
	abs = absolute(j.app.io.Cwd, name)
	if j.isInput(abs) {
		return "", usage("save to another file", "%s is a file that is checked", name)
	}
	if err := files.Writable(abs, files.WriteOptions{}); err != nil {
		return "", unsaved(name, err)
	}
	return abs, nil
}

// keep saves what servers said.
func (j *judging) keep(abs string, raw []byte) error {
	if err := files.WriteAtomic(abs, raw, files.WriteOptions{}); err != nil {
		return unsaved(abs, err)
	}
	return nil
}

func unsaved(at string, err error) error {
	return &problem{what: "the surface can not be saved: " + refusal(err).Detail, at: at, hint: "name a folder that exists and can be written to", code: exitIncomplete}
}

// clearLine takes what progress shows off the terminal's line.
const clearLine = "\r\x1b[K"

// progress shows on a terminal how far a long scan is, from the moment on at which a person begins to wonder.
type progress struct {
	app         *app
	mu          sync.Mutex
	total, got  int
	last        string // that answered
	timer       *time.Timer
	shown, over bool
}

func (j *judging) progress(total int) *progress {
	p := &progress{app: j.app, total: total}
	if j.app.io.ErrTerminal {
		p.timer = time.AfterFunc(j.app.limits.ProgressAfter, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.shown = !p.over; p.shown {
				p.print()
			}
		})
	}
	return p
}

func (p *progress) one(t scan.Target, _ *wire.Surface) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got++
	p.last = ": " + safe(t.Label)
	if p.shown {
		p.print()
	}
}

func (p *progress) print() {
	fmt.Fprintf(p.app.io.Err, clearLine+"%d of %s answered%s", p.got, text.Count(p.total, "server"), p.last)
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.shown {
		fmt.Fprint(p.app.io.Err, clearLine)
	}
}
