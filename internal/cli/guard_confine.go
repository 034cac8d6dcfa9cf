package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/effect/sandbox"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
)

// bounds are what a confined server was allowed on the command line.
type bounds struct {
	executor    string
	read, write []string
	connect     []int
	net         bool
}

func (b *bounds) flags(f *pflag.FlagSet) {
	f.StringVar(&b.executor, "executor", "", "confine the server by this `WAY`: auto, landlock, bubblewrap, seatbelt, job; without it, it runs as it would by itself")
	f.BoolVar(&b.net, "allow-net", false, "with --executor let it use the network")
	f.StringArrayVar(&b.read, "allow-read", nil, "confine it, and let it read this `DIR` or file, but no secrets in it (may be repeated)")
	f.StringArrayVar(&b.write, "allow-write", nil, "confine it, and let it write in this `DIR` (may be repeated)")
	f.IntSliceVar(&b.connect, "allow-connect", nil, "confine it, and let it connect to this TCP `PORT` of any host and use no other network (may be repeated)")
}

// boundsOnly are these flags alone.
func boundsOnly() *pflag.FlagSet {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(bounds).flags(f)
	return f
}

// named says that single folders or ports were named.
func (b *bounds) named() bool { return len(b.read)+len(b.write)+len(b.connect) > 0 }

// in are the folders by their whole names.
func (b *bounds) in(cwd string) (read, write []string) {
	for _, dir := range b.read {
		read = append(read, absolute(cwd, dir))
	}
	for _, dir := range b.write {
		write = append(write, absolute(cwd, dir))
	}
	return read, write
}

// ports are checked ones.
func ports(connect []int) (all []uint16, err error) {
	for _, n := range connect {
		if n < 1 || n > 1<<16-1 {
			return nil, usage("1 to 65535", "--allow-connect %d is no TCP port", n)
		}
		all = append(all, uint16(n))
	}
	return all, nil
}

// confined makes of a start one within the bounds of the lock's entry, or of the command line. end cleans up behind it.
func (g *guarding) confined(ctx context.Context, start proc.Command) (_ proc.Command, how string, end func(), err error) {
	a, b := g.app, g.bounds
	end = func() {}
	spec := sandbox.Spec{Executor: sandbox.Backend(b.executor), Argv: start.Argv, Parent: start.Env, InheritEnv: true, Dir: start.Dir, AllowNet: b.net, Lasting: true, Limits: a.limits}
	profile := &sandbox.Profile{Loose: !b.named()}
	switch {
	case g.entry != nil && g.entry.Confinement != nil:
		c := g.entry.Confinement
		if b.named() || b.net {
			return start, "", end, &problem{what: g.entry.Name + " is confined by its entry in the lock, and nothing is allowed beside that", hint: "mcpassay guard confine changes the entry", code: exitFindings}
		}
		if spec.Executor == "" {
			spec.Executor = sandbox.Backend(c.Executor)
		}
		profile.Loose, spec.AllowNet = false, c.Network
		profile.Read, profile.Write = c.On(g.places)
		if profile.Connect, err = ports(c.Connect); err != nil {
			return start, "", end, err
		}
	case b.executor == "" && !b.named():
		if b.net {
			return start, "", end, usage("mcpassay guard run --executor auto --allow-net -- COMMAND", "--allow-net goes with --executor")
		}
		return start, "", end, nil
	default:
		profile.Read, profile.Write = b.in(a.io.Cwd)
		if profile.Connect, err = ports(b.connect); err != nil {
			return start, "", end, err
		}
	}
	env := client.Env{OS: a.io.Platform, Home: a.io.Home, Getenv: a.io.Getenv}
	for _, c := range client.UserFiles(env) {
		if c.Pattern == "" {
			profile.Secret = append(profile.Secret, c.Path)
		}
	}
	if state := files.StateDir(a.io.Platform, a.io.Getenv, a.io.Home); state != "" {
		profile.Secret = append(profile.Secret, state)
	}
	if home := env.ConfigHome(); home != "" {
		profile.Secret = append(profile.Secret, filepath.Join(home, lock.Folder))
	}
	spec.Profile = profile
	plan, err := sandbox.New(ctx, spec)
	if err != nil {
		hint := "another --executor, or none"
		if r, ok := err.(*sandbox.Refusal); ok && r.Hint != "" {
			hint = r.Hint
		}
		return start, "", end, &problem{what: "the server can not be confined: " + err.Error(), hint: hint, code: exitFindings}
	}
	how = ", confined by " + string(plan.Backend)
	not := plan.NotEnforced
	for _, dir := range profile.Write {
		if g.held != "" && strings.HasPrefix(g.held, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator)) {
			not = append(slices.Clip(not), "the lock lies in a folder that it may write")
			break
		}
	}
	if len(not) > 0 {
		how += " (not enforced: " + strings.Join(not, "; ") + ")"
	}
	return plan.Command, how, func() { _ = plan.Cleanup() }, nil
}

func (a *app) guardConfine() *cobra.Command {
	b, none, name := &bounds{}, false, ""
	cmd := &cobra.Command{
		Use:   "confine SERVER [--allow-read DIR] [--allow-write DIR] [--allow-connect PORT]",
		Short: "Write into the lock what a server may reach when the guard starts it",
		Long: "Put a profile into a server's entry of mcpassay.lock, in place of the one that it has:\n" +
			"the folders that it may read and write, and the TCP ports that it may connect to,\n" +
			"beside its own program. guard run keeps it to that wherever it is started, or refuses\n" +
			"to start it. The profile is a part of what is approved: it has to be approved again.",
		Example: "  mcpassay guard confine files --allow-read docs --allow-write out\n" +
			"  mcpassay guard confine github --allow-connect 443 --allow-connect 53\n" +
			"  mcpassay guard confine files --none",
		Annotations: map[string]string{touches: "the lock", exits: "0 written, or so already; 1 refused: no such server, or a profile that none is; 2 usage, or the lock can not be written"},
	}
	f := cmd.Flags()
	onceVar(f, &name, "lock", "the lock `FILE`, instead of the nearest mcpassay.lock")
	b.flags(f)
	f.Lookup("executor").Usage = "confine it by this `WAY` on every machine: landlock, bubblewrap, seatbelt; auto, without it, is the best of each"
	f.Lookup("allow-net").Usage = "let it use all of the network"
	f.BoolVar(&none, "none", false, "take the profile out")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("mcpassay guard confine SERVER --allow-read DIR", "guard confine needs the name of a server of the lock")
		}
		if none && (b.named() || b.net || b.executor != "") {
			return usage("one of the two", "--none takes the profile out, and the others put one in")
		}
		if _, err := ports(b.connect); err != nil {
			return err
		}
		return a.confine(cmd.Context(), name, args[0], b, none)
	}
	return cmd
}

// confine changes the profile of an entry.
func (a *app) confine(ctx context.Context, file, server string, b *bounds, none bool) error {
	j := &judging{app: a, platform: a.io.Platform, env: "none"}
	f := j.lockFile(file)
	var profile *lock.Confinement
	if !none {
		read, write := b.in(a.io.Cwd)
		var err error
		if profile, err = lock.NewConfinement(b.executor, read, write, b.connect, b.net, f.places()); err != nil {
			return &problem{what: "this is no profile: " + err.Error(), hint: "mcpassay guard confine --help", code: exitFindings}
		}
	}
	approved := false
	written, err := f.update(ctx, func(l *lock.Lock) error {
		old := l.Get(server)
		if old == nil {
			return &problem{what: "the lock holds no server called " + server, at: f.shown(), hint: "mcpassay pin writes one", code: exitFindings}
		}
		if old.Launch.Command == "" {
			return &problem{what: server + " has an address and no command: it runs elsewhere", at: f.shown(), hint: "confine what is started here", code: exitFindings}
		}
		now := *old
		now.Confinement = profile
		l.Put(&now)
		approved = len(l.Approved(l.Get(server))) > 0
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case !written:
		fmt.Fprintf(a.io.Out, "%s: it is confined so already\n", safe(server))
	case none:
		fmt.Fprintf(a.io.Out, "%s: its entry says nothing any more of what confines it\n", safe(server))
	default:
		fmt.Fprintf(a.io.Out, "%s: confined by %s, reads %d and writes %d beside its program, connects to %s\n", safe(server), profile.Executor, len(profile.Read), len(profile.Write), profile.Reached())
	}
	if written && !approved {
		fmt.Fprintf(a.io.Out, "the profile is not approved yet: %s\n", safe(a.command("mcpassay", "approve", server)))
	}
	return nil
}

// confinementModel is what guard status --confine prints as JSON.
type confinementModel struct {
	SchemaVersion int              `json:"schemaVersion"`
	Platform      string           `json:"platform"`
	Executors     []executorBounds `json:"executors"`
}

type executorBounds struct {
	Executor string `json:"executor"`
	Usable   bool   `json:"usable"`
	Why      string `json:"why,omitempty"`
	// Auto says that it is the one that auto takes.
	Auto       bool            `json:"auto"`
	Properties []boundProperty `json:"properties"`
}

type boundProperty struct {
	Property string `json:"property"`
	State    string `json:"state"` // kept, partly or open
	Detail   string `json:"detail,omitempty"`
}

// showConfinement says what holds on this machine.
func (a *app) showConfinement(ctx context.Context, asJSON bool) error {
	m := confinementModel{SchemaVersion: 1, Platform: a.io.Platform, Executors: []executorBounds{}}
	a.children.Store(true)
	auto := false
	for _, b := range sandbox.Holding(ctx, a.io.Environ(), a.limits) {
		e := executorBounds{Executor: string(b.Backend), Usable: b.Absent == "", Why: safe(b.Absent), Properties: []boundProperty{}}
		if e.Usable && !auto && (b.Backend == sandbox.Bubblewrap || b.Backend == sandbox.Landlock) {
			e.Auto, auto = true, true
		}
		for _, p := range b.Bounds {
			e.Properties = append(e.Properties, boundProperty{p.Of, p.State, p.Why})
		}
		m.Executors = append(m.Executors, e)
	}
	if asJSON {
		return a.printJSON(m)
	}
	for i, e := range m.Executors {
		if i > 0 {
			fmt.Fprintln(a.io.Out)
		}
		switch {
		case !e.Usable:
			fmt.Fprintf(a.io.Out, "%s: not here: %s\n", e.Executor, e.Why)
		case e.Auto:
			fmt.Fprintf(a.io.Out, "%s (auto takes it)\n", e.Executor)
		default:
			fmt.Fprintln(a.io.Out, e.Executor)
		}
		for _, p := range e.Properties {
			fmt.Fprintln(a.io.Out, strings.TrimRight(fmt.Sprintf("  %-15s %-7s %s", p.Property, p.State, p.Detail), " "))
		}
	}
	return nil
}
