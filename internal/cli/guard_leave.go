package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/flow/guard"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/text"
)

// guardLeaves is the file of what persons have paused and allowed, in the folder of what the guard keeps.
const guardLeaves = "leaves.json"

// readLeaves reads that file; raw is nil where there is none.
func (a *app) readLeaves() (l *guard.Leaves, raw []byte, err error) {
	state := files.StateDir(a.io.Platform, a.io.Getenv, a.io.Home)
	if state == "" {
		return &guard.Leaves{}, nil, nil
	}
	path := filepath.Join(state, guardFolder, guardLeaves)
	raw, _, err = files.Read(path, files.ReadOptions{MaxBytes: a.limits.NamedBytes, Base: state, Private: true})
	if files.ReasonOf(err) == files.Missing {
		return &guard.Leaves{}, nil, nil
	}
	if err == nil {
		if l, err = guard.ReadLeaves(raw, a.limits); err == nil {
			return l, raw, nil
		}
	}
	return nil, nil, &problem{what: "what was paused or allowed can not be relied on: " + err.Error(), at: path, hint: "take the file away; nothing is paused or allowed then", code: exitFindings}
}

// changeLeaves changes that file.
func (a *app) changeLeaves(ctx context.Context, change func(*guard.Leaves) error) error {
	state := files.StateDir(a.io.Platform, a.io.Getenv, a.io.Home)
	if state == "" {
		return &problem{what: "this machine has no folder for what programs remember (HOME is not set)", code: exitFindings}
	}
	dir, err := files.PrivateFolder(state, guardFolder)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, guardLeaves)
	release, err := files.Exclusive(ctx, path, a.limits)
	if err != nil {
		return err
	}
	defer release()
	l, was, err := a.readLeaves()
	if err != nil {
		return err
	}
	if err := change(l); err != nil {
		return &problem{what: err.Error(), hint: "mcpassay guard status lists them", code: exitFindings}
	}
	now, err := l.Encode()
	if err != nil {
		return err
	}
	opt := files.WriteOptions{Base: state, Private: true, New: was == nil}
	if was != nil {
		opt.ExpectDigest = canon.Digest(was)
	}
	return files.WriteAtomic(path, now, opt)
}

// leave is what persons have told one running guard. The file is looked at when something is to be stopped, and no more often than
// GuardFollow says.
type leave struct {
	app    *app
	server string
	audit  bool

	mu     sync.Mutex
	looked time.Time
	has    *guard.Leaves
	// ends are the moments at which entries end by a clock that nobody sets.
	ends   map[guard.Given]time.Time
	warned bool
}

func (l *leave) look() (now time.Time) {
	now = l.app.io.Now()
	if l.has != nil && now.Sub(l.looked) < l.app.limits.GuardFollow {
		return now
	}
	has, _, err := l.app.readLeaves()
	if err != nil {
		if !l.warned {
			fmt.Fprintf(l.app.io.Err, "mcpassay guard: %s: everything is enforced\n", safe(err.Error()))
		}
		l.warned, has = true, &guard.Leaves{}
	}
	l.has, l.looked = has, now
	return now
}

// holds says whether an entry has not ended by that clock either.
func (l *leave) holds(g *guard.Given, now time.Time) bool {
	if g == nil {
		return false
	}
	if l.ends == nil {
		l.ends = map[guard.Given]time.Time{}
	}
	end, known := l.ends[*g]
	if !known {
		if len(l.ends) >= l.app.limits.GuardLeaves {
			clear(l.ends)
		}
		end = now.Add(g.Until.Sub(now))
		l.ends[*g] = end
	}
	return now.Before(end)
}

// Mode says whether anything is enforced at this moment.
func (l *leave) Mode() guard.Mode {
	if l.audit {
		return guard.AuditOnly
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.look()
	if l.holds(l.has.PausedAt(l.server, now), now) {
		return guard.Paused
	}
	return guard.Enforcing
}

// Allows says whether a person has allowed what a rule finds, or a tool.
func (l *leave) Allows(rule, tool string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.look()
	return l.holds(l.has.AllowedAt(l.server, rule, tool, now), now)
}

func (a *app) guardPause() *cobra.Command {
	var long, server string
	var end bool
	cmd := &cobra.Command{
		Use: "pause --for TIME | --end", Short: "Enforce nothing for a while",
		Long: "Have the guards of this machine, or of one server, move on everything for a while. What\n" +
			"they would have stopped is logged as such. A pause ends by itself, within " + hours(a.limits.GuardPause) + ";\n" +
			"--end ends it before, and without --server every pause. A guard that runs already\n" +
			"notices within a second.",
		Example:     "  mcpassay guard pause --for 15m\n  mcpassay guard pause --for 1h --server github\n  mcpassay guard pause --end",
		Annotations: map[string]string{touches: "what the guard keeps", exits: "0 done, 1 it can not be kept, 2 usage"},
		Args:        noArgs("mcpassay guard pause --for 15m"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if end == (long != "") {
				return usage("mcpassay guard pause --for 15m", "pause needs --for or --end, one of the two")
			}
			now := a.io.Now().UTC().Truncate(time.Second)
			g := guard.Given{Server: server, From: now}
			if !end {
				d, err := project.Duration(long)
				if err == nil && d > a.limits.GuardPause {
					err = fmt.Errorf("a pause lasts %s at most", hours(a.limits.GuardPause))
				}
				if err != nil {
					return usage("mcpassay guard pause --for 15m", "--for: %s", err)
				}
				g.Until = now.Add(d)
			}
			was, still := false, false
			err := a.changeLeaves(cmd.Context(), func(l *guard.Leaves) error {
				switch {
				case end && server == "":
					was, l.Paused = len(l.Paused) > 0, nil
					return nil
				case end:
					was = l.Drop(&l.Paused, g)
					still = l.PausedAt(server, now) != nil
					return nil
				}
				return l.Put(&l.Paused, g, now, a.limits)
			})
			if err != nil {
				return err
			}
			of := "all servers"
			if server != "" {
				of = safe(server)
			}
			switch {
			case !end:
				fmt.Fprintf(a.io.Out, "paused for %s until %s: nothing is enforced\n", of, g.Until.Format(time.RFC3339))
			case still:
				fmt.Fprintf(a.io.Out, "all servers are paused, %s with them: %s ends that\n", of, safe(a.command("mcpassay", "guard", "pause", "--end")))
			case was && server == "":
				fmt.Fprintln(a.io.Out, "nothing is paused any more")
			case was:
				fmt.Fprintf(a.io.Out, "no pause for %s any more\n", of)
			default:
				fmt.Fprintf(a.io.Out, "there was no pause for %s\n", of)
			}
			return nil
		},
	}
	f := cmd.Flags()
	onceVar(f, &long, "for", "how `LONG`: 90s, 15m, 1h; "+hours(a.limits.GuardPause)+" at most")
	onceVar(f, &server, "server", "the `NAME` of the server, instead of all")
	f.BoolVar(&end, "end", false, "end the pause; without --server all of them")
	return cmd
}

// hours writes a time in whole hours or days.
func hours(d time.Duration) string {
	if d%(24*time.Hour) == 0 {
		return text.Count(int(d/(24*time.Hour)), "day")
	}
	return text.Count(int(d/time.Hour), "hour")
}

// allowing is what guard allow was asked for.
type allowing struct {
	app                *app
	server, tool, rule string
	long               string
	drift, yes, remove bool
}

func (a *app) guardAllow() *cobra.Command {
	w := &allowing{app: a}
	cmd := &cobra.Command{
		Use: "allow SERVER [--tool NAME | --rule RULE | --drift]", Short: "Allow what the guard asks about or stops, after showing it",
		Long: "Show what the guard asked about or stopped, and allow it for a while: a tool for which\n" +
			"a policy says ask, what one rule finds in the frames of a server, or, with --drift,\n" +
			"what a server shows in place of what was seen first. Without one of these, list what\n" +
			"was stopped. What a policy denies, what is not in a lock and what could not be\n" +
			"inspected can not be allowed here.",
		Example: "  mcpassay guard allow github\n  mcpassay guard allow github --tool create_issue\n" +
			"  mcpassay guard allow github --rule traffic/toxic-flow --for 1d --yes\n  mcpassay guard allow github --tool create_issue --remove",
		Annotations: map[string]string{touches: "what the guard keeps", exits: "0 allowed, or nothing to allow; 1 shown and not allowed, or refused; 2 usage"},
		Args:        cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return usage("mcpassay guard allow SERVER --tool NAME", "allow needs the name of one server")
			}
			w.server = args[0]
			n := 0
			for _, given := range []bool{w.tool != "", w.rule != "", w.drift} {
				if given {
					n++
				}
			}
			switch {
			case n > 1:
				return usage("mcpassay guard allow SERVER --tool NAME", "allow takes one of --tool, --rule and --drift")
			case n == 0 && (w.yes || w.remove):
				return usage("mcpassay guard allow SERVER --tool NAME", "say what is to be allowed")
			case w.drift && w.remove:
				return usage("mcpassay guard cleanup", "what was accepted is what the server is held to now")
			}
			return w.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	onceVar(f, &w.tool, "tool", "allow the tool of this `NAME` without asking")
	onceVar(f, &w.rule, "rule", "allow what this `RULE` finds")
	f.BoolVar(&w.drift, "drift", false, "accept what the server shows in place of what was seen first (guard accept)")
	onceVar(f, &w.long, "for", "for how `LONG`: 1h, 7d (the default); "+hours(a.limits.GuardLeave)+" at most")
	f.BoolVarP(&w.yes, "yes", "y", false, "allow what is shown without asking")
	f.BoolVar(&w.remove, "remove", false, "allow it no more")
	return cmd
}

func (w *allowing) run(ctx context.Context) error {
	a := w.app
	now := a.io.Now().UTC().Truncate(time.Second)
	g := guard.Given{Server: w.server, Tool: w.tool, Rule: guard.NeedsLeave, From: now, Until: now.Add(a.limits.GuardAllow)}
	if w.long != "" {
		d, err := project.Duration(w.long)
		if err == nil && d > a.limits.GuardLeave {
			err = fmt.Errorf("something is allowed for %s at most", hours(a.limits.GuardLeave))
		}
		if err != nil {
			return usage("mcpassay guard allow SERVER --tool NAME --for 7d", "--for: %s", err)
		}
		g.Until = now.Add(d)
	}
	events, err := a.eventsOf(w.server)
	if err != nil {
		return err
	}
	switch {
	case w.drift:
		return a.accept(w.server, func() bool { return w.yes || a.io.InTerminal && a.io.ErrTerminal && agreed(a, "Accept it?") })
	case w.tool == "" && w.rule == "":
		w.list(events)
		return nil
	case w.rule != "":
		all := slices.DeleteFunc(slices.Clone(catalog.Match(w.rule)), func(r *rule.Rule) bool { return r.Traffic == nil })
		if len(all) != 1 {
			return usage("mcpassay guard list-signatures", "--rule: %s names not one rule on traffic", safe(w.rule))
		}
		if g.Rule = all[0].ID; !guard.Allowable(g.Rule) {
			return &problem{what: "what " + g.Rule + " stops can not be allowed here", hint: "mcpassay explain " + g.Rule, code: exitFindings}
		}
	}
	if w.remove {
		was := false
		if err := a.changeLeaves(ctx, func(l *guard.Leaves) error { was = l.Drop(&l.Allowed, g); return nil }); err != nil {
			return err
		}
		if !was {
			fmt.Fprintln(a.io.Out, "it was not allowed")
		} else {
			fmt.Fprintln(a.io.Out, "allowed no more")
		}
		return nil
	}
	if err := w.show(g, events); err != nil {
		return err
	}
	switch {
	case w.yes:
	case !(a.io.InTerminal && a.io.ErrTerminal):
		fmt.Fprintf(a.io.Out, "not allowed: add --yes once you have looked\n")
		a.code = exitFindings
		return nil
	case !agreed(a, "Allow it until "+g.Until.Format(time.RFC3339)+"?"):
		a.code = exitFindings
		return nil
	}
	if err := a.changeLeaves(ctx, func(l *guard.Leaves) error { return l.Put(&l.Allowed, g, now, a.limits) }); err != nil {
		return err
	}
	fmt.Fprintf(a.io.Out, "allowed until %s\n", g.Until.Format(time.RFC3339))
	return nil
}

// show says what is to be allowed.
func (w *allowing) show(g guard.Given, events []guardEvent) error {
	a := w.app
	n, last := 0, ""
	for _, e := range events {
		if slices.Contains(e.Rules, g.Rule) && (g.Tool == "" || e.Tool == safe(g.Tool)) {
			n++
			last = e.Time
		}
	}
	if g.Tool == "" {
		r, _ := catalog.ByID(g.Rule)
		fmt.Fprintf(a.io.Out, "%s of %s: %s\n  %s\n", g.Rule, safe(g.Server), r.Title, r.Trigger)
	} else {
		fmt.Fprintf(a.io.Out, "the tool %s of %s, without asking\n", safe(g.Tool), safe(g.Server))
		kept, err := a.pinFiles()
		if err != nil {
			return err
		}
		for _, p := range kept {
			if p.seen == nil || p.seen.Name != g.Server {
				continue
			}
			if item := itemNamed(p.seen.Items[0], g.Tool); item != nil {
				fmt.Fprintf(a.io.Out, "  %s\n", text.Line(string(item.JSON), a.limits.GuardedShown))
			}
		}
	}
	if n == 0 {
		fmt.Fprintln(a.io.Out, "  the log has nothing of it")
	} else {
		fmt.Fprintf(a.io.Out, "  in the log %s, at last %s\n", text.Count(n, "time"), safe(last))
	}
	return nil
}

// list says what of a server was stopped, and how it would be allowed.
func (w *allowing) list(events []guardEvent) {
	a := w.app
	seen := map[string]bool{}
	for _, e := range events {
		if e.Action != guard.Block.String() && e.Action != guard.Ask.String() || len(e.Rules) == 0 {
			continue
		}
		rule := e.Rules[0]
		how := "it can not be allowed here: mcpassay explain " + rule
		switch {
		case rule == guard.NeedsLeave && e.Tool != "":
			how = a.command("mcpassay", "guard", "allow", w.server, "--tool", e.Tool)
		case guard.Allowable(rule):
			how = a.command("mcpassay", "guard", "allow", w.server, "--rule", rule)
		case len(rule) > 6 && rule[:6] == "drift/":
			how = a.command("mcpassay", "guard", "allow", w.server, "--drift")
		}
		if line := fmt.Sprintf("%s: %s", safe(rule), safe(how)); !seen[line] {
			seen[line] = true
			fmt.Fprintln(a.io.Out, line)
		}
	}
	if len(seen) == 0 {
		fmt.Fprintf(a.io.Out, "%s: the log has nothing that was stopped\n", safe(w.server))
	}
}
