// Package auth gets a person's leave to ask a protected MCP server: it finds the server's authorization server, makes the
// question that the person takes there, judges the answer that comes back and trades it for a token. Every document on the
// way is a stranger's, and each step refuses what the step before does not vouch for.
package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/oauth"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Network is the guarded door: it judges every URL and address, and follows no redirect.
type Network interface {
	Send(ctx context.Context, r *wire.HTTPRequest) (*wire.HTTPResponse, error)
	Check(rawURL string) error
}

// Protocol makes the requests of OAuth.
type Protocol interface {
	Verifier() string
	Question(s oauth.State, authorize string) string
	Exchange(ctx context.Context, s oauth.State, code string) (oauth.Token, error)
	Refresh(ctx context.Context, g oauth.Grant, refresh string) (oauth.Token, error)
}

// Options is who asks for what.
type Options struct {
	// Endpoint is the MCP server's URL.
	Endpoint string
	// ClientID is that of a client which the authorization server knows. ClientDocument is the URL of a document about the
	// client, for servers that read such. Without either the client registers itself where that is offered, if Register
	// allows it.
	ClientID, ClientDocument string
	Register                 bool
	RedirectURI              string
	// Scopes are what is asked for, instead of what the server says it needs.
	Scopes []string
	// Lasting asks for a refresh token where the server wants to be asked.
	Lasting bool
	Now     func() time.Time
	Limits  limits.Set
}

// Problem is why there is no authorization, for a person.
type Problem struct {
	What, At, Hint string
	Err            error
}

func (p *Problem) Error() string {
	switch {
	case p.Err == nil:
		return p.What
	case p.What == "":
		return p.Err.Error()
	}
	return p.What + ": " + p.Err.Error()
}

func (p *Problem) Unwrap() error { return p.Err }

// Flow is one attempt.
type Flow struct {
	Network  Network
	Protocol Protocol
	Options
}

// Begin finds out whom to ask, and makes the question: its URL, and what must be remembered until the answer comes.
func (f *Flow) Begin(ctx context.Context) (state oauth.State, question string, err error) {
	if err := f.check(); err != nil {
		return state, "", err
	}
	challenge, resource, err := f.resource(ctx)
	if err != nil {
		return state, "", err
	}
	server, err := f.server(ctx, resource)
	if err != nil {
		return state, "", err
	}
	state = oauth.State{Version: oauth.StateVersion, Nonce: rand.Text(), Verifier: f.Protocol.Verifier(), SaysIssuer: server.SaysIssuer,
		Grant: oauth.Grant{Endpoint: f.Endpoint, Resource: resource.Resource, Issuer: server.Issuer, TokenEndpoint: server.Token,
			RedirectURI: f.RedirectURI, Scopes: f.scopes(challenge, resource, server)}}
	if err := oauth.CheckScopes(state.Scopes, f.Limits); err != nil {
		return state, "", &Problem{What: "the server asks for scopes that are none", At: f.Endpoint, Err: err}
	}
	if state.ClientID, err = f.client(ctx, server, state.Scopes); err != nil {
		return state, "", err
	}
	question = f.Protocol.Question(state, server.Authorize)
	if len(question) > f.Limits.URLBytes {
		return state, "", &Problem{What: fmt.Sprintf("the question has more than %d bytes", f.Limits.URLBytes), At: server.Issuer, Hint: "ask for fewer scopes with --scope"}
	}
	state.Expires = f.Now().Add(f.Limits.AuthTime).UTC().Truncate(time.Second)
	return state, question, nil
}

// check judges what the user gave.
func (f *Flow) check() error {
	if err := f.Network.Check(f.Endpoint); err != nil {
		return &Problem{What: "the server can not be asked", At: f.Endpoint, Err: err}
	}
	if _, err := oauth.CheckURL("server's URL", f.Endpoint, f.Limits); err != nil {
		return &Problem{What: err.Error(), Hint: "a token is sent to https:// only, or to this machine"}
	}
	if err := CheckRedirect(f.RedirectURI, f.Limits); err != nil {
		return &Problem{What: err.Error(), Hint: "give the redirect URI that the client is registered with"}
	}
	if f.ClientID != "" {
		if err := oauth.CheckClientID(f.ClientID, f.Limits); err != nil {
			return &Problem{What: err.Error()}
		}
	}
	if f.ClientDocument != "" {
		u, err := oauth.CheckURL("client metadata URL", f.ClientDocument, f.Limits)
		if err == nil && (u.Scheme != "https" || u.Path == "" || u.Path == "/" || u.RawQuery != "") {
			err = errors.New("the client metadata URL is not https:// with a path and without a query")
		}
		if err != nil {
			return &Problem{What: err.Error()}
		}
	}
	if err := oauth.CheckScopes(f.Scopes, f.Limits); err != nil {
		return &Problem{What: err.Error(), Hint: "give each scope with a --scope of its own"}
	}
	return nil
}

// CheckRedirect demands a redirect URI that no stranger can answer on: https, this machine, or a scheme of an app of the
// user's own (RFC 8252, section 7).
func CheckRedirect(raw string, lim limits.Set) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Scheme == "" || strings.Contains(raw, "#") || u.User != nil || len(raw) > lim.URLBytes:
		return errors.New("the redirect URI is no absolute URI without a fragment")
	case u.Scheme == "http" || u.Scheme == "https":
		_, err := oauth.CheckURL("redirect URI", raw, lim)
		return err
	case !strings.Contains(u.Scheme, "."): // javascript:, data: and the like; RFC 8252 wants a reversed domain name
		return errors.New("the redirect URI's scheme is neither https nor a reversed domain name, such as com.example.app:/callback")
	}
	return nil
}

// scopes are what is asked for: what the user says, else what the server's challenge says, else what its metadata says
// (MCP 2025-11-25, "Scope Selection Strategy").
func (f *Flow) scopes(c oauth.Challenge, r oauth.Resource, s oauth.Server) []string {
	if len(f.Scopes) > 0 {
		return f.Scopes
	}
	scopes := c.Scopes
	if len(scopes) == 0 {
		scopes = r.Scopes
	}
	const offline = "offline_access" // OpenID Connect Core 1.0, section 11
	if f.Lasting && slices.Contains(s.Scopes, offline) && !slices.Contains(scopes, offline) {
		scopes = append(slices.Clip(scopes), offline)
	}
	return scopes
}

// Finish trades the code of an answer for a token. claim is called before the code is sent, and an error of it stops that:
// whoever can not put the state away for good could send a code twice.
func (f *Flow) Finish(ctx context.Context, s oauth.State, callback string, claim func() error) (oauth.Token, error) {
	answer, err := s.Accept(callback, f.Now(), f.Limits)
	if err != nil {
		return oauth.Token{}, &Problem{What: "the callback is refused", Hint: "nothing was sent; mcpassay auth start begins anew", Err: err}
	}
	if err := claim(); err != nil {
		return oauth.Token{}, err
	}
	if answer.Error != "" {
		what := "the authorization server refused: " + answer.Error
		if answer.Detail != "" {
			what += ": " + answer.Detail
		}
		return oauth.Token{}, &Problem{What: what, At: s.Issuer}
	}
	t, err := f.Protocol.Exchange(ctx, s, answer.Code)
	if err != nil {
		return oauth.Token{}, &Problem{What: "no token", At: s.TokenEndpoint, Hint: "the code is spent: begin anew", Err: err}
	}
	if len(t.Scopes) == 0 {
		t.Scopes = s.Scopes
	}
	return t, nil
}
