package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/effect/keys"
	"github.com/mcpassay/mcpassay/internal/effect/listen"
	"github.com/mcpassay/mcpassay/internal/flow/auth"
	"github.com/mcpassay/mcpassay/internal/model/oauth"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// tokens is where this user's tokens are kept.
func (a *app) tokens(noKeychain bool) *keys.Store {
	return &keys.Store{StateDir: files.StateDir(a.io.Platform, a.io.Getenv, a.io.Home), NoKeychain: noKeychain, Limits: a.limits}
}

// vault is the store as the flow asks for it.
type vault struct{ *keys.Store }

func (v vault) All(ctx context.Context) (all []oauth.Kept, err error) {
	kept, closed, err := v.Store.All(ctx)
	for _, k := range kept {
		all = append(all, k.Kept)
	}
	return all, errors.Join(append(closed, err)...)
}

func (v vault) Keep(ctx context.Context, k oauth.Kept) error {
	_, _, err := v.Store.Keep(ctx, k)
	return err
}

// oneURL refuses anything else.
func oneURL(cmd string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 || !strings.Contains(args[0], "://") {
			return usage("mcpassay auth "+cmd+" https://mcp.example.com/mcp", "%s takes one server's URL", cmd)
		}
		return nil
	}
}

type login struct {
	way
	auth.Options
	timeout               time.Duration
	port                  int
	noBrowser, noKeychain bool
}

func (a *app) authLogin() *cobra.Command {
	var l login
	cmd := &cobra.Command{
		Use: "login URL", Short: "Get leave in the browser, and keep the token for scan --auth", Args: oneURL("login"),
		Long: "Get leave in the browser, and keep the token and what refreshes it for --auth. They\n" +
			"are kept encrypted, their key in the system's keychain; where there is none the key\n" +
			"lies in a file that only you can read, and login says so.",
		Example:     "  mcpassay auth login https://mcp.example.com/mcp\n  mcpassay scan https://mcp.example.com/mcp --auth",
		Annotations: map[string]string{touches: "the server, its authorization server, the browser, a port of 127.0.0.1, the keychain, and files of mcpassay's own"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if l.timeout <= 0 || l.port < 0 || l.port > 65535 {
				return usage("--timeout 2m --port 7777", "--timeout is a duration above zero, --port a port")
			}
			l.Endpoint = args[0]
			a.auditedURL(l.Endpoint)
			return a.login(cmd.Context(), l)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&l.ClientID, "client-id", "", "the `ID` of a public client that the authorization server knows")
	f.StringVar(&l.ClientDocument, "client-metadata-url", "", "the `URL` of a document about the client, for servers that read such")
	f.StringArrayVar(&l.Scopes, "scope", nil, "ask for this `SCOPE` instead of those that the server says it needs (may be repeated)")
	f.BoolVar(&l.noBrowser, "no-browser", false, "open no browser, only print the URL")
	f.BoolVar(&l.noKeychain, "no-keychain", false, "put the key of the tokens into a file")
	f.IntVar(&l.port, "port", 0, "wait on this `PORT` of 127.0.0.1, for a client whose redirect URI names one")
	f.DurationVar(&l.timeout, "timeout", a.limits.LoginTime, "how long you have in the browser")
	l.way.flags(f)
	return cmd
}

func (a *app) login(ctx context.Context, l login) error {
	store := a.tokens(l.noKeychain)
	if err := store.Ready(); err != nil {
		return &problem{what: "tokens can not be kept: " + err.Error(), hint: "mcpassay auth start and complete put one into a file that you name", code: exitIncomplete}
	}
	back, err := listen.OpenCallback(l.port, a.limits)
	if err != nil {
		return &problem{what: err.Error(), hint: "--port 0 takes one that is free", code: exitIncomplete}
	}
	defer back.Close()
	l.RedirectURI, l.Register, l.Lasting = back.RedirectURI, true, true
	flow, end, err := a.authFlow(l.way, l.Options)
	if err != nil {
		return err
	}
	defer end()
	state, question, err := flow.Begin(ctx)
	if err != nil {
		return unauthorized(err)
	}
	back.Expect(state.Mine)
	fmt.Fprintf(a.io.Err, "%s\n", asked(state.Grant))
	how := "open in a browser on this machine"
	if !l.noBrowser && a.io.ErrTerminal && a.io.Browse != nil && a.io.Browse(question) == nil {
		how = "the browser opens; if it does not, open"
	}
	fmt.Fprintf(a.io.Err, "%s:\n%s\n", how, question)
	wait := min(l.timeout, state.Expires.Sub(a.io.Now()))
	limited, cancel := context.WithTimeoutCause(ctx, wait, &problem{what: "nobody gave leave within " + wait.Round(time.Second).String(), at: l.Endpoint,
		hint: "begin anew, with a longer --timeout", code: exitIncomplete})
	defer cancel()
	callback, err := back.Await(limited)
	if err != nil {
		return err
	}
	t, err := flow.Finish(ctx, state, callback, func() error { return nil })
	if err != nil {
		return unauthorized(err)
	}
	state.Scopes = t.Scopes
	kept, why, err := store.Keep(ctx, oauth.Kept{Grant: state.Grant, Token: t, Obtained: a.io.Now().UTC()})
	if err != nil {
		return &problem{what: "the token can not be kept: " + err.Error(), at: kept.Path, code: exitIncomplete}
	}
	if why != nil {
		fmt.Fprintf(a.io.Err, "not in the keychain (%s): the token is in %s, encrypted with the key in %s.\nBoth are yours alone to read; whoever reads both has the token.\n",
			safe(why.Error()), safe(kept.Path), safe(kept.KeyPath))
	}
	fmt.Fprintf(a.io.Out, "the token for %s is kept, %s: %s\n", safe(state.Resource), lasts(t, a.io.Now()), a.command("mcpassay", "scan", l.Endpoint, "--auth"))
	return nil
}

func (a *app) authLogout() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "logout URL | logout --all", Short: "Take away the token that is kept for a server",
		Long: "Take away the token that is kept for a server, or with --all every one and their\n" +
			"key. The authorization server is not told: it takes the token until it ends.",
		Annotations: map[string]string{touches: "files of mcpassay's own; with --all the keychain"},
		Args: func(cmd *cobra.Command, args []string) error {
			if all && len(args) == 0 {
				return nil
			}
			return oneURL("logout")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			store, ctx := a.tokens(false), cmd.Context()
			if all {
				n, err := store.ForgetAll(ctx)
				if err != nil {
					return &problem{what: "not all could be taken away: " + err.Error(), code: exitIncomplete}
				}
				fmt.Fprintf(a.io.Out, "taken away: %s\n", text.Count(n, "token"))
				return nil
			}
			a.auditedURL(args[0])
			kept, closed, err := store.All(ctx)
			if err != nil {
				return &problem{what: "the kept tokens can not be read: " + err.Error(), code: exitIncomplete}
			}
			n := 0
			for _, k := range kept {
				if !oauth.Covers(k.Resource, args[0]) {
					continue
				}
				if err := store.Forget(k); err != nil {
					return &problem{what: "the token can not be taken away: " + err.Error(), at: k.Path, code: exitIncomplete}
				}
				fmt.Fprintf(a.io.Out, "taken away: the token for %s from %s\n", safe(k.Resource), safe(k.Issuer))
				n++
			}
			if n == 0 {
				fmt.Fprintf(a.io.Out, "no token is kept for %s\n", safe(secret.MaskURL(args[0])))
			}
			a.unopened(closed)
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "take away every token and their key")
	return cmd
}

// unopened tells of tokens that could not be opened.
func (a *app) unopened(closed []error) {
	for _, err := range closed {
		fmt.Fprintf(a.io.Err, "can not be opened: %s\n", safe(err.Error()))
	}
	if len(closed) > 0 {
		fmt.Fprintln(a.io.Err, "hint: log in again, or mcpassay auth logout --all")
		a.code = exitIncomplete
	}
}

func (a *app) authStatus() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "List the tokens that are kept, without them", Args: noArgs("mcpassay auth status takes no argument"),
		Annotations: map[string]string{touches: "files of mcpassay's own, and the keychain"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			kept, closed, err := a.tokens(false).All(cmd.Context())
			if err != nil {
				return &problem{what: "the kept tokens can not be read: " + err.Error(), code: exitIncomplete}
			}
			for _, k := range kept {
				key := "in the keychain"
				if k.Key == keys.InFile {
					key = "in " + safe(k.KeyPath)
				}
				renewed := "not refreshed"
				if k.Token.Refresh != "" {
					renewed = "refreshed by itself"
				}
				fmt.Fprintf(a.io.Out, "%s\n  issuer  %s\n  client  %s\n  scopes  %s\n  token   %s, %s\n  key     %s\n", safe(k.Resource), safe(k.Issuer), safe(k.ClientID),
					safe(strings.Join(k.Token.Scopes, " ")), lasts(k.Token, a.io.Now()), renewed, key)
			}
			if len(kept)+len(closed) == 0 {
				fmt.Fprintln(a.io.Out, "no token is kept")
			}
			a.unopened(closed)
			return nil
		},
	}
}
