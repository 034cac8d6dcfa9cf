package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/flow/probe"
	"github.com/mcpassay/mcpassay/internal/flow/scan"
	"github.com/mcpassay/mcpassay/internal/grade"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/text"
)

// probing is what the probe verb was asked for, beside what every judging verb takes.
type probing struct {
	*judging
	save, replay, name string
	era, section       string
	// stranger says that the target was named by somebody else than the user of this program.
	stranger       bool
	deep, deepSaid bool
	timeoutSaid    bool
	watch          time.Duration
	reach          reach
}

func (a *app) probe() *cobra.Command {
	p := &probing{}
	cmd := &cobra.Command{
		Use:     "probe URL | probe -- COMMAND [ARGS...]",
		Short:   "Grade how an endpoint behaves: handshake, tools, errors, discovery",
		GroupID: "check",
		Long: "Grade how an endpoint behaves: handshake, tools, errors, and the documents that clients\n" +
			"look for. No tool is called. At most 19 requests, two at a time; --deep sends the rest of\n" +
			"the table in docs/probe.md, which a server of this machine gets by itself.\n\n" +
			"An endpoint that wants credentials has no grade: it is gated, which is exit code 2.",
		Example: "  mcpassay probe https://mcp.example.com/mcp\n  mcpassay probe --min-grade B -- npx -y @example/server\n" +
			"  mcpassay probe https://mcp.example.com/mcp --save probe.json\n  mcpassay probe --replay probe.json --output report.html\n" +
			"  mcpassay probe fixture://demo",
		Annotations: map[string]string{touches: "the one server that is named, and the network or the program that it needs"},
		RunE: func(cmd *cobra.Command, args []string) error {
			p.deepSaid, p.timeoutSaid = cmd.Flags().Changed("deep"), cmd.Flags().Changed("timeout")
			if err := cmp.Or(p.check(), p.reach.check(), p.usage()); err != nil {
				return err
			}
			return p.run(cmd.Context(), args, cmd.ArgsLenAtDash())
		},
	}
	p.judging = a.judging(cmd, "probe")
	f := cmd.Flags()
	f.StringVar(&p.era, "era", "auto", "the era to try: auto (the newest that the server claims), modern (from 2026-07-28), legacy, both")
	f.BoolVar(&p.deep, "deep", false, "send the whole table of requests, which a server of this machine gets unless --deep=false")
	f.StringVar(&p.section, "section", "", "only one `PART` of the score card: "+strings.Join(probe.Sections(), ", "))
	f.StringVar(&p.minGrade, "min-grade", "", "exit 1 below this `GRADE`: "+strings.Join(grade.Grades(), ", "))
	f.DurationVar(&p.watch, "watch", 0, "probe again after each `PAUSE`, and print a line with what changed, until interrupted")
	f.StringVar(&p.save, "save", "", "write what the server answered to `FILE`")
	f.StringVar(&p.replay, "replay", "", "judge the `FILE` that --save wrote: no network, no process")
	f.StringVar(&p.name, "name", "", "what to call the server in reports: a `LABEL`")
	f.StringVar(&p.policy.file, "policy", "", "read the policy from `FILE` instead of the nearest mcpassay.yaml")
	p.reach.flags(f)
	a.audited(cmd)
	return cmd
}

// usage checks the flags of this verb alone.
func (p *probing) usage() error {
	if !slices.Contains([]string{"auto", wire.EraModern, wire.EraLegacy, probe.EraBoth}, p.era) {
		return usage("use auto, modern, legacy or both", "unknown --era %q", p.era)
	}
	if p.section != "" && !slices.Contains(probe.Sections(), p.section) {
		return usage("use "+strings.Join(probe.Sections(), ", "), "unknown --section %q", p.section)
	}
	if p.section != "" && (p.save != "" || p.replay != "") {
		return usage("leave --section out", "a file holds a whole probe: --save and --replay do not go with --section")
	}
	if p.minGrade = strings.ToUpper(p.minGrade); p.minGrade != "" && !slices.Contains(grade.Grades(), p.minGrade) {
		return usage("use "+strings.Join(grade.Grades(), ", "), "unknown --min-grade %q", p.minGrade)
	}
	if least := p.app.limits.WatchPause; p.watch != 0 && p.watch < least {
		return usage("--watch 5m is a good pause", "--watch %v is less than %v: others use the server too", p.watch, least)
	}
	if p.watch != 0 && (p.replay != "" || p.save != "" || len(p.outputs) > 0 || p.format != "text") {
		return usage("probe once for a report", "--watch prints a line each time: --replay, --save, --output and --format do not go with it")
	}
	return nil
}

func (p *probing) run(ctx context.Context, args []string, dash int) error {
	pol, err := p.loadPolicy(p.app.io.Cwd, true)
	if err != nil {
		return err
	}
	if p.replay != "" {
		if len(args) > 0 || p.save != "" {
			return usage("mcpassay probe --replay FILE alone", "--replay asks no server")
		}
		p.app.audit.targets(p.replay)
		return p.again(pol)
	}
	if len(args) == 0 {
		return usage("mcpassay probe URL, or mcpassay probe -- COMMAND", "nothing to probe was named")
	}
	t, err := p.typed(args, dash, p.name)
	if err != nil {
		return err
	}
	if strings.HasPrefix(t.Start.URL, "fixture:") && !probe.IsDemo(t.Start.URL) {
		return usage("mcpassay probe fixture://demo", "one endpoint is built in: fixture://demo")
	}
	p.app.audit.targets(t.Label)
	if p.watch > 0 {
		return p.watching(ctx, t, pol)
	}
	abs, err := p.mayKeep(p.save)
	if err != nil {
		return err
	}
	told := p.progress(1)
	surfaces, err := p.ask(ctx, t)
	told.end()
	if err != nil {
		return err
	}
	raw := scan.Document(surfaces)
	path := surfaces[0].Label
	if abs != "" {
		path = lint.Named(p.save, p.app.io.Cwd, p.app.io.Home)
		if err := p.keep(abs, raw); err != nil {
			return err
		}
	}
	return p.finish(p.judge(raw, path, abs, pol), pol, p.app.io.Cwd)
}

// judge reads a transcript and judges it.
func (p *probing) judge(raw []byte, path, abs string, pol *policy.Policy) *engine.Result {
	set := load.NewSet(p.disk(), p.app.limits)
	if err := scan.Read(set, path, abs, raw, nil, p.app.limits); err != nil {
		set.Incomplete = append(set.Incomplete, finding.Incomplete{Path: path, Cause: "answer", Detail: text.Safe(err.Error(), p.app.limits.ShownRunes)})
	}
	return p.judged(set, pol)
}

func (p *probing) judged(set *load.Set, pol *policy.Policy) *engine.Result {
	rules := lintRules(pol)
	set.EveryClient = pol.Profile.EveryClient
	res := probe.Judge(set, rules, p.facts())
	if p.section != "" && res.Score != nil {
		grade.Only(res.Score, p.section)
		res.Findings = slices.DeleteFunc(res.Findings, func(f finding.Finding) bool { return f.Section != p.section })
	}
	res.Findings = pol.Apply(res.Findings, set.Docs(), p.date(), policy.Files(set.Files, p.policyDir), policy.Ran(rules), policy.OnlyPart())
	scan.Place(res.Findings, set.Cards)
	return res
}

// again judges what --save wrote.
func (p *probing) again(pol *policy.Policy) error {
	abs := absolute(p.app.io.Cwd, p.replay)
	content, err := p.disk().Read(abs, p.app.limits.NamedBytes, "")
	bad := func(why string) error {
		return &problem{what: "the transcript can not be read: " + why, at: p.replay, hint: "mcpassay probe … --save FILE writes one", code: exitIncomplete}
	}
	if err != nil {
		return bad(refusal(err).Detail)
	}
	p.inputs = append(p.inputs, abs)
	set := load.NewSet(p.disk(), p.app.limits)
	if err := scan.Read(set, lint.Named(p.replay, p.app.io.Cwd, p.app.io.Home), abs, content.Bytes, nil, p.app.limits); err != nil {
		return bad(err.Error())
	}
	res := p.judged(set, pol)
	tried := slices.ContainsFunc(set.Cards, func(f *card.File) bool {
		return slices.ContainsFunc(f.Servers, func(s *card.Server) bool { return s.Trials.Valid() })
	})
	if !tried {
		return &problem{what: "nobody probed: the file holds what a server exposes, and no trial of how it behaves", at: p.replay,
			hint: "mcpassay scan --replay judges it, mcpassay probe … --save FILE writes a transcript", code: exitIncomplete}
	}
	return p.finish(res, pol, p.app.io.Cwd)
}

// ask probes a server once.
func (p *probing) ask(ctx context.Context, t scan.Target) ([]*wire.Surface, error) {
	a := &asker{reach: &p.reach, judging: p.judging, typed: !p.stranger}
	if len(t.Start.Argv) > 0 && p.reach.credentials() {
		return nil, usage("give a command its secrets with --pass-env", "a credential goes to a URL, and a command was named")
	}
	secrets := a.give(&t.Start)
	o := probe.Options{Deep: p.deep, Section: p.section, Client: "mcpassay", ClientVersion: Version, Secrets: secrets, Limits: p.app.limits, Nonce: strings.ToLower(rand.Text())}
	if p.era != "auto" {
		o.Era = p.era
	}
	if !p.deepSaid {
		o.Deep = len(t.Start.Argv) > 0 || probe.OnThisMachine(t.Start.URL)
	}
	if o.Limits.RunTime = p.reach.timeout; o.Deep && !p.timeoutSaid {
		o.Limits.RunTime = p.app.limits.ProbeDeepTime
	}
	target := probe.Target{Label: t.Label, URL: t.Start.URL}
	var all []*wire.Surface
	switch {
	case probe.IsDemo(t.Start.URL):
		return probe.Demo(ctx, o), nil
	case t.Start.URL != "":
		door, err := a.network(ctx, t.Start, o.Limits)
		if err != nil {
			return untried(t, err), nil
		}
		defer door.Close()
		target.Door = door
		all = probe.Surfaces(ctx, target, o)
	default:
		p.app.children.Store(true)
		defer p.app.children.Store(false)
		start, end, err := a.starter(ctx, t.Start, o.Limits)
		if err != nil {
			return untried(t, err), nil
		}
		defer end()
		target.Start = start
		all = probe.Surfaces(ctx, target, o)
	}
	if ctx.Err() != nil {
		return nil, &problem{what: "interrupted", code: exitInterrupted}
	}
	if p.watch == 0 {
		a.unlocked(t.Start, all[0])
	}
	for _, s := range all {
		a.excuse(t.Start, s)
		s.Hide(secrets)
	}
	return all, nil
}

// untried is the transcript of a server that could not be probed at all.
func untried(t scan.Target, err error) []*wire.Surface {
	s := refused(t, err)
	s.Trials = []wire.Tried{}
	return []*wire.Surface{s}
}

// watching probes again and again, and prints a line each time.
func (p *probing) watching(ctx context.Context, t scan.Target, pol *policy.Policy) error {
	before := ""
	for {
		surfaces, err := p.ask(ctx, t)
		if err != nil {
			return err
		}
		res := p.judge(scan.Document(surfaces), t.Label, "", pol)
		line, state := watchLine(res, before)
		if _, err := fmt.Fprintf(p.app.io.Out, "%s  %s\n", p.app.io.Now().UTC().Format(time.RFC3339), line); err != nil {
			return &problem{what: "the line can not be printed: " + err.Error(), code: exitIncomplete}
		}
		before = state
		select {
		case <-time.After(p.watch):
		case <-ctx.Done():
			return &problem{what: "interrupted", code: exitInterrupted}
		}
	}
}

// watchLine is one round in a line: the grade, and what is new and what is gone since the round whose state is before, "" for
// none. state is this round's, a line for each thing that is wrong; where nothing could be asked it is the one before, as what was
// wrong then is not gone.
func watchLine(res *engine.Result, before string) (line, state string) {
	now := map[string]bool{}
	var wrong []string
	add := func(s string) {
		if !now[s] {
			now[s] = true
			wrong = append(wrong, s)
		}
	}
	line = "no grade"
	if c := res.Score; c != nil {
		switch {
		case c.Gated:
			line = "gated"
		case c.Grade != "":
			line = fmt.Sprintf("%s %d", c.Grade, c.Total)
		}
	}
	for _, i := range res.Incomplete {
		add("not checked: " + safe(i.Detail))
	}
	if c := res.Score; c == nil || c.Grade == "" && !c.Gated {
		return line + "  " + strings.Join(wrong, "; "), before
	}
	for i := range res.Findings {
		if f := &res.Findings[i]; f.Status == finding.Active {
			add(f.Rule + ": " + safe(f.Message))
		}
	}
	state = "\n" + strings.Join(wrong, "\n")
	if before == "" {
		return fmt.Sprintf("%s  %s", line, text.Count(len(wrong), "finding")), state
	}
	var changes []string
	old := map[string]bool{}
	for _, s := range strings.Split(before, "\n")[1:] {
		old[s] = true
		if s != "" && !now[s] {
			changes = append(changes, "gone: "+s)
		}
	}
	for _, s := range wrong {
		if !old[s] {
			changes = append(changes, "new: "+s)
		}
	}
	if len(changes) == 0 {
		return line + "  no change", state
	}
	return line + "  " + strings.Join(changes, "; "), state
}
