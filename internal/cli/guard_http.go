package cli

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/netip"
	"net/url"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpassay/mcpassay/internal/effect/listen"
	"github.com/mcpassay/mcpassay/internal/flow/guard"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// httpFlags are those about a server with a URL.
func (g *guarding) httpFlags(f *pflag.FlagSet) {
	f.StringVar(&g.listen, "listen", "", "answer at this `ADDRESS`, such as 127.0.0.1:8090; with --upstream")
	f.StringVar(&g.upstream, "upstream", "", "the `URL` of the server that the guard stands before (Streamable HTTP)")
	f.StringVar(&g.door.tokenEnv, "token-env", "", "with --listen: clients must send the bearer token that the variable `NAME` holds, which goes no further; for an address that others reach")
	f.StringVar(&g.door.public, "public-url", "", "with --listen: clients reach it as this `ORIGIN`, such as https://mcp.example.com, through a proxy")
	g.reach.credentialFlags(f)
	g.reach.networkFlags(f)
}

// httpOnly are the flags that mean nothing for a command.
func httpOnly() *pflag.FlagSet {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(guarding).httpFlags(f)
	return f
}

// firstChanged is the first of the flags of a set that was given, "" for none.
func firstChanged(cmd *cobra.Command, set *pflag.FlagSet) (name string) {
	set.VisitAll(func(f *pflag.Flag) {
		if name == "" && cmd.Flags().Changed(f.Name) {
			name = f.Name
		}
	})
	return name
}

// runHTTP stands before a server with a URL.
func (g *guarding) runHTTP(cmd *cobra.Command, args []string) error {
	const how = "mcpassay guard run --listen 127.0.0.1:8090 --upstream URL"
	switch {
	case len(args) > 0:
		return usage("a client starts mcpassay guard run -- COMMAND by itself; a server with a URL is given with --upstream", "--listen and --upstream take no command")
	case g.listen == "" || g.upstream == "":
		return usage(how, "--listen and --upstream belong together")
	case firstChanged(cmd, boundsOnly()) != "":
		return usage(how, "--executor and --allow-net are about a command")
	}
	a, ctx := g.app, cmd.Context()
	g.reach.executor, g.reach.timeout = backendNames()[0], a.limits.RunTime
	if err := g.reach.check(); err != nil {
		return err
	}
	g.door.http = g.listen
	front, err := a.front(g.door, true)
	if err != nil {
		return err
	}
	target := guarded{url: g.upstream}
	gate, holds, err := g.gate(ctx, target) // before anything is opened
	if err != nil {
		return err
	}
	opt, by, err := g.options(gate)
	if err != nil {
		return err
	}
	a.lasting.Store(true)
	a.children.Store(true) // an interrupt waits for what is being answered
	var h *guard.HTTP
	lim := a.limits
	lim.AskedBytes = lim.GuardedFrame
	door, err := listen.Open(ctx, g.listen, listen.Options{
		Admit:  func(r *wire.Asked) *wire.Answer { return front.Admit(r, false) },
		Handle: func(ctx context.Context, r *wire.Asked) *wire.Answer { return h.Handle(ctx, r) },
		Over:   func(r *wire.Asked, begun []byte, rest io.Reader) *wire.Answer { return h.Over(r, begun, rest) },
		Public: front.Public, Limits: lim,
	})
	if err != nil {
		return &problem{what: "can not listen: " + reason(err), at: g.listen, hint: "name a free address, such as 127.0.0.1:8090", code: exitFindings}
	}
	lim.HeaderTime = 0 // who asked says how long to wait
	g.reach.ours = []netip.AddrPort{door.Address()}
	network, err := (&asker{reach: &g.reach, judging: &judging{app: a, platform: a.io.Platform, env: "none"}, typed: true}).network(ctx, client.Start{URL: g.upstream}, lim)
	if err == nil {
		err = network.Check(g.upstream)
	}
	if err != nil {
		return &problem{what: "the server can not be asked: " + err.Error(), hint: "check --upstream", code: exitFindings}
	}
	defer network.Close()
	h = guard.NewHTTP(guard.HTTPOptions{Network: network, URL: g.upstream, Shared: &guard.Holding{Session: guard.NewSession(opt), Saw: g.saw(rand.Text())}, Private: front.Token != "", Now: a.io.Now, Limits: a.limits,
		Open: func() (*guard.Holding, error) {
			again := &guarding{app: a, server: g.server, lock: g.lock, requireLock: g.requireLock, policy: g.policy, auditOnly: g.auditOnly}
			gate, _, err := again.gate(ctx, target) // what is approved meanwhile holds for who comes then
			if err != nil {
				return nil, err
			}
			opt, _, err := again.options(gate)
			return &guard.Holding{Session: guard.NewSession(opt), Saw: again.saw(rand.Text())}, err
		}})
	shown := ""
	if u, err := url.Parse(g.upstream); err == nil {
		shown = wire.ShownURL(u)
	}
	fmt.Fprintf(a.io.Err, "mcpassay guard: %s\nmcpassay guard: http://%s%s stands before %s, until interrupted\n", holds+by, door.Address(), guard.Endpoint, safe(shown))
	g.tell(opt)
	if err := door.Serve(ctx); err != nil {
		return &problem{what: "the guard ended: " + err.Error(), at: g.listen, code: exitFindings}
	}
	return nil
}
