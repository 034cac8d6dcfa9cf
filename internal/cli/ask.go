package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/mcpassay/mcpassay/internal/effect/net"
	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/effect/sandbox"
	"github.com/mcpassay/mcpassay/internal/flow/scan"
	"github.com/mcpassay/mcpassay/internal/flow/talk"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/text"
)

// reach is how servers are reached and started, as the flags say it.
type reach struct {
	bearerEnv, bearerFile   string
	headerEnv               []string
	ca, cert, key, proxy    string
	allowPrivate, allowHTTP bool

	executor, image                string
	allowNet, prefetch, inheritEnv bool
	passEnv                        []string

	timeout, refresh time.Duration
	protocol         string
	noise            bool
}

func (r *reach) flags(f *pflag.FlagSet) {
	f.StringVar(&r.bearerEnv, "bearer-token-env", "", "send the bearer token that the variable `NAME` holds, to the one server")
	f.StringVar(&r.bearerFile, "bearer-token-file", "", "the same from `FILE`, which only you can read")
	f.StringArrayVar(&r.headerEnv, "header-env", nil, "send a header whose value is in a variable: `NAME=VARIABLE` (may be repeated)")
	f.StringVar(&r.ca, "ca-file", "", "trust the certificates in `FILE` too")
	f.StringVar(&r.cert, "client-cert", "", "show the certificate in `FILE`")
	f.StringVar(&r.key, "client-key", "", "its key, in `FILE`")
	f.StringVar(&r.proxy, "proxy", "", "go through the proxy at `URL` (none is taken from the environment)")
	f.BoolVar(&r.allowPrivate, "allow-private-network", false, "private and loopback addresses may be reached")
	f.BoolVar(&r.allowHTTP, "allow-insecure-http", false, "http:// may be used, not only to a loopback address that you name")
	f.StringVar(&r.executor, "executor", "auto", "what a command runs in: "+backends())
	f.StringVar(&r.image, "executor-image", "", "the container `IMAGE` of --executor docker")
	f.BoolVar(&r.allowNet, "allow-net", false, "a command may use the network")
	f.BoolVar(&r.prefetch, "prefetch", false, "download the package of a runner (npx, uvx) first, its install scripts off, then start it without network")
	f.BoolVar(&r.inheritEnv, "inherit-env", false, "a command gets all of this environment, secrets included")
	f.StringArrayVar(&r.passEnv, "pass-env", nil, "a command gets the variable `NAME` of this environment (may be repeated)")
	f.DurationVar(&r.timeout, "timeout", limits.Default.RunTime, "how long one server may take in all")
	f.DurationVar(&r.refresh, "refresh", 0, "wait so long for a change of the lists, and take the changed ones")
	f.StringVar(&r.protocol, "protocol", "auto", "the era to speak: auto, modern (from 2026-07-28), legacy")
	f.BoolVar(&r.noise, "compat-stdio-noise", false, "lines on a command's output that are no message are no finding")
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
	case (r.cert == "") != (r.key == ""):
		return usage("give both", "--client-cert and --client-key belong together")
	case r.timeout <= 0 || r.refresh < 0:
		return usage("write it as 30s or 2m", "--timeout and --refresh are durations above zero")
	}
	if !slices.Contains(backendNames(), r.executor) {
		return usage("use one of "+backends(), "unknown --executor %q", r.executor)
	}
	switch r.protocol {
	case "auto", wire.EraModern, wire.EraLegacy:
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
	return &asker{reach: r, scanning: s, typed: typed}, nil
}

// asker is the door to servers, with all that the flags allow.
type asker struct {
	*reach
	*scanning
	typed bool
}

// Ask asks one server. It never fails: what could not be had is a gap of the surface. No word of ours or of the server's
// shows a secret that the server was given.
func (a *asker) Ask(ctx context.Context, t scan.Target) *wire.Surface {
	given := t.Start
	for _, name := range a.passEnv {
		if value, ok := a.getenv(name); ok {
			given.Env = append(slices.Clip(given.Env), name+"="+value)
		}
	}
	t.Start.Env = given.Env
	if a.inheritEnv {
		given.Env = slices.Concat(given.Env, a.app.io.Environ())
	}
	secrets := wire.Spellings(given.Secrets()...)
	s := a.one(ctx, t, secrets)
	s.Hide(secrets)
	return s
}

func (a *asker) one(ctx context.Context, t scan.Target, secrets [][]byte) *wire.Surface {
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
	if runner := sandbox.Downloads(t.Start.Argv); runner != "" && !a.prefetch && !s.Complete() && s.Gaps[0].Part == wire.PartHandshake {
		why := "downloads what it starts, and has no network: --prefetch downloads it first, --allow-net lets it"
		if a.allowNet {
			why = "may need more than its sandbox lets it do: --prefetch downloads first"
		}
		// It comes first, as what a runner says of its own is long, and cut.
		s.Gaps[0].Detail = runner + " " + why + "; " + s.Gaps[0].Detail
	}
	return s
}

// transport notes that a server speaks another transport than its config says, and where the old one does not answer,
// tries the other.
func (a *asker) transport(ctx context.Context, t scan.Target, s *wire.Surface, o talk.Options) *wire.Surface {
	if t.Entry == nil || t.Start.URL == "" || t.Entry.Type.Value == "" { // without a type a client finds out for itself
		return s
	}
	said := string(t.Entry.Transport)
	if said == wire.SSE && s.Protocol.Era == "" && s.Gaps[0].Status != 0 {
		server, end, err := a.remote(t, o, wire.HTTP)
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
		return a.remote(t, o, transport)
	case len(t.Start.Argv) > 0:
		return a.local(ctx, t, o)
	}
	return server, nil, errors.New("it has neither a command nor a URL")
}

// remote reaches a URL through a network door of its own, so that nothing that one server is given can reach another.
func (a *asker) remote(t scan.Target, o talk.Options, transport string) (talk.Server, func(), error) {
	opt := net.Options{AllowPrivate: a.allowPrivate, AllowInsecureHTTP: a.allowHTTP, Proxy: a.proxy, CAFile: a.path(a.ca),
		CertFile: a.path(a.cert), KeyFile: a.path(a.key), UserAgent: "mcpassay/" + Version, Limits: o.Limits}
	if a.typed {
		opt.Named = t.Start.URL
	}
	for _, h := range t.Start.Headers {
		c, err := net.Field(t.Start.URL, h.Name, h.Value)
		if err != nil {
			return talk.Server{}, nil, err
		}
		opt.Credentials = append(opt.Credentials, c)
	}
	given, err := a.given(t.Start.URL)
	if err != nil {
		return talk.Server{}, nil, err
	}
	opt.Credentials = append(opt.Credentials, given...)
	door, err := net.New(opt)
	if err != nil {
		return talk.Server{}, nil, err
	}
	if transport == wire.SSE {
		return talk.SSE(door, t.Start.URL, o), door.Close, nil
	}
	return talk.HTTP(door, t.Start.URL, o), door.Close, nil
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

func (a *asker) path(name string) string {
	if name == "" {
		return ""
	}
	return absolute(a.app.io.Cwd, name)
}

// local starts a command in its sandbox, once for each era that is tried.
func (a *asker) local(ctx context.Context, t scan.Target, o talk.Options) (talk.Server, func(), error) {
	spec := sandbox.Spec{Executor: sandbox.Backend(a.executor), Argv: t.Start.Argv, Parent: a.app.io.Environ(), Entry: t.Start.Env,
		InheritEnv: a.inheritEnv, Dir: t.Start.Dir, AllowNet: a.allowNet, Image: a.image, Limits: o.Limits}
	if spec.Dir == "" {
		spec.Dir = a.app.io.Cwd
	}
	clean := func() error { return nil }
	if a.prefetch {
		var err error
		if spec, clean, err = sandbox.Prefetch(ctx, spec); err != nil {
			return talk.Server{}, nil, err
		}
	}
	plan, err := sandbox.New(ctx, spec)
	if err != nil {
		_ = clean()
		return talk.Server{}, nil, err
	}
	a.say(plan)
	start := func(ctx context.Context) (talk.Lines, error) {
		child, err := proc.Start(ctx, plan.Command, o.Limits)
		if err != nil {
			return nil, err
		}
		return lines{child}, nil
	}
	return talk.Stdio(start, o), func() {
		_ = plan.Cleanup()
		_ = clean()
	}, nil
}

// say prints what this system can not enforce, once for all servers that it is true of.
func (a *asker) say(plan *sandbox.Plan) {
	if len(plan.NotEnforced) == 0 {
		return
	}
	note := fmt.Sprintf("not enforced by %s: %s", plan.Backend, strings.Join(plan.NotEnforced, "; "))
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
