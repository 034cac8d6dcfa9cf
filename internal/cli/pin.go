package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/flow/pin"
	"github.com/mcpassay/mcpassay/internal/flow/scan"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/text"
)

// pinning is what the pin verb was asked for.
type pinning struct {
	*scanning
	lock    string
	replace bool
	// fresh refuses every entry that is there already, approved or not.
	fresh bool
}

func (a *app) pin() *cobra.Command {
	p := &pinning{scanning: &scanning{}}
	cmd := &cobra.Command{
		Use:     "pin URL | pin -- COMMAND [ARGS...] | pin --config FILE",
		Short:   "Write down in mcpassay.lock what a server is and exposes",
		GroupID: "trust",
		Long: "Ask a server what it exposes, judge it, and write it down in mcpassay.lock, unapproved:\n" +
			"how it is started, who it says it is, its instructions and every tool, prompt and\n" +
			"resource. What can not be read in full is not pinned. An approved entry gives way\n" +
			"only with --replace.",
		Example: "  mcpassay pin --config .mcp.json --server github --allow-exec\n  mcpassay pin https://mcp.example.com/mcp --name search\n" +
			"  mcpassay pin --prefetch -- npx -y @example/server@1.2.0",
		Annotations: map[string]string{touches: "the servers that are named, what they need, and mcpassay.lock"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(p.check(), p.reach.check()); err != nil {
				return err
			}
			return p.run(cmd.Context(), args, cmd.ArgsLenAtDash())
		},
	}
	p.judging = a.judging(cmd, "pin")
	f := cmd.Flags()
	onceVar(f, &p.lock, "lock", "the lock `FILE`, instead of the nearest mcpassay.lock of the project or a new one here")
	p.targetFlags(f)
	f.StringVar(&p.name, "name", "", "the `NAME` of the entry in the lock, instead of the one server's own name, or its host and path or its package")
	f.BoolVar(&p.replace, "replace", false, "an approved entry may give way: it has to be approved again")
	f.StringVar(&p.policy.file, "policy", "", "read the policy from `FILE` instead of the nearest mcpassay.yaml")
	p.reach.flags(f)
	a.audited(cmd)
	return cmd
}

// pinned is what became of one entry.
type pinned struct {
	outcome pin.Outcome
	entry   *lock.Server
	// imported is what another tool's file said of it, nil for nothing.
	imported *lock.Partial
}

func (p *pinning) run(ctx context.Context, args []string, dash int) error {
	pol, err := p.loadPolicy(p.app.io.Cwd, true)
	if err != nil {
		return err
	}
	set := load.NewSet(p.disk(), p.app.limits)
	targets, config, err := p.targets(set, args, dash)
	if err != nil {
		return err
	}
	if len(targets) == 0 {
		return &problem{what: "nothing to pin: the config starts no server", at: p.config, hint: "--server NAME asks a disabled one", code: exitIncomplete}
	}
	file := p.lockFile(p.lock)
	var launches []lock.Launch
	for _, t := range targets {
		l, err := p.launch(t, "", file)
		if err != nil {
			return err
		}
		launches = append(launches, l)
	}
	surfaces, err := p.ask(ctx, targets, config == nil)
	if err != nil {
		return err
	}
	path := targets[0].Label
	if config != nil {
		path = config.Path
	}
	if err := scan.Read(set, path, "", scan.Document(surfaces), nil, p.app.limits); err != nil {
		return &problem{what: "what the server answered can not be read: " + err.Error(), at: path, code: exitIncomplete}
	}
	entries := p.entries(set, set.Cards, path, targets, launches, surfaces)
	made, err := p.write(ctx, file, set, entries)
	if err != nil {
		return err
	}
	rules := lintRules(pol)
	set.EveryClient = pol.Profile.EveryClient
	res := set.Judge(rules, p.facts())
	res.Findings = pol.Apply(res.Findings, set.Docs(), p.date(), policy.Ran(rules), policy.OnlyPart())
	scan.Place(res.Findings, set.Cards)
	if err := p.finish(res, pol, p.app.io.Cwd); err != nil {
		return err
	}
	out := p.app.io.Err
	if p.format == "text" {
		out = p.app.io.Out
	}
	p.tell(out, file, made)
	return nil
}

// launch is how a target is started, as the lock holds it.
func (p *pinning) launch(t scan.Target, transport string, file *lockFile) (lock.Launch, error) {
	given := pin.Given{Env: p.reach.passEnv}
	if p.reach.auth || p.reach.bearerEnv != "" || p.reach.bearerFile != "" {
		given.Headers = append(given.Headers, "authorization")
	}
	for _, h := range p.reach.headerEnv {
		name, _, _ := strings.Cut(h, "=")
		given.Headers = append(given.Headers, name)
	}
	l, err := pin.Launch(t.Entry, t.Start, p.app.io.Cwd, transport, given, file.places())
	var s *lock.SecretError
	if errors.As(err, &s) {
		return l, &problem{what: t.Label + " can not be pinned: a secret stands in " + s.Where + ", and a lock is for everybody to read",
			at: p.config, hint: s.Move, code: exitIncomplete}
	}
	return l, err
}

// entries are those of the servers that could be read in full, from the documents with what they answered. The others are noted
// in the set.
func (p *pinning) entries(set *load.Set, answers []*card.File, path string, targets []scan.Target, launches []lock.Launch, surfaces []*wire.Surface) (all []*lock.Server) {
	var servers []*card.Server
	for _, f := range answers {
		servers = append(servers, f.Servers...)
	}
	for i, t := range targets {
		l := launches[i]
		if t.Entry == nil && t.Start.URL != "" {
			l.Transport = cmp.Or(surfaces[i].Transport, string(client.HTTP))
		}
		e, err := pin.Entry(t.Label, l, servers[i], p.reach.refresh > 0)
		if err != nil {
			if surfaces[i].Complete() { // else its gaps are noted
				set.Incomplete = append(set.Incomplete, finding.Incomplete{Path: path, Cause: "surface", Detail: safe(t.Label + " can not be pinned: " + err.Error())})
			}
			continue
		}
		all = append(all, e)
	}
	return all
}

// write puts the entries into the lock. Those that may not be replaced are noted in the set.
func (p *pinning) write(ctx context.Context, file *lockFile, set *load.Set, entries []*lock.Server) (made []pinned, err error) {
	if len(entries) == 0 {
		return nil, nil
	}
	var refused []finding.Incomplete
	_, err = file.update(ctx, func(l *lock.Lock) error {
		for _, e := range entries {
			if p.name == "" {
				e.Name = pin.Named(l, e)
			}
			var was *lock.Partial
			if old := l.Get(e.Name); old != nil {
				was = old.Partial
				if p.fresh {
					refused = append(refused, taken(file.shown(), e.Name))
					continue
				}
			}
			outcome, err := pin.Put(l, e, p.replace)
			var approved *pin.ApprovedError
			if errors.As(err, &approved) {
				refused = append(refused, finding.Incomplete{Path: file.shown(), Cause: "approved", Detail: safe(err.Error()),
					Hint: "look at what changed with mcpassay diff, then pin it with --replace"})
				continue
			}
			var locked *pin.LockedError
			if errors.As(err, &locked) {
				refused = append(refused, finding.Incomplete{Path: file.shown(), Cause: "locked", Detail: safe(err.Error()),
					Hint: "give it another name with --name, or take the place of what was locked with --replace"})
				continue
			}
			if err != nil {
				return err
			}
			made = append(made, pinned{outcome, e, was})
		}
		return nil
	})
	set.Incomplete = append(set.Incomplete, refused...)
	return made, err
}

// tell says what was pinned, and the next command.
func (p *pinning) tell(w io.Writer, file *lockFile, made []pinned) {
	var fresh []string
	for _, m := range made {
		fmt.Fprintf(w, "%s: %s in %s: %s\n", safe(m.entry.Name), m.outcome, safe(file.shown()), holds(m.entry))
		if m.imported != nil {
			p.against(w, m)
		}
		if m.outcome != pin.Unchanged {
			fresh = append(fresh, m.entry.Name)
		}
	}
	if len(fresh) == 0 {
		return
	}
	words := []string{"mcpassay", "approve"}
	if p.lock != "" {
		words = append(words, "--lock", p.lock)
	}
	if slices.ContainsFunc(fresh, func(name string) bool { return strings.HasPrefix(name, "-") }) {
		words = append(words, "--")
	}
	fmt.Fprintf(w, "next, once you have looked at it: %s\n", p.app.command(append(words, fresh...)...))
}

// against says in what a server is another than a file of another tool says.
func (p *pinning) against(w io.Writer, m pinned) {
	differs := m.imported.Differs(m.entry)
	if len(differs) == 0 {
		fmt.Fprintf(w, "  all that the %s knew of it is as it was\n", safe(m.imported.From))
		return
	}
	fmt.Fprintf(w, "  it is another than the %s knew it:\n", safe(m.imported.From))
	for i, d := range differs {
		if most := p.app.limits.ShownFaults; i == most {
			fmt.Fprintf(w, "  and %d more\n", len(differs)-most)
			break
		}
		fmt.Fprintf(w, "  %s\n", safe(d))
	}
}

// holds says in words what an entry holds.
func holds(s *lock.Server) string {
	parts := []string{text.Count(len(s.Items[wire.Tools]), "tool")}
	for _, k := range wire.Lists()[1:] {
		if n := len(s.Items[k]); n > 0 {
			parts = append(parts, text.Count(n, map[wire.ListKind]string{wire.Prompts: "prompt", wire.Resources: "resource", wire.Templates: "template"}[k]))
		}
	}
	if s.Instructions != nil {
		parts = append(parts, "instructions")
	}
	return strings.Join(parts, ", ")
}
