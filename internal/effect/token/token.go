// Package token asks authorization servers for tokens. golang.org/x/oauth2 speaks the protocol; every byte of it goes
// through the guarded door to the network, which judges addresses, follows no redirect and bounds every answer.
package token

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/oauth"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Door is the network.
type Door interface {
	Send(ctx context.Context, r *wire.HTTPRequest) (*wire.HTTPResponse, error)
}

// Client is a client of authorization servers without a secret of its own.
type Client struct {
	Door   Door
	Limits limits.Set
}

func config(g oauth.Grant) *oauth2.Config {
	// The style is said, as the library would find it out by sending a code twice.
	return &oauth2.Config{ClientID: g.ClientID, RedirectURL: g.RedirectURI, Scopes: g.Scopes,
		Endpoint: oauth2.Endpoint{TokenURL: g.TokenEndpoint, AuthStyle: oauth2.AuthStyleInParams}}
}

// Verifier makes the secret of PKCE (RFC 7636, section 4.1).
func (c *Client) Verifier() string { return oauth2.GenerateVerifier() }

// Question is the URL that a person opens to be asked: authorize is the authorization endpoint.
func (c *Client) Question(s oauth.State, authorize string) string {
	conf := config(s.Grant)
	conf.Endpoint.AuthURL = authorize
	return conf.AuthCodeURL(s.Nonce, oauth2.S256ChallengeOption(s.Verifier), oauth2.SetAuthURLParam("resource", s.Resource))
}

// Exchange trades an authorization code for a token.
func (c *Client) Exchange(ctx context.Context, s oauth.State, code string) (oauth.Token, error) {
	t, err := config(s.Grant).Exchange(c.through(ctx), code, oauth2.VerifierOption(s.Verifier), oauth2.SetAuthURLParam("resource", s.Resource))
	return c.taken(t, err, code, s.Verifier)
}

// Refresh trades a refresh token for a token. The library's own way of refreshing can not name the resource (RFC 8707,
// section 2.2); its request for client credentials is the one that takes further parameters, and another grant.
func (c *Client) Refresh(ctx context.Context, g oauth.Grant, refresh string) (oauth.Token, error) {
	conf := clientcredentials.Config{ClientID: g.ClientID, TokenURL: g.TokenEndpoint, AuthStyle: oauth2.AuthStyleInParams,
		EndpointParams: url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}, "resource": {g.Resource}}}
	t, err := conf.Token(c.through(ctx))
	return c.taken(t, err, refresh)
}

func (c *Client) through(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Transport: c,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }})
}

// taken judges a token, or says what came instead, without the secrets that were sent or came.
func (c *Client) taken(t *oauth2.Token, err error, secrets ...string) (oauth.Token, error) {
	if err != nil {
		return oauth.Token{}, c.explain(err, secrets)
	}
	if !strings.EqualFold(t.TokenType, "Bearer") { // RFC 6749, section 7.1: a type that is not known is not to be used
		return oauth.Token{}, answered(fmt.Sprintf("the token's type is %q, and an MCP server takes Bearer", wire.Excerpt([]byte(t.TokenType), c.Limits)))
	}
	out := oauth.Token{Access: t.AccessToken, Refresh: t.RefreshToken, Expires: t.Expiry.Round(0)}
	if scope, ok := t.Extra("scope").(string); ok {
		out.Scopes = strings.FieldsFunc(scope, func(r rune) bool { return r == ' ' })
	}
	if err := out.Check(c.Limits); err != nil {
		return oauth.Token{}, answered(err.Error())
	}
	return out, nil
}

func answered(detail string) *wire.Failure {
	return &wire.Failure{Cause: wire.CauseAnswer, Detail: "the token endpoint's answer is refused: " + detail}
}

func (c *Client) explain(err error, secrets []string) error {
	var failure *wire.Failure
	if errors.As(err, &failure) {
		return failure
	}
	failure = &wire.Failure{Cause: wire.CauseAnswer, Detail: "the token endpoint gave no token: " + err.Error()}
	var told *oauth2.RetrieveError
	if errors.As(err, &told) {
		failure.Status = told.Response.StatusCode
		failure.Detail = fmt.Sprintf("the token endpoint refused (HTTP %d)", failure.Status)
		if told.ErrorCode != "" {
			failure.Detail += ": " + told.ErrorCode
		}
		if told.ErrorDescription != "" {
			failure.Detail += ": " + told.ErrorDescription
		}
		if n, err := oauth.Object(told.Body, c.Limits); err == nil {
			secrets = append(secrets, n.Get("access_token").Text(), n.Get("refresh_token").Text())
		}
	}
	for _, s := range secrets {
		secrets = append(secrets, url.QueryEscape(s))
	}
	words := []byte(failure.Detail)
	wire.Hide(words, wire.Spellings(secrets...))
	failure.Detail = wire.Excerpt(words, c.Limits)
	return failure
}

// RoundTrip is how the library's requests go through the door. An answer is read whole and judged before the library sees
// it: it would take a token from text of any type, at any depth.
func (c *Client) RoundTrip(r *http.Request) (*http.Response, error) {
	out := &wire.HTTPRequest{Verb: r.Method, URL: r.URL.String(), Want: wire.Document}
	for name, values := range r.Header {
		for _, v := range values {
			out.Header = append(out.Header, [2]string{name, v})
		}
	}
	out.Header = append(out.Header, [2]string{"Accept", wire.MediaJSON})
	if r.Body != nil {
		defer r.Body.Close()
		var err error
		if out.Body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	in, err := c.Door.Send(r.Context(), out)
	if err != nil {
		return nil, err
	}
	defer in.Body.Close()
	body, err := io.ReadAll(in.Body)
	if err != nil {
		return nil, err
	}
	switch good := in.Status >= 200 && in.Status <= 299; {
	case in.Status >= 300 && in.Status <= 399:
		return nil, &wire.Failure{Cause: wire.CauseRedirect, Status: in.Status,
			Detail: fmt.Sprintf("the token endpoint answers HTTP %d, a redirect, which is not followed", in.Status)}
	case good && in.Header.MediaType() != wire.MediaJSON:
		return nil, answered(fmt.Sprintf("it is %q, not JSON", wire.Excerpt([]byte(in.Header.MediaType()), c.Limits)))
	default:
		if _, err := oauth.Object(body, c.Limits); err != nil {
			if good {
				return nil, answered(err.Error())
			}
			body = nil // which has nothing to say
		}
	}
	resp := &http.Response{StatusCode: in.Status, Status: fmt.Sprintf("%d %s", in.Status, http.StatusText(in.Status)), Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Header: http.Header{"Content-Type": {wire.MediaJSON}}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r}
	return resp, nil
}
