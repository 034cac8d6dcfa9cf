package cli

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/listen"
	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/flow/serve/a2a"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/report"
)

// serving is what the serve verb was asked for.
type serving struct {
	http, tokenEnv, public string
	allowPrivate, fixtures bool
	write                  bool
}

func (a *app) serve() *cobra.Command {
	var o serving
	cmd := &cobra.Command{
		Use: "serve", Short: "Offer the checks to agents, as an MCP server", GroupID: "check",
		Long: "Be an MCP server that offers the checks as tools: over standard input and output, or\n" +
			"with --http over Streamable HTTP at /mcp, and as A2A agents below /a2a/. It keeps no\n" +
			"session and no file, and reaches only the endpoints that a caller names, over https://\n" +
			"at public addresses.",
		Example: "  mcpassay serve                          for a client's config\n  mcpassay serve --http 127.0.0.1:8080    at http://127.0.0.1:8080/mcp\n" +
			"  mcpassay serve --http 0.0.0.0:8080 --token-env MCPASSAY_TOKEN",
		Annotations: map[string]string{touches: "standard input and output or one port, the endpoints that callers name, and for doctor the files of this machine",
			exits: "0 ended by its input or an interrupt, 2 refused"},
		Args: noArgs("mcpassay serve --http ADDRESS"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runServe(o, cmd.Flags().Changed("http")) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.http, "http", "", "listen on this `ADDRESS`, such as 127.0.0.1:8080, instead of standard input")
	f.StringVar(&o.tokenEnv, "token-env", "", "callers must send the bearer token that the variable `NAME` holds: for an address that others reach")
	f.StringVar(&o.public, "public-url", "", "callers reach it as this `ORIGIN`, such as https://mcp.example.com, through a proxy")
	f.BoolVar(&o.allowPrivate, "allow-private-network", false, "callers may have private and loopback addresses probed")
	f.BoolVar(&o.write, "allow-write", false, "the tools mcpassay_up, _install and _setup may change mcpassay.yaml, its lock and the files of clients; else they show what they would do")
	f.BoolVar(&o.fixtures, "conformance-fixtures", false, "answer what the official conformance suite asks for beside")
	_ = f.MarkHidden("conformance-fixtures")
	return cmd
}

// front checks the flags about who may ask.
func (a *app) front(o serving, overHTTP bool) (front serve.Front, err error) {
	if !overHTTP {
		if o.tokenEnv != "" || o.public != "" {
			return front, usage("add --http ADDRESS", "--token-env and --public-url are about HTTP")
		}
		return front, nil
	}
	if o.write {
		return front, usage("drop one of them", "--allow-write is for standard input: over HTTP nobody may have files changed")
	}
	front.Loopback = listen.Loopback(o.http)
	if o.public != "" {
		u, err := url.Parse(o.public)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || strings.TrimSuffix(o.public, "/") != u.Scheme+"://"+u.Host {
			return front, usage("write it as https://mcp.example.com", "--public-url is no origin")
		}
		front.Public = u.Scheme + "://" + u.Host
	}
	if o.tokenEnv != "" {
		front.Token = a.io.Getenv(o.tokenEnv)
		switch {
		case front.Token == "":
			return front, usage("set the variable "+safe(o.tokenEnv)+" to the token", "--token-env names a variable that is not set")
		case len(front.Token) < a.limits.ServeTokenBytes, strings.ContainsFunc(front.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
			return front, usage("make one with: openssl rand -hex 32", "the token is shorter than %d characters, or holds others than visible ASCII", a.limits.ServeTokenBytes)
		}
	}
	if !front.Loopback && front.Token == "" {
		port := o.http[strings.LastIndexByte(o.http, ':')+1:]
		return front, usage("add --token-env NAME, or listen on "+"127.0.0.1:"+port, "an address that others reach needs a token")
	}
	return front, nil
}

func (a *app) runServe(o serving, overHTTP bool) error {
	front, err := a.front(o, overHTTP)
	if err != nil {
		return err
	}
	guard := &serve.Guard{Private: o.allowPrivate, Limits: a.limits}
	callers := serve.NewCallers(a.io.Now, a.limits)
	jobs := a.jobs(o.allowPrivate)
	skills := append(serve.Skills(jobs, guard, callers, a.limits), serve.Packages(jobs, o.write, a.limits)...)
	agents, err := a2a.New(a2a.Options{Skills: skills, Version: Version, Bearer: front.Token != "", Saw: callers.Saw, Limits: a.limits})
	if err != nil {
		return err
	}
	opt := serve.Options{Version: Version, Skills: skills, Mounts: map[string]wire.Handler{a2a.Prefix: agents.Handle}, Agents: agents.Offered(), Resources: serve.Resources(Version, report.Schema()),
		Front: front, Callers: callers, Fixtures: o.fixtures, Limits: a.limits}
	server, err := serve.New(opt, !overHTTP)
	if err != nil {
		return err
	}
	a.lasting.Store(true)
	a.children.Store(true) // an interrupt waits for what is being answered
	if !overHTTP {
		if a.io.InTerminal {
			fmt.Fprintln(a.io.Err, "MCP on this terminal: a client's config names this command. --http 127.0.0.1:8080 listens instead; the end of the input ends it.")
		}
		if err := server.Lines(a.ctx, a.io.In, a.io.Out); err != nil {
			return &problem{what: "the client reads no more: " + err.Error(), code: exitIncomplete}
		}
		return nil
	}
	door, err := listen.Open(a.ctx, o.http, listen.Options{Admit: server.Admit, Handle: server.Handle, Public: front.Public, Limits: a.limits})
	if err != nil {
		return &problem{what: "can not listen: " + reason(err), at: o.http, hint: "name a free address, such as 127.0.0.1:8080", code: exitIncomplete}
	}
	guard.Own, jobs.own = owned(door, front), []netip.AddrPort{door.Address()}
	fmt.Fprintf(a.io.Err, "MCP at http://%s/mcp, until interrupted\n", door.Address())
	if err := door.Serve(a.ctx); err != nil {
		return &problem{what: "the server ended: " + err.Error(), at: o.http, code: exitIncomplete}
	}
	return nil
}

// reason is what an error of the network says without the address, which stands beside it.
func reason(err error) string {
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return err.Error()
}

// owned are the host:port that lead back to us.
func owned(door *listen.Door, front serve.Front) (own []string) {
	for _, origin := range []string{"http://" + door.Address().String(), front.Public} {
		if u, err := url.Parse(origin); err == nil {
			if o, ok := wire.Origin(u); ok {
				_, place, _ := strings.Cut(o, "://")
				own = append(own, place)
			}
		}
	}
	for _, host := range []string{"localhost", "127.0.0.1", "[::1]"} {
		own = append(own, fmt.Sprintf("%s:%d", host, door.Address().Port()))
	}
	return own
}
