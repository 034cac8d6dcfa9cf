package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/flow/gateway"
	"github.com/mcpassay/mcpassay/internal/flow/guard"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	policies "github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// guarding is what guard run was asked for.
type guarding struct {
	app         *app
	server      string
	lock        string
	requireLock bool
	policy      string
	// project is the file whose guard section is the project's, "" for the nearest mcpassay.yaml; dir is where the server runs, "" for
	// where the guard does.
	project, dir string
	auditOnly    bool
	bounds       bounds
	// entry is the one of the lock that holds the server, places the folders by which it is written and held the lock's file; nil and
	// "" for a server that no lock holds.
	entry  *lock.Server
	places lock.Places
	held   string
	// name is what the server is called, session what tells runs apart in the log.
	name, session string
	unlogged      atomic.Bool
	begun         time.Time

	// over HTTP
	listen, upstream string
	door             serving
	reach            reach
}

func (a *app) guardRun() *cobra.Command {
	g := &guarding{app: a}
	cmd := &cobra.Command{
		Use:   "run [--server NAME] (-- COMMAND [ARGS...] | --listen ADDRESS --upstream URL)",
		Short: "Stand between a server and its client",
		Long: "Start a server on stdio and move what it and its client say on as it came. A server\n" +
			"that a lock holds is held to it; of any other what is seen first is kept, and holds\n" +
			"from then on. A client starts this in place of the server's own command.\n\n" +
			"With --listen and --upstream do the same for a server with a URL: its clients are\n" +
			"given http://ADDRESS/mcp in place of it (Streamable HTTP).",
		Example: "  mcpassay guard run -- npx -y @modelcontextprotocol/server-memory@2026.1.26\n" +
			"  mcpassay guard run --policy guard.yaml -- npx -y @example/memory@1.0.0\n" +
			"  mcpassay guard run --server memory --require-lock -- npx -y @example/memory@1.0.0\n" +
			"  mcpassay guard run --listen 127.0.0.1:8090 --upstream https://mcp.example.com/mcp",
		Annotations: map[string]string{touches: "the server that is named, with --listen one port, locks, policies, and what the guard keeps of servers",
			exits: "the server's own, with --listen 0 ended by an interrupt; 1 refused before it was started; 2 usage"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if g.listen != "" || g.upstream != "" {
				return g.runHTTP(cmd, args)
			}
			if name := firstChanged(cmd, httpOnly()); name != "" {
				return usage("mcpassay guard run --listen 127.0.0.1:8090 --upstream URL", "--%s is about a server with a URL", name)
			}
			if cmd.ArgsLenAtDash() != 0 || len(args) == 0 {
				return usage("mcpassay guard run -- COMMAND [ARGS...]", "guard run needs a command behind --")
			}
			return g.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	onceVar(f, &g.server, "server", "the `NAME` of the server; its entry in the lock must be this command")
	onceVar(f, &g.policy, "policy", "hold the server's calls to the guard section of this `FILE`, instead of those of the user's own and the project's mcpassay.yaml")
	f.BoolVar(&g.auditOnly, "audit-only", false, "enforce nothing: move everything on and log what would have been stopped")
	onceVar(f, &g.lock, "lock", "the lock `FILE`, instead of the nearest mcpassay.lock and the user's own")
	g.bounds.flags(f)
	var written string // these two are guard disable's
	var bare bool
	f.StringVar(&written, client.GuardWritten[2:], "", "")
	f.BoolVar(&bare, client.GuardBare[2:], false, "")
	_ = f.MarkHidden(client.GuardWritten[2:])
	_ = f.MarkHidden(client.GuardBare[2:])
	f.BoolVar(&g.requireLock, "require-lock", false, "refuse a server that no lock holds, or whose entry nobody approved")
	g.httpFlags(f)
	return cmd
}

func (g *guarding) run(ctx context.Context, argv []string) error {
	a := g.app
	g.session, g.name = rand.Text(), cmp.Or(g.server, filepath.Base(argv[0]))
	gate, how, err := g.gate(ctx, guarded{argv: argv})
	if err != nil {
		g.stopped("launch", err.Error())
		return err
	}
	start := proc.Command{Argv: argv, Env: a.io.Environ(), Dir: a.io.Cwd}
	bytes, err := g.packaged(start)
	if err != nil {
		return err
	}
	opt, by, err := g.options(gate)
	if err != nil {
		g.stopped("launch", err.Error())
		return err
	}
	opt.Key = rand.Text()
	how += by + bytes
	stderr, ok := a.io.Err.(*os.File)
	if !ok {
		stderr = os.Stderr
	}
	broken := make(chan os.Signal, 1) // a client that is gone is an error of a write, and not our end: the child has to end first
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	a.children.Store(true)
	a.lasting.Store(true)
	start, within, end, err := g.confined(ctx, start)
	if err != nil {
		if p := (*problem)(nil); errors.As(err, &p) && p.code == exitFindings {
			g.stopped("confinement", p.what)
		}
		return err
	}
	defer end()
	how += within
	child, in, out, err := proc.Through(ctx, start, stderr, a.limits)
	if err != nil {
		return &problem{what: "the server was not started: " + err.Error(), hint: "check its command", code: exitFindings}
	}
	fmt.Fprintf(a.io.Err, "mcpassay guard: %s\n", how)
	g.tell(opt)
	drain := func() { time.AfterFunc(a.limits.GuardDrain, child.Terminate) }
	r := guard.Relay{Judge: guard.NewSession(opt), Limits: a.limits, Saw: g.saw(g.session)}
	done := make(chan error, 1)
	go func() {
		done <- r.Run(guard.Ends{ClientIn: a.io.In, ClientOut: a.io.Out, ServerIn: ending{in, drain}, ServerOut: out})
	}()
	select {
	case err = <-done:
	case <-child.Exited():
		select { // what it wrote last is still on its way; who else holds its output may hold it for ever
		case err = <-done:
		case <-time.After(a.limits.ChildGrace):
		}
	}
	closed := child.Close()
	exit, _ := child.Exit()
	a.code = exit.Code
	if within != "" && exit.Code == signalled+badCall {
		g.stopped("confinement", "the server was ended for a system call that no confined server may make")
	}
	switch {
	case exit.Signal > 0:
		a.code = signalled + exit.Signal
	case exit.Code < 0:
		a.code = exitFindings
	}
	if err != nil && !errors.Is(err, guard.ErrClientGone) {
		closed = cmp.Or(closed, err)
	}
	if closed != nil {
		fmt.Fprintf(a.io.Err, "mcpassay guard: %s\n", safe(closed.Error()))
	}
	return nil
}

// signalled is what shells add to the number of a signal that ended a program.
const signalled = 128

// badCall is the number of SIGSYS on Linux, by which a filter of system calls ends a program.
const badCall = 31

// ending is a server's input; then says that it has ended.
type ending struct {
	io.WriteCloser
	then func()
}

func (e ending) Close() error {
	e.then()
	return e.WriteCloser.Close()
}

// saw tells a person what was stopped or noted, on standard error: clients keep that of their servers.
func (g *guarding) saw(session string) func(from guard.Side, size int, r guard.Result) {
	return func(from guard.Side, size int, r guard.Result) {
		g.note(session, from, size, r)
		if r.Action < guard.Block {
			return
		}
		why := ""
		for _, f := range r.Findings {
			why = " (" + f.Rule + ")"
			break
		}
		fmt.Fprintf(g.app.io.Err, "mcpassay guard: stopped a frame of the %s of %d bytes%s\n", from, size, why)
	}
}

// guarded is a server as it is named to the guard: a command, or a URL.
type guarded struct {
	argv []string
	url  string
	// entry is the entry of a config that names it, nil for what was typed: the lock may hold it by another name.
	entry *client.Server
	// locked is the entry of a project's lock that says how it is started, nil for none.
	locked *lock.Server
}

// launch is how a lock with these places would have it.
func (t guarded) launch(cwd string, p lock.Places) (lock.Launch, error) {
	if t.url != "" {
		return lock.LaunchOfURL(t.url, "", nil)
	}
	return lock.LaunchOfCommand(t.argv, cwd, nil, p)
}

func (t guarded) what() string {
	if t.url != "" {
		return "URL"
	}
	return "command"
}

// name is what it is called where nobody says.
func (t guarded) name() string {
	if u, err := url.Parse(t.url); t.url != "" && err == nil {
		return u.Host
	}
	return filepath.Base(t.argv[0])
}

// options are what a session is judged by: what the server is held to, what policies say of it, and what persons have allowed.
func (g *guarding) options(gate *guard.Gate) (o guard.Options, how string, err error) {
	a := g.app
	g.begun = a.io.Now()
	policy, how, err := g.policies()
	return guard.Options{Gate: gate, Limits: &a.limits, Policy: policy, Leave: &leave{app: a, server: g.name, audit: g.auditOnly}, Name: g.name,
		Now: func() time.Duration { return a.io.Now().Sub(g.begun) }}, how, err
}

// tell says on standard error that nothing is enforced, where that is so.
func (g *guarding) tell(o guard.Options) {
	switch o.Leave.Mode() {
	case guard.AuditOnly:
		fmt.Fprintln(g.app.io.Err, "mcpassay guard: audit only: nothing is enforced")
	case guard.Paused:
		fmt.Fprintln(g.app.io.Err, "mcpassay guard: paused: nothing is enforced; mcpassay guard status says until when")
	}
}

// policies are what files say of the server: the one that was named, else the user's own and the project's. Of the latter nothing is
// taken that would make the guard milder.
func (g *guarding) policies() (p *guard.Policy, how string, err error) {
	a := g.app
	j := &judging{app: a, verb: "guard run", platform: a.io.Platform, env: "none"}
	type found struct {
		path, base string
		trusted    bool
	}
	var all []found
	if j.policy.file = g.policy; g.policy != "" {
		all = append(all, found{absolute(a.io.Cwd, g.policy), "", true})
	} else {
		own := j.ownPolicy()
		if own != "" {
			all = append(all, found{own, filepath.Dir(own), true})
		}
		path, ok := g.project, g.project != ""
		if !ok {
			path, ok = policies.Find(a.io.Cwd, present, func(dir string) bool { return exists(filepath.Join(dir, ".git")) })
		}
		if ok && path != own {
			all = append(all, found{path, filepath.Dir(path), false}) // a stranger's link is not followed
		}
	}
	var told []guard.Told
	var from []string
	for _, f := range all {
		read, err := j.readPolicy(f.path, f.base)
		if err != nil {
			var p *problem
			if errors.As(err, &p) {
				p.code = exitFindings
			}
			return nil, "", err
		}
		if read.Guard == nil {
			if g.policy != "" {
				return nil, "", &problem{what: "the policy has no guard section", at: j.shown(f.path), hint: policyPage + " shows every key", code: exitFindings}
			}
			continue
		}
		told = append(told, guard.Told{Guard: read.Guard, Path: read.Source, Dir: filepath.Dir(f.path), Trusted: f.trusted})
		from = append(from, safe(read.Source))
	}
	p, err = guard.NewPolicy(g.name, told, guard.Places{Home: a.io.Home, Cwd: absolute(a.io.Cwd, cmp.Or(g.dir, "."))}, func() time.Duration { return a.io.Now().Sub(g.begun) }, a.limits)
	if err != nil {
		return nil, "", &problem{what: "the policy can not be kept here: " + err.Error(), hint: "name folders that this machine has", code: exitFindings}
	}
	if p != nil {
		how = "; its calls are held to " + strings.Join(from, " and ")
	}
	return p, how, nil
}

// ownPolicy is the user's own file of a policy, "" for none.
func (j *judging) ownPolicy() string {
	if home := j.clientEnv().ConfigHome(); home != "" {
		if own := filepath.Join(home, lock.Folder, policies.FileName); present(own) {
			return own
		}
	}
	return ""
}

// guardPolicy is the user's own policy as a person is shown it, "" where it holds nothing for guards. One that can not be read is
// named too: it stops every server that is guarded.
func (j *judging) guardPolicy() string {
	own := j.ownPolicy()
	if own == "" {
		return ""
	}
	if p, err := j.readPolicy(own, filepath.Dir(own)); err == nil && p.Guard == nil {
		return ""
	}
	return j.shown(own)
}

// gate finds what the server is held to.
func (g *guarding) gate(ctx context.Context, t guarded) (gate *guard.Gate, how string, err error) {
	a := g.app
	j := &judging{app: a, platform: a.io.Platform, env: "none"}
	refused := func(what, at, hint string) error { return &problem{what: what, at: at, hint: hint, code: exitFindings} }
	for _, f := range g.locks(j) {
		held, err := f.open()
		if err != nil {
			var p *problem
			if errors.As(err, &p) {
				p.code = exitFindings
			}
			return nil, "", err
		}
		if held == nil {
			if g.lock != "" {
				return nil, "", refused("there is no such lock", f.shown(), "mcpassay pin writes one")
			}
			continue
		}
		if held.Err != nil {
			return nil, "", f.broken(held.Err, exitFindings)
		}
		launch, err := t.launch(f.app.io.Cwd, f.places())
		switch {
		case t.locked != nil:
			launch, err = t.locked.Launch, nil
		case t.entry != nil:
			launch, err = lock.LaunchOf(t.entry, f.places())
		}
		hidden := (*lock.SecretError)(nil)
		if err != nil && !errors.As(err, &hidden) {
			return nil, "", refused("the "+t.what()+" can not be held to a lock: "+err.Error(), f.shown(), "mcpassay lint says what to do")
		}
		same := func(s *lock.Server) bool { // a client has filled in the references that a lock holds as they are written
			return hidden == nil && starts(s.Launch, launch) || starts(s.Launch.Filled(f.places(), a.io.Getenv), launch)
		}
		s := entry(held.Lock, g.server, same)
		if s == nil && t.entry != nil {
			s = entry(held.Lock, "", same)
		}
		if s == nil {
			continue
		}
		g.name, g.entry, g.places, g.held = s.Name, s, f.places(), f.path
		if !same(s) {
			if hidden != nil {
				return nil, "", refused("the "+t.what()+" can not be held to a lock: "+err.Error(), f.shown(), "mcpassay lint says what to do")
			}
			return nil, "", refused("the "+t.what()+" is not the one of "+s.Name+" in the lock", f.shown(), "mcpassay diff shows what changed; pin and approve it, or start what the lock says")
		}
		standing, _ := held.Lock.Standing(s, a.io.Now())
		if standing != lock.Approved && g.requireLock {
			return nil, "", refused("the entry of "+s.Name+" is "+string(standing), f.shown(), a.command("mcpassay", "approve", s.Name))
		}
		if !gateway.Surface(s) { // how it is started is locked, and nobody knows yet what it exposes
			if g.requireLock {
				return nil, "", refused("the lock does not hold what "+s.Name+" exposes", f.shown(), "mcpassay pin, then mcpassay approve")
			}
			break
		}
		return guard.Locked(s, a.limits), fmt.Sprintf("%s is held to %s (%s)", safe(s.Name), safe(f.shown()), standing), nil
	}
	if g.requireLock {
		return nil, "", refused("no lock holds this server", "", map[string]string{"command": "mcpassay pin -- COMMAND", "URL": "mcpassay pin URL"}[t.what()]+", then mcpassay approve")
	}
	launch, err := a.launchOf(t)
	if err != nil {
		return nil, "", refused("the "+t.what()+" can not be kept: "+err.Error(), "", "mcpassay lint says what to do")
	}
	name := cmp.Or(g.server, t.name())
	g.name = name
	pins, seen, err := a.pins(ctx, name, launch)
	if err != nil {
		return nil, "", refused("what is known of the server can not be relied on: "+err.Error(), "", "mcpassay guard status")
	}
	how = safe(name) + " is in no lock: what it exposes first is kept, and holds from then on"
	if seen != nil {
		how = safe(name) + " is in no lock: it is held to what was seen of it first"
	}
	return guard.FirstUse(name, launch, seen, pins, a.limits), how, nil
}

// launchOf is how a server is started, wherever that is: clients start one server in many folders. A secret in it is not kept.
func (a *app) launchOf(t guarded) (lock.Launch, error) {
	l, err := t.launch("", lock.Places{Home: a.io.Home})
	if hidden := (*lock.SecretError)(nil); !errors.As(err, &hidden) {
		return l, err
	}
	if t.url != "" {
		return lock.LaunchOfURL(secret.MaskURL(t.url), "", nil)
	}
	argv := t.argv
	masked := slices.Clone(argv)
	for _, hit := range secret.Args(argv) {
		masked[hit.Index] = "<secret>"
	}
	return lock.LaunchOfCommand(masked, "", nil, lock.Places{Home: a.io.Home})
}

// locks are those that may hold the server: the one that was named, else the nearest one and the user's own.
func (g *guarding) locks(j *judging) []*lockFile {
	first := j.lockFile(g.lock)
	if g.lock != "" {
		return []*lockFile{first}
	}
	all := []*lockFile{first}
	if home := j.clientEnv().ConfigHome(); home != "" {
		own := j.lockFile(filepath.Join(home, lock.Folder, lock.FileName))
		if own.path != first.path {
			all = append(all, own)
		}
	}
	return all
}

// entry is the server of that name, or where none is given the one that is started so.
func entry(l *lock.Lock, name string, same func(*lock.Server) bool) *lock.Server {
	if name != "" {
		return l.Get(name)
	}
	for _, s := range l.Servers {
		if same(s) {
			return s
		}
	}
	return nil
}

// starts says whether a command is the one of a launch. Folder and variables are the client's to set.
func starts(l, command lock.Launch) bool {
	if command.URL != "" {
		return l.URL == command.URL && l.Transport != string(client.Stdio)
	}
	return l.Transport == string(client.Stdio) && l.Command == command.Command && strings.Join(l.Args, "\x00") == strings.Join(command.Args, "\x00")
}
