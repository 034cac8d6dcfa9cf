package cli

import (
	"cmp"
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/listen"
	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/flow/fleet"
	"github.com/mcpassay/mcpassay/internal/flow/gateway"
	"github.com/mcpassay/mcpassay/internal/flow/guard"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/flow/scan"
	"github.com/mcpassay/mcpassay/internal/flow/talk"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// serveMany is what guard serve was asked for.
type serveMany struct {
	*scanning
	door        serving
	file, lock  string
	entry       string
	idle        time.Duration
	requireLock bool
	bounds      bounds
	// project is the file that names the servers, "" where a config does.
	project string
}

func (a *app) guardServe() *cobra.Command {
	o := &serveMany{scanning: &scanning{}}
	cmd := &cobra.Command{
		Use:   "serve --allow-exec",
		Short: "Be one server that stands for all of a project's, each behind the guard",
		Long: "Be one MCP server, on standard input and output or with --listen over HTTP, that stands\n" +
			"for the servers of a project: of the nearest mcpassay.yaml, of --config FILE, or of the\n" +
			"config of --client CLIENT. Their tools are offered as SERVER__TOOL. A server that a lock\n" +
			"holds is started when it is first called, any other when a list is first asked for;\n" +
			"all that passes is held to the lock and the rules as guard run does it.",
		Example: "  mcpassay guard serve --allow-exec\n  mcpassay guard serve --config servers.json --allow-exec --idle 10m\n" +
			"  mcpassay guard serve --client cursor --allow-exec --listen 127.0.0.1:8080",
		Annotations: map[string]string{touches: "the servers that are named, locks, what the guard keeps of servers, and with --listen one port",
			exits: "0 ended by its input or an interrupt; 1 nothing to offer, or two servers of one name; 2 usage, or it can not listen"},
		Args: noArgs("mcpassay guard serve --config FILE --allow-exec"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	o.judging = &judging{app: a, verb: "guard serve", format: "text", env: "inherit", color: "auto"}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.file, "file", "f", "", "the project `FILE`, instead of the nearest mcpassay.yaml")
	onceVar(f, &o.config, "config", "the servers of this config `FILE`")
	f.StringVar(&o.client, "client", "", "those of the config of this `CLIENT`: the project's, else your own")
	f.StringArrayVar(&o.servers, "server", nil, "only the server of this `NAME` (may be repeated)")
	f.BoolVar(&o.allowExec, "allow-exec", false, "start the commands that stand there")
	onceVar(f, &o.lock, "lock", "the lock `FILE`, instead of the nearest mcpassay.lock and the user's own")
	f.BoolVar(&o.requireLock, "require-lock", false, "leave out servers that no lock holds, or whose entry nobody approved")
	f.StringVar(&o.entry, "as", "mcpassay", "the `NAME` that clients give this server: longer names leave less room for those of tools")
	f.DurationVar(&o.idle, "idle", 0, "end a server that nobody asked for so long, until it is needed again; 0 for never")
	f.StringVar(&o.bounds.executor, "executor", "", "confine the servers by this `WAY`: auto, landlock, bubblewrap, seatbelt, job; without it, they run as they would by themselves")
	f.BoolVar(&o.bounds.net, "allow-net", false, "with --executor let them use the network")
	f.StringVar(&o.door.http, "listen", "", "listen on this `ADDRESS`, such as 127.0.0.1:8080, instead of standard input")
	f.StringVar(&o.door.tokenEnv, "token-env", "", "with --listen callers must send the bearer token that the variable `NAME` holds: for an address that others reach")
	f.StringVar(&o.door.public, "public-url", "", "with --listen callers reach it as this `ORIGIN`, such as https://mcp.example.com, through a proxy")
	return cmd
}

func (o *serveMany) run(ctx context.Context) error {
	a := o.app
	front, err := a.front(o.door, o.door.http != "")
	if p := (*problem)(nil); errors.As(err, &p) {
		p.hint = strings.ReplaceAll(p.hint, "--http", "--listen")
	}
	if err != nil {
		return err
	}
	if o.idle < 0 {
		return usage("write it as 10m", "--idle is a duration, or 0")
	}
	members, err := o.members()
	if err != nil {
		return err
	}
	if len(members) == 0 {
		return &problem{what: "there is no server to stand for", at: o.named(), hint: "mcpassay list shows the servers of your clients", code: exitFindings}
	}
	if slices.ContainsFunc(members, func(m member) bool { return len(m.start.Argv) > 0 }) && !o.allowExec {
		return usage("add --allow-exec once you have looked at what it starts: mcpassay lint "+o.named(), "%s starts commands, which run only with --allow-exec", o.named())
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	hide := map[string][][]byte{}
	opt := gateway.Options{Version: Version, Clients: client.Table(), Entry: o.entry, Idle: o.idle, Front: front, Jitter: rand.Float64, Limits: a.limits}
	if o.client != "" {
		c, err := clientNamed(o.client)
		if err != nil {
			return err
		}
		opt.Clients = []*client.Client{c}
	}
	opt.Log = func(server, line string) {
		raw := []byte(line)
		wire.Hide(raw, hide[server])
		fmt.Fprintf(a.io.Err, "mcpassay guard: %s: %s\n", safe(server), safe(string(raw)))
	}
	session := cryptorand.Text()
	for _, m := range members {
		hide[m.name] = wire.Spellings(m.start.Secrets()...)
		opt.Servers = append(opt.Servers, o.server(ctx, m, session, hide[m.name]))
	}
	broken := make(chan os.Signal, 1) // a client that is gone is an error of a write, and not our end: the servers have to end first
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	a.lasting.Store(true)
	a.children.Store(true)
	g, err := gateway.New(ctx, opt)
	if err != nil {
		return &problem{what: err.Error(), at: o.named(), hint: "rename one, or name those to offer with --server", code: exitFindings}
	}
	defer g.Close()
	if o.door.http == "" {
		if err := g.Lines(ctx, a.io.In, a.io.Out); err != nil {
			return &problem{what: "the client reads no more: " + err.Error(), code: exitIncomplete}
		}
		return nil
	}
	door, err := listen.Open(ctx, o.door.http, listen.Options{Admit: g.Admit, Handle: g.Handle, Public: front.Public, Limits: a.limits})
	if err != nil {
		return &problem{what: "can not listen: " + reason(err), at: o.door.http, hint: "name a free address, such as 127.0.0.1:8080", code: exitIncomplete}
	}
	fmt.Fprintf(a.io.Err, "MCP at http://%s/mcp, until interrupted\n", door.Address())
	if err := door.Serve(ctx); err != nil {
		return &problem{what: "the server ended: " + err.Error(), at: o.door.http, code: exitIncomplete}
	}
	return nil
}

// named is the file or the client whose servers are served, for a person.
func (o *serveMany) named() string {
	return cmp.Or(o.config, o.client, o.file, "mcpassay.yaml")
}

// member is one server that is to be stood for.
type member struct {
	name  string
	start client.Start
	// entry is what a config has of it, locked what the project's lock has; nil for none.
	entry  *client.Server
	locked *lock.Server
	// refused is why it is left out.
	refused string
}

func (o *serveMany) members() ([]member, error) {
	if o.config != "" && (o.client != "" || o.file != "") || o.client != "" && o.file != "" {
		return nil, usage("name one of them", "--config, --client and --file each name the servers")
	}
	switch {
	case o.config != "":
		targets, _, err := o.fromConfig(load.NewSet(o.disk(), o.app.limits))
		return o.ofTargets(targets), err
	case o.client != "":
		return o.ofClient()
	}
	return o.ofProject()
}

// ofTargets are the servers of a config. Our own entry is none: it would stand for itself.
func (o *serveMany) ofTargets(targets []scan.Target) (all []member) {
	for _, t := range targets {
		if client.Serves(t.Start.Argv) {
			fmt.Fprintf(o.app.io.Err, "mcpassay guard: %s: left out: it is this guard\n", safe(t.Label))
			continue
		}
		all = append(all, member{name: t.Label, start: t.Start, entry: t.Entry})
	}
	return all
}

// ofClient are the servers of a client: those of its project file where there is one, else the user's.
func (o *serveMany) ofClient() ([]member, error) {
	look, err := o.app.fleetOptions([]string{o.client})
	if err != nil {
		return nil, err
	}
	f := fleet.Look(o.app.configDisk(look.Env), look)
	for _, scope := range slices.Backward(f.Scopes) {
		for _, file := range scope.Files {
			if len(file.Servers) == 0 {
				continue
			}
			project := cmp.Or(file.Project, o.app.io.Cwd)
			chosen := scan.Choose(file, o.servers, client.World{Home: o.app.io.Home, Project: filepath.FromSlash(project), Getenv: o.getenv})
			if len(chosen.Unknown) > 0 {
				return nil, usage("it has "+strings.Join(serverNames(file), ", "), "%s has no server named %s", file.Path, strings.Join(chosen.Unknown, ", "))
			}
			return o.ofTargets(chosen.Targets), nil
		}
	}
	for _, i := range f.Incomplete {
		return nil, &problem{what: "the client's file can not be read: " + i.Detail, at: i.Path, hint: "mcpassay doctor says what is wrong with it", code: exitFindings}
	}
	return nil, nil
}

// ofProject are the servers of a project's file, as its lock says that they are started.
func (o *serveMany) ofProject() ([]member, error) {
	p, err := o.app.project("guard serve", o.file)
	if err != nil {
		return nil, err
	}
	if !p.found {
		return nil, usage("name a config with --config FILE, or a client with --client CLIENT", "there is no mcpassay.yaml here or above")
	}
	o.project = p.path
	file := p.lock()
	held, err := file.open()
	if err != nil {
		return nil, err
	}
	if held != nil && held.Err != nil {
		return nil, file.broken(held.Err, exitFindings)
	}
	if o.lock == "" && held != nil {
		o.lock = file.path
	}
	var all []member
	for _, s := range p.read.Servers {
		if len(o.servers) > 0 && !slices.Contains(o.servers, s.Name) {
			continue
		}
		m := member{name: s.Name}
		if held != nil {
			m.locked = held.Lock.Get(s.Name)
		}
		if m.locked == nil {
			m.refused = "it is not locked: mcpassay lock says how it is started"
		} else {
			m.start = o.filled(m.locked.Spec(file.places()))
		}
		all = append(all, m)
	}
	for _, name := range o.servers {
		if !slices.ContainsFunc(all, func(m member) bool { return m.name == name }) {
			return nil, usage("mcpassay.yaml lists them", "%s has no server named %s", p.shownPath(), name)
		}
	}
	return all, nil
}

// filled is how a server is started here: references to variables have the values that this program has.
func (o *serveMany) filled(s client.Spec) (out client.Start) {
	missing := map[string]bool{}
	text := func(t client.Text) string {
		var b strings.Builder
		for _, p := range t {
			switch value, ok := o.getenv(p.Variable); {
			case p.Variable == "" && p.Name == "":
				b.WriteString(p.Plain)
			case p.Variable != "" && ok:
				b.WriteString(value)
			case p.Variable != "" && p.Defaulted:
				b.WriteString(p.Default)
			default:
				missing[cmp.Or(p.Variable, p.Name)] = true
			}
		}
		return b.String()
	}
	out.URL = text(s.URL)
	if s.Command.Set() {
		out.Argv = append(out.Argv, text(s.Command))
		for _, arg := range s.Args {
			out.Argv = append(out.Argv, text(arg))
		}
	}
	out.Dir = text(s.Cwd)
	for _, e := range s.Env {
		value := text(e.Value)
		if len(e.Value) == 1 && missing[e.Value[0].Variable] { // a variable that is not set is not given
			continue
		}
		out.Env = append(out.Env, e.Name+"="+value)
	}
	out.Missing = slices.Sorted(maps.Keys(missing))
	return out
}

// server is a member as the gateway has it: held to what guard run would hold it to, and started as its client would.
func (o *serveMany) server(ctx context.Context, m member, session string, secrets [][]byte) gateway.Server {
	a := o.app
	s := gateway.Server{Name: m.name, Refused: m.refused}
	if m.refused != "" {
		return s
	}
	switch {
	case len(m.start.Argv) == 0 && m.start.URL != "":
		s.Refused = "it has an address, and only servers that are started stand behind this guard: give it to clients by itself"
		return s
	case len(m.start.Argv) == 0:
		s.Refused = "it has no command"
		return s
	}
	if len(m.start.Missing) > 0 {
		fmt.Fprintf(a.io.Err, "mcpassay guard: %s: not set: %s\n", safe(m.name), safe(strings.Join(m.start.Missing, ", ")))
	}
	g := &guarding{app: a, server: m.name, lock: o.lock, requireLock: o.requireLock, bounds: o.bounds, session: session, name: m.name, project: o.project, dir: m.start.Dir}
	gate, how, err := g.gate(ctx, guarded{argv: m.start.Argv, entry: m.entry, locked: m.locked})
	opt, by := guard.Options{}, ""
	if err == nil {
		opt, by, err = g.options(gate)
	}
	if err != nil {
		s.Refused = err.Error()
		if p := (*problem)(nil); errors.As(err, &p) {
			for _, more := range []string{p.at, p.hint} {
				if more != "" {
					s.Refused += "; " + more
				}
			}
		}
		return s
	}
	fmt.Fprintf(a.io.Err, "mcpassay guard: %s%s\n", how, by)
	if g.entry != nil && gateway.Surface(g.entry) {
		s.Locked = g.entry
	}
	s.Judge = guard.NewSession(opt)
	s.Saw = g.saw(session)
	s.Start = func(ctx context.Context) (talk.Lines, error) { return o.child(ctx, g, m.start, secrets) }
	return s
}

// child starts a server: of the bytes and within the bounds that its entry in the lock says, as guard run does.
func (o *serveMany) child(ctx context.Context, g *guarding, start client.Start, secrets [][]byte) (talk.Lines, error) {
	a := o.app
	lim := a.limits
	lim.ChildLine = lim.GuardedFrame
	env, err := proc.Environ(a.io.Environ(), start.Env, true, lim)
	if err != nil {
		return nil, err
	}
	command := proc.Command{Argv: start.Argv, Env: env, Dir: cmp.Or(start.Dir, a.io.Cwd)}
	if _, err := g.packaged(command); err != nil {
		return nil, err
	}
	command, _, end, err := g.confined(ctx, command)
	if err != nil {
		g.stopped("confinement", err.Error())
		return nil, err
	}
	child, err := proc.Start(ctx, command, lim)
	if err != nil {
		end()
		return nil, err
	}
	return hushed{lines{child}, secrets, end}, nil
}

// hushed is a child whose last words hold no secret that it was given.
type hushed struct {
	lines
	secrets [][]byte
	end     func()
}

func (q hushed) Stderr() []byte {
	said := slices.Clone(q.lines.Stderr())
	wire.Hide(said, q.secrets)
	return said
}

func (q hushed) Close() error {
	defer q.end()
	return q.lines.Close()
}
