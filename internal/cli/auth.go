package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/effect/net"
	"github.com/mcpassay/mcpassay/internal/effect/token"
	"github.com/mcpassay/mcpassay/internal/flow/auth"
	"github.com/mcpassay/mcpassay/internal/model/oauth"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// way is how authorization servers are reached.
type way struct {
	ca, proxy    string
	allowPrivate bool
}

func (w *way) flags(f *pflag.FlagSet) {
	f.StringVar(&w.ca, "ca-file", "", "trust the certificates in `FILE` too")
	f.StringVar(&w.proxy, "proxy", "", "go through the proxy at `URL` (none is taken from the environment)")
	f.BoolVar(&w.allowPrivate, "allow-private-network", false, "private and loopback addresses may be reached")
}

const authExits = "0 done, 2 refused or could not complete, 130 interrupted"

func (a *app) auth() *cobra.Command {
	cmd := parent(&cobra.Command{
		Use: "auth", Short: "Get leave to ask a server that wants a token (OAuth)", GroupID: "more",
		Long: "Get leave to ask a server that wants a token (OAuth 2.1 as MCP has it: S256 PKCE,\n" +
			"resource indicators, checked issuers). login is for people; start and complete are\n" +
			"for two processes and a client that is registered already.",
		Annotations: map[string]string{touches: "the server that is named, its authorization server, the files that are named; login also the keychain and the browser", exits: authExits},
	})
	cmd.AddCommand(a.authLogin(), a.authLogout(), a.authStatus(), a.authStart(), a.authComplete())
	for _, c := range cmd.Commands() {
		a.audited(c)
		c.Annotations = map[string]string{touches: c.Annotations[touches], exits: authExits}
	}
	return cmd
}

// authFlow is an attempt for an endpoint, through a network door of its own.
func (a *app) authFlow(w way, o auth.Options) (*auth.Flow, func(), error) {
	opt := net.Options{Named: o.Endpoint, AllowPrivate: w.allowPrivate, Proxy: w.proxy, UserAgent: "mcpassay/" + Version, Limits: a.limits}
	if w.ca != "" {
		opt.CAFile = absolute(a.io.Cwd, w.ca)
	}
	door, err := net.New(opt)
	if err != nil {
		return nil, nil, err
	}
	o.Now, o.Limits = a.io.Now, a.limits
	return &auth.Flow{Network: door, Protocol: &token.Client{Door: door, Limits: a.limits}, Options: o}, door.Close, nil
}

// auditedURL names a URL in the record of the run, without user and query.
func (a *app) auditedURL(endpoint string) {
	if u, err := url.Parse(endpoint); err == nil {
		a.audit.targets(secret.MaskURL(wire.ShownURL(u)))
	}
}

// unauthorized is an error of the flow as a person is told it.
func unauthorized(err error) error {
	var p *auth.Problem
	if !errors.As(err, &p) {
		return err
	}
	return &problem{what: p.Error(), at: secret.MaskURL(p.At), hint: p.Hint, code: exitIncomplete}
}

// needs refuses a command line without the flags that it needs.
func needs(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := cmd.Flags().Lookup(name); f.Value.String() == "" {
			return usage(cmd.CommandPath()+" --help", "--%s is needed", name)
		}
	}
	return nil
}

func (a *app) authStart() *cobra.Command {
	var w way
	var o auth.Options
	var file string
	cmd := &cobra.Command{
		Use: "start", Short: "Print the URL at which a person gives leave, and keep what complete needs", Args: noArgs("mcpassay auth start takes flags only"),
		Long: "Print the URL at which a person gives leave, and keep what complete needs in a\n" +
			"private file. The client is one that the authorization server knows already.",
		Example: "  mcpassay auth start --server-url https://mcp.example.com/mcp --client-id my-client \\\n" +
			"    --redirect-uri https://client.example.com/callback --state-file state.json",
		Annotations: map[string]string{touches: "the server, its authorization server, and the state file"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := needs(cmd, "server-url", "client-id", "redirect-uri", "state-file"); err != nil {
				return err
			}
			return a.startAuth(cmd.Context(), w, o, file)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.Endpoint, "server-url", "", "the MCP server's `URL`")
	f.StringVar(&o.ClientID, "client-id", "", "the `ID` of a public client that the authorization server knows")
	f.StringVar(&o.RedirectURI, "redirect-uri", "", "the redirect `URI` that this client is registered with")
	f.StringVar(&file, "state-file", "", "keep what complete needs in `FILE`: private, good once and for ten minutes")
	f.StringArrayVar(&o.Scopes, "scope", nil, "ask for this `SCOPE` instead of those that the server says it needs (may be repeated)")
	w.flags(f)
	return cmd
}

func (a *app) startAuth(ctx context.Context, w way, o auth.Options, file string) error {
	path := absolute(a.io.Cwd, file)
	private := files.WriteOptions{Private: true}
	unsaved := func(err error) error {
		return &problem{what: "the state can not be kept: " + refusal(err).Detail, at: file, hint: "name a file in a folder of your own", code: exitIncomplete}
	}
	if err := files.Writable(path, private); err != nil {
		return unsaved(err)
	}
	a.auditedURL(o.Endpoint)
	flow, end, err := a.authFlow(w, o)
	if err != nil {
		return err
	}
	defer end()
	state, question, err := flow.Begin(ctx)
	if err != nil {
		return unauthorized(err)
	}
	raw, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return err
	}
	if err := files.WriteAtomic(path, append(raw, '\n'), private); err != nil {
		return unsaved(err)
	}
	fmt.Fprintln(a.io.Out, question)
	fmt.Fprintf(a.io.Err, "%s\nopen the URL; then, until %s: mcpassay auth complete --state-file %s …\n", asked(state.Grant), state.Expires.Format(time.RFC3339), safe(file))
	return nil
}

// asked says who asks whom for what.
func asked(g oauth.Grant) string {
	scopes := "no scope in particular"
	if len(g.Scopes) > 0 {
		scopes = strings.Join(g.Scopes, " ")
	}
	return fmt.Sprintf("%s asks %s for access to %s: %s", safe(g.ClientID), safe(g.Issuer), safe(g.Resource), safe(scopes))
}

func (a *app) authComplete() *cobra.Command {
	var w way
	var state, env, callback, out string
	cmd := &cobra.Command{
		Use: "complete", Short: "Trade the callback for a token, and put that into a private file", Args: noArgs("mcpassay auth complete takes flags only"),
		Long: "Trade the URL that the person was sent back to for a token, and put that into a\n" +
			"private file which --bearer-token-file reads. The state file is removed before the\n" +
			"code is sent: each is good once.",
		Example: "  MCP_CALLBACK_URL='https://client.example.com/callback?code=…&state=…' \\\n" +
			"    mcpassay auth complete --state-file state.json --callback-url-env MCP_CALLBACK_URL --token-file token\n" +
			"  mcpassay scan https://mcp.example.com/mcp --bearer-token-file token",
		Annotations: map[string]string{touches: "the authorization server, the state file and the token file"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := needs(cmd, "state-file", "token-file"); err != nil {
				return err
			}
			if (env == "") == (callback == "") {
				return usage("an argument would show the code to every process", "the callback comes from --callback-url-env NAME or --callback-url-file FILE")
			}
			if absolute(a.io.Cwd, state) == absolute(a.io.Cwd, out) || callback != "" && absolute(a.io.Cwd, callback) == absolute(a.io.Cwd, out) {
				return usage("put the token into another file", "%s is read, too", out)
			}
			return a.completeAuth(cmd.Context(), w, state, env, callback, out)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&state, "state-file", "", "the `FILE` that start wrote")
	f.StringVar(&env, "callback-url-env", "", "the variable `NAME` holds the URL that the person was sent back to")
	f.StringVar(&callback, "callback-url-file", "", "`FILE`, which only you can read, holds it")
	f.StringVar(&out, "token-file", "", "put the token into `FILE`, which only you can read")
	w.flags(f)
	return cmd
}

func (a *app) completeAuth(ctx context.Context, w way, stateFile, env, callbackFile, out string) error {
	path := absolute(a.io.Cwd, stateFile)
	raw, err := a.readPrivate("state file", stateFile, "mcpassay auth start writes one")
	if err != nil {
		return err
	}
	state, err := oauth.ReadState(raw, a.limits)
	if err != nil {
		return &problem{what: "the state file can not be read: " + err.Error(), at: stateFile, hint: "mcpassay auth start writes one", code: exitIncomplete}
	}
	a.auditedURL(state.Resource)
	callback := []byte(a.io.Getenv(env))
	if callbackFile != "" {
		if callback, err = a.readPrivate("callback", callbackFile, "put the URL that the person was sent back to there"); err != nil {
			return err
		}
	}
	if len(callback) == 0 && callbackFile == "" {
		return usage("set it to the URL that the person was sent back to", "variable %s is not set", env)
	}
	private := files.WriteOptions{Private: true}
	to := absolute(a.io.Cwd, out)
	unsaved := func(err error) error {
		return &problem{what: "the token can not be kept: " + refusal(err).Detail, at: out, hint: "name a file in a folder of your own", code: exitIncomplete}
	}
	if err := files.Writable(to, private); err != nil {
		return unsaved(err)
	}
	flow, end, err := a.authFlow(w, auth.Options{Endpoint: state.Endpoint})
	if err != nil {
		return err
	}
	defer end()
	t, err := flow.Finish(ctx, state, strings.TrimRight(string(callback), "\r\n"), func() error {
		if err := files.Remove(path); err != nil {
			return &problem{what: "the state file can not be put away, and is good once: " + refusal(err).Detail, at: stateFile, hint: "mcpassay auth start begins anew", code: exitIncomplete}
		}
		return nil
	})
	if err != nil {
		return unauthorized(err)
	}
	if err := files.WriteAtomic(to, []byte(t.Access+"\n"), private); err != nil {
		return unsaved(err)
	}
	fmt.Fprintf(a.io.Out, "the token for %s is in %s, %s\n", safe(state.Resource), safe(out), lasts(t, a.io.Now()))
	return nil
}

// lasts says how long a token is good for.
func lasts(t oauth.Token, now time.Time) string {
	switch {
	case t.Expires.IsZero():
		return "for as long as the server takes it"
	case !now.Before(t.Expires):
		return "expired since " + t.Expires.UTC().Format(time.RFC3339)
	}
	return "until " + t.Expires.UTC().Format(time.RFC3339)
}

// readPrivate reads a file that only the user may read, and that is no link.
func (a *app) readPrivate(what, name, hint string) ([]byte, error) {
	path := absolute(a.io.Cwd, name)
	raw, _, err := files.Read(path, files.ReadOptions{MaxBytes: a.limits.CredentialBytes, Base: filepath.Dir(path), Private: true})
	if err != nil {
		return nil, &problem{what: "the " + what + " can not be read: " + refusal(err).Detail, at: name, hint: hint, code: exitIncomplete}
	}
	return raw, nil
}
