package cli

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/mcpassay/mcpassay/internal/effect/net"
	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/effect/sandbox"
	"github.com/mcpassay/mcpassay/internal/effect/token"
	"github.com/mcpassay/mcpassay/internal/flow/auth"
	"github.com/mcpassay/mcpassay/internal/flow/scan"
	"github.com/mcpassay/mcpassay/internal/flow/talk"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// reach is how servers are reached and started, as the flags say it.
type reach struct {
	bearerEnv, bearerFile   string
	headerEnv               []string
	auth                    bool
	ca, cert, key, proxy    string
	allowPrivate, allowHTTP bool
	// ours are the addresses at which this program listens, for a server that asks others.
	ours []netip.AddrPort
	// stranger says that somebody else than the user of this program names the targets.
	stranger bool

	executor, image                string
	allowNet, prefetch, inheritEnv bool
	passEnv                        []string

	timeout, refresh time.Duration
	protocol         string
	noise            bool
}

func (r *reach) flags(f *pflag.FlagSet) {
	r.credentialFlags(f)
	f.BoolVar(&r.auth, "auth", false, "send the token that mcpassay auth login keeps for the server, refreshed if need be")
	r.networkFlags(f)
	f.StringVar(&r.executor, "executor", "auto", "what a command runs in: "+backends())
	f.StringVar(&r.image, "executor-image", "", "the container `IMAGE` of --executor docker")
	f.BoolVar(&r.allowNet, "allow-net", false, "a command may use the network")
	f.BoolVar(&r.prefetch, "prefetch", false, "download the package of a runner (npx, uvx) first, its install scripts off, then start it without network")
	f.BoolVar(&r.inheritEnv, "inherit-env", false, "a command gets all of this environment, secrets included")
	f.StringArrayVar(&r.passEnv, "pass-env", nil, "a command gets the variable `NAME` of this environment (may be repeated)")
	f.DurationVar(&r.timeout, "timeout", limits.Default.RunTime, "how long one server may take in all")
	f.BoolVar(&r.noise, "compat-stdio-noise", false, "lines on a command's output that are no message are no finding")
}

// credentialFlags are those about what a server with a URL is sent.
func (r *reach) credentialFlags(f *pflag.FlagSet) {
	f.StringVar(&r.bearerEnv, "bearer-token-env", "", "send the bearer token that the variable `NAME` holds, to the one server")
	f.StringVar(&r.bearerFile, "bearer-token-file", "", "the same from `FILE`, which only you can read")
	f.StringArrayVar(&r.headerEnv, "header-env", nil, "send a header whose value is in a variable: `NAME=VARIABLE` (may be repeated)")
}

// networkFlags are those about the way to a server with a URL.
func (r *reach) networkFlags(f *pflag.FlagSet) {
	f.StringVar(&r.ca, "ca-file", "", "trust the certificates in `FILE` too")
	f.StringVar(&r.cert, "client-cert", "", "show the certificate in `FILE`")
	f.StringVar(&r.key, "client-key", "", "its key, in `FILE`")
	f.StringVar(&r.proxy, "proxy", "", "go through the proxy at `URL` (none is taken from the environment)")
	f.BoolVar(&r.allowPrivate, "allow-private-network", false, "private and loopback addresses may be reached")
	f.BoolVar(&r.allowHTTP, "allow-insecure-http", false, "http:// may be used, not only to a loopback address that you name")
}

// scanFlags are those that only a scan has.
func (r *reach) scanFlags(f *pflag.FlagSet) {
	f.DurationVar(&r.refresh, "refresh", 0, "wait so long for a change of the lists, and take the changed ones")
	f.StringVar(&r.protocol, "protocol", "auto", "the era to speak: auto, modern (from 2026-07-28), legacy")
}

func backends() string { return strings.Join(backendNames(), ", ") }

func backendNames() (names []string) {
	for _, b := range sandbox.Backends() {
		names = append(names, string(b))
	}
	return names
}

// check refuses flags that contradict each other, before anything is asked.
func (r *reach) check() error {
	switch {
	case r.bearerEnv != "" && r.bearerFile != "":
		return usage("use one of them", "--bearer-token-env and --bearer-token-file both name the token")
	case r.auth && (r.bearerEnv != "" || r.bearerFile != ""):
		return usage("use one of them", "--auth and --bearer-token-… both name the token")
	case (r.cert == "") != (r.key == ""):
		return usage("give both", "--client-cert and --client-key belong together")
	case r.timeout <= 0 || r.refresh < 0:
		return usage("write it as 30s or 2m", "--timeout and --refresh are durations above zero")
	}
	if !slices.Contains(backendNames(), r.executor) {
		return usage("use one of "+backends(), "unknown --executor %q", r.executor)
	}
	switch r.protocol {
	case "", "auto", wire.EraModern, wire.EraLegacy: // "" for a verb without the flag
	default:
		return usage("use auto, modern or legacy", "unknown --protocol %q", r.protocol)
	}
	return nil
}

// credentials says whether the command line gives any.
func (r *reach) credentials() bool {
	return r.bearerEnv != "" || r.bearerFile != "" || len(r.headerEnv) > 0
}

// door makes the door that asks servers. typed says that the target was typed on the command line, not read from a config.
func (r *reach) door(s *scanning, targets []scan.Target, typed bool) (scan.Door, error) {
	remote := 0
	for _, t := range targets {
		if t.Start.URL != "" {
			remote++
		}
	}
	if r.credentials() && remote != 1 {
		return nil, usage("name one server with --server, or let the config's own headers hold the credentials",
			"a credential goes to one server, and %d were named", remote)
	}
	return &asker{reach: r, judging: s.judging, typed: typed}, nil
}

// asker is the door to servers, with all that the flags allow.
type asker struct {
	*reach
	*judging
	typed bool
	// told are the notes that were printed, each once.
	told sync.Map
	// refreshing is held while a kept token may be refreshed.
	refreshing sync.Mutex
}

// Ask asks one server. It never fails: what could not be had is a gap of the surface. No word of ours or of the server's
// shows a secret that the server was given.
func (a *asker) Ask(ctx context.Context, t scan.Target) *wire.Surface {
	secrets := a.give(&t.Start)
	s := a.ask(ctx, t, secrets)
	s.Hide(secrets)
	return s
}

// give adds what the flags pass on, and lists all that the server is given and may not repeat.
func (a *asker) give(start *client.Start) (secrets [][]byte) {
	for _, name := range a.passEnv {
		if value, ok := a.getenv(name); ok {
			start.Env = append(slices.Clip(start.Env), name+"="+value)
		}
	}
	given := *start
	if a.inheritEnv {
		given.Env = slices.Concat(given.Env, a.app.io.Environ())
	}
	return wire.Spellings(given.Secrets()...)
}

func (a *asker) ask(ctx context.Context, t scan.Target, secrets [][]byte) *wire.Surface {
	o := talk.Options{Label: t.Label, Client: "mcpassay", ClientVersion: Version, Refresh: a.refresh, Noise: a.noise, Secrets: secrets, Limits: a.app.limits}
	o.Limits.RunTime = a.timeout + a.refresh
	if a.protocol != "auto" {
		o.Era = a.protocol
	}
	server, end, err := a.server(ctx, t, o)
	if err != nil {
		return refused(t, err)
	}
	defer end()
	s := a.transport(ctx, t, talk.Surface(ctx, server, o), o)
	if a.typed {
		a.unlocked(t.Start, s)
	}
	a.excuse(t.Start, s)
	return s
}

// unlocked says how a server that wants a token may get one.
func (a *asker) unlocked(start client.Start, s *wire.Surface) {
	if start.URL != "" && !a.auth && !a.credentials() && !s.Complete() && s.Gaps[0].Cause == wire.CauseAuth {
		a.note("it may take a token of yours: " + a.app.command("mcpassay", "auth", "login", secret.MaskURL(start.URL)) + ", then the same with --auth")
	}
}

// excuse says what a runner that downloads a server may have lacked, where the server did not start.
func (a *asker) excuse(start client.Start, s *wire.Surface) {
	if runner := sandbox.Downloads(start.Argv); runner != "" && !a.prefetch && !s.Complete() && s.Gaps[0].Part == wire.PartHandshake {
		why := "downloads what it starts, and has no network: --prefetch downloads it first, --allow-net lets it"
		if a.allowNet {
			why = "may need more than its sandbox lets it do: --prefetch downloads first"
		}
		// It comes first, as what a runner says of its own is long, and cut.
		s.Gaps[0].Detail = runner + " " + why + "; " + s.Gaps[0].Detail
	}
}

// transport notes that a server speaks another transport than its config says, and where the old one does not answer,
// tries the other.
func (a *asker) transport(ctx context.Context, t scan.Target, s *wire.Surface, o talk.Options) *wire.Surface {
	if t.Entry == nil || t.Start.URL == "" || t.Entry.Type.Value == "" { // without a type a client finds out for itself
		return s
	}
	said := string(t.Entry.Transport)
	if said == wire.SSE && s.Protocol.Era == "" && s.Gaps[0].Status != 0 {
		server, end, err := a.remote(ctx, t, o, wire.HTTP)
		if err != nil {
			return s
		}
		defer end()
		if other := talk.Surface(ctx, server, o); other.Protocol.Era != "" {
			s = other
		}
	}
	if (said == wire.SSE || said == wire.HTTP) && said != s.Transport && s.Protocol.Era != "" {
		s.Faults.Add("", o.Limits, wire.Fault{Kind: wire.OtherTransport, Detail: said})
	}
	return s
}

// refused is the surface of a server that was not asked, and why.
func refused(t scan.Target, err error) *wire.Surface {
	s := &wire.Surface{Label: t.Label, Transport: wire.Stdio}
	if t.Start.URL != "" {
		s.Transport = wire.HTTP
	}
	var f *wire.Failure
	if !errors.As(err, &f) {
		f = &wire.Failure{Cause: wire.CauseRefused, Detail: err.Error()}
		var r *sandbox.Refusal
		if errors.As(err, &r) && r.Hint != "" {
			f.Detail += " (" + r.Hint + ")"
		}
	}
	s.Gap(wire.PartHandshake, f, limits.Default)
	return s
}

func (a *asker) server(ctx context.Context, t scan.Target, o talk.Options) (server talk.Server, end func(), err error) {
	switch {
	case t.Start.URL != "" && len(t.Start.Argv) > 0:
		return server, nil, errors.New("it names both a command and a URL, and no type says which is meant")
	case t.Start.URL != "":
		transport := wire.HTTP
		if t.Entry != nil && string(t.Entry.Transport) == wire.SSE {
			transport = wire.SSE
		}
		return a.remote(ctx, t, o, transport)
	case len(t.Start.Argv) > 0:
		return a.local(ctx, t, o)
	}
	return server, nil, errors.New("it has neither a command nor a URL")
}

// remote reaches a URL over one of the HTTP transports.
func (a *asker) remote(ctx context.Context, t scan.Target, o talk.Options, transport string) (talk.Server, func(), error) {
	door, err := a.network(ctx, t.Start, o.Limits)
	if err != nil {
		return talk.Server{}, nil, err
	}
	if transport == wire.SSE {
		return talk.SSE(door, t.Start.URL, o), door.Close, nil
	}
	return talk.HTTP(door, t.Start.URL, o), door.Close, nil
}

// userAgent is what servers see of us.
func userAgent() string { return "mcpassay/" + Version + " (+https://github.com/mcpassay/mcpassay)" }

// network is a network door of its own for a URL, so that nothing that one server is given can reach another.
func (a *asker) network(ctx context.Context, start client.Start, lim limits.Set) (*net.Door, error) {
	opt := net.Options{AllowPrivate: a.allowPrivate, AllowInsecureHTTP: a.allowHTTP, Proxy: a.proxy, CAFile: a.path(a.ca),
		CertFile: a.path(a.cert), KeyFile: a.path(a.key), UserAgent: userAgent(), Own: a.ours, Stranger: a.stranger, Limits: lim}
	if a.typed {
		opt.Named = start.URL
	}
	for _, h := range start.Headers {
		c, err := net.Field(start.URL, h.Name, h.Value)
		if err != nil {
			return nil, err
		}
		opt.Credentials = append(opt.Credentials, c)
	}
	given, err := a.given(start.URL)
	if err != nil {
		return nil, err
	}
	opt.Credentials = append(opt.Credentials, given...)
	if a.auth {
		kept, err := a.kept(ctx, start.URL, opt)
		if err != nil {
			return nil, err
		}
		opt.Credentials = append(opt.Credentials, kept...)
	}
	return net.New(opt)
}

// given are the credentials of the command line, for the one server that it names.
func (a *asker) given(url string) (all []net.Credential, err error) {
	add := func(c net.Credential, err error) error {
		all = append(all, c)
		return err
	}
	switch {
	case a.bearerEnv != "":
		err = add(net.BearerEnv(url, a.bearerEnv, a.getenv))
	case a.bearerFile != "":
		err = add(net.BearerFile(url, a.path(a.bearerFile), a.app.limits))
	}
	for _, spec := range a.headerEnv {
		if err == nil {
			err = add(net.HeaderEnv(url, spec, a.getenv))
		}
	}
	return all, err
}

// kept is the token that auth login keeps for a server. One that was typed needs one; of the servers of a config those get
// theirs that have one and bring no Authorization of their own.
func (a *asker) kept(ctx context.Context, url string, opt net.Options) ([]net.Credential, error) {
	if slices.ContainsFunc(opt.Credentials, func(c net.Credential) bool { return strings.EqualFold(c.Header, "Authorization") }) {
		return nil, nil
	}
	opt.Credentials, opt.CertFile, opt.KeyFile = nil, "", "" // which are not for the authorization server
	door, err := net.New(opt)
	if err != nil {
		return nil, err
	}
	defer door.Close()
	a.refreshing.Lock() // a refresh token is good once
	defer a.refreshing.Unlock()
	flow := &auth.Flow{Network: door, Protocol: &token.Client{Door: door, Limits: a.app.limits}, Options: auth.Options{Endpoint: url, Now: a.app.io.Now, Limits: a.app.limits}}
	k, err := flow.Fresh(ctx, vault{a.app.tokens(false)})
	var p *auth.Problem
	switch {
	case errors.Is(err, auth.ErrNotKept) && !a.typed:
		return nil, nil
	case errors.As(err, &p):
		return nil, &wire.Failure{Cause: wire.CauseAuth, Detail: p.Hint + " (" + p.Error() + ")"} // what to do first, as the rest may be cut
	case err != nil:
		return nil, err
	}
	c, err := net.Bearer(url, k.Token.Access)
	return []net.Credential{c}, err
}

func (a *asker) path(name string) string {
	if name == "" {
		return ""
	}
	return absolute(a.app.io.Cwd, name)
}

// local starts a command in its sandbox, once for each era that is tried.
func (a *asker) local(ctx context.Context, t scan.Target, o talk.Options) (talk.Server, func(), error) {
	start, end, err := a.starter(ctx, t.Start, o.Limits)
	if err != nil {
		return talk.Server{}, nil, err
	}
	return talk.Stdio(start, o), end, nil
}

// starter starts a command in its sandbox as often as it is asked to. end cleans up behind all of them.
func (a *asker) starter(ctx context.Context, given client.Start, lim limits.Set) (start func(context.Context) (talk.Lines, error), end func(), err error) {
	spec := sandbox.Spec{Executor: sandbox.Backend(a.executor), Argv: given.Argv, Parent: a.app.io.Environ(), Entry: given.Env,
		InheritEnv: a.inheritEnv, Dir: given.Dir, AllowNet: a.allowNet, Image: a.image, Limits: lim}
	if spec.Dir == "" {
		spec.Dir = a.app.io.Cwd
	}
	clean := func() error { return nil }
	if a.prefetch {
		if spec, clean, err = sandbox.Prefetch(ctx, spec); err != nil {
			return nil, nil, err
		}
	}
	plan, err := sandbox.New(ctx, spec)
	if err != nil {
		_ = clean()
		return nil, nil, err
	}
	a.say(plan)
	start = func(ctx context.Context) (talk.Lines, error) {
		child, err := proc.Start(ctx, plan.Command, lim)
		if err != nil {
			return nil, err
		}
		return lines{child}, nil
	}
	return start, func() {
		_ = plan.Cleanup()
		_ = clean()
	}, nil
}

// say prints what this system can not enforce, once for all servers that it is true of.
func (a *asker) say(plan *sandbox.Plan) {
	if len(plan.NotEnforced) == 0 {
		return
	}
	a.note(fmt.Sprintf("not enforced by %s: %s", plan.Backend, strings.Join(plan.NotEnforced, "; ")))
}

// note tells a person something once, on the line that progress may have begun.
func (a *asker) note(note string) {
	if _, told := a.told.LoadOrStore(note, true); !told {
		if a.app.io.ErrTerminal {
			note, _ = text.Wrap(note, 2, 0, a.app.io.Width)
			note = clearLine + note
		}
		fmt.Fprintln(a.app.io.Err, note)
	}
}

// lines is a child as package talk asks for it.
type lines struct{ *proc.Child }

func (l lines) ReadLine(ctx context.Context) ([]byte, error) {
	line, err := l.Child.ReadLine(ctx)
	var long *proc.LineTooLongError
	if errors.As(err, &long) {
		err = &wire.Failure{Cause: wire.CauseTooLarge, Detail: long.Error()}
	}
	return line, err
}
