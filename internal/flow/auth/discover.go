package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/oauth"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// The HTTP status codes that mean something here.
const (
	statusOK           = 200
	statusCreated      = 201
	statusUnauthorized = 401
	statusForbidden    = 403
)

// question asks a server for something that changes nothing: without a token a protected server answers 401, and one that
// is not begins no session over it.
const question = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// resource finds the metadata of the endpoint: where its challenge says, or else where RFC 9728 says.
func (f *Flow) resource(ctx context.Context) (c oauth.Challenge, r oauth.Resource, err error) {
	resp, err := f.Network.Send(ctx, &wire.HTTPRequest{Verb: "POST", URL: f.Endpoint, Body: []byte(question), Want: wire.Handshake,
		Header: [][2]string{{"Content-Type", wire.MediaJSON}, {"Accept", wire.MediaJSON + ", " + wire.MediaEvents}}})
	if err != nil {
		return c, r, &Problem{What: "the server can not be asked", At: f.Endpoint, Err: err}
	}
	resp.Body.Close()
	if resp.Status >= 300 && resp.Status <= 399 {
		return c, r, &Problem{What: fmt.Sprintf("the server answers HTTP %d, a redirect, which is not followed", resp.Status), At: f.Endpoint, Hint: "give the URL that it leads to"}
	}
	places := oauth.ResourcePlaces(f.Endpoint)
	if resp.Status == statusUnauthorized {
		c, _ = oauth.Bearer(resp.Header["www-authenticate"], f.Limits)
	}
	if c.Metadata != "" {
		if _, err := oauth.CheckURL("metadata URL of the server's challenge", c.Metadata, f.Limits); err != nil {
			return c, r, &Problem{What: err.Error(), At: f.Endpoint}
		}
		places = []string{c.Metadata}
	}
	err = f.first(ctx, places, func(raw []byte) (err error) {
		r, err = oauth.ReadResource(raw, f.Endpoint, f.Limits)
		return err
	})
	if errors.Is(err, errNowhere) {
		hint := "ask whoever runs it: a server that wants OAuth publishes /.well-known/oauth-protected-resource (RFC 9728)"
		switch resp.Status {
		case statusUnauthorized, statusForbidden:
		case statusOK:
			hint = "it answered without a token: scan it as it is"
		default: // a server with sessions says 400 to a request without one
			hint = "it asked for no token: scan it as it is"
		}
		return c, r, &Problem{What: fmt.Sprintf("the server does not say who gives tokens for it (HTTP %d, and no metadata)", resp.Status), At: f.Endpoint, Hint: hint}
	}
	if err != nil {
		return c, r, &Problem{What: "the server's metadata is refused", At: f.Endpoint, Err: err}
	}
	return c, r, nil
}

// server finds the metadata of the authorization server that the resource names first.
func (f *Flow) server(ctx context.Context, r oauth.Resource) (s oauth.Server, err error) {
	issuer := r.Servers[0]
	if err := oauth.CheckIssuer(issuer, f.Limits); err != nil {
		return s, &Problem{What: err.Error(), At: r.Resource}
	}
	err = f.first(ctx, oauth.ServerPlaces(issuer), func(raw []byte) (err error) {
		s, err = oauth.ReadServer(raw, issuer, f.Limits)
		return err
	})
	if errors.Is(err, errNowhere) {
		return s, &Problem{What: "the authorization server publishes no metadata", At: issuer, Hint: "looked at " + strings.Join(oauth.ServerPlaces(issuer), ", ")}
	}
	if err == nil { // a person's browser opens it, and no door of ours judges what that does
		err = f.Network.Check(s.Authorize)
	}
	if err != nil {
		return s, &Problem{What: "the authorization server's metadata is refused", At: issuer, Err: err}
	}
	return s, nil
}

// errNowhere says that a document is at none of its places.
var errNowhere = errors.New("no document")

// first reads a document from the first place that has it. A place that says that it has none, or answers with a page for
// people, leads on to the next; anything else that is wrong ends the search: what a place can not serve rightly, another
// must not make up for.
func (f *Flow) first(ctx context.Context, places []string, read func(raw []byte) error) error {
	for _, at := range places {
		resp, err := f.Network.Send(ctx, &wire.HTTPRequest{Verb: "GET", URL: at, Want: wire.Document, Header: [][2]string{{"Accept", wire.MediaJSON}}})
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		raw, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", at, err)
		case resp.Status >= 400 && resp.Status <= 499, resp.Status == statusOK && wire.LooksLikeHTML(raw):
			continue
		case resp.Status >= 300 && resp.Status <= 399:
			return fmt.Errorf("%s: HTTP %d, a redirect, which is not followed", at, resp.Status)
		case resp.Status != statusOK:
			return fmt.Errorf("%s: HTTP %d", at, resp.Status)
		}
		if err := read(raw); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		return nil
	}
	return errNowhere
}

// client is the id to go by: the one that was given, the URL of the document about the client, or the one that the server
// registers (MCP 2025-11-25, "Client Registration Approaches", in its order).
func (f *Flow) client(ctx context.Context, s oauth.Server, scopes []string) (string, error) {
	switch {
	case f.ClientID != "":
		return f.ClientID, nil
	case f.ClientDocument != "" && s.ClientDocuments:
		return f.ClientDocument, nil
	case !f.Register || s.Register == "":
		hint := "register a client with it and give --client-id"
		if s.ClientDocuments {
			hint += ", or --client-metadata-url"
		}
		return "", &Problem{What: "the authorization server registers no clients by itself", At: s.Issuer, Hint: hint}
	}
	about := map[string]any{"client_name": "mcpassay", "redirect_uris": []string{f.RedirectURI}, "token_endpoint_auth_method": "none",
		"grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"}, "application_type": "native"}
	if len(scopes) > 0 {
		about["scope"] = strings.Join(scopes, " ")
	}
	body, err := json.Marshal(about)
	if err != nil {
		return "", err
	}
	failed := func(err error) error {
		return &Problem{What: "the authorization server did not register the client", At: s.Register, Hint: "register one and give --client-id", Err: err}
	}
	resp, err := f.Network.Send(ctx, &wire.HTTPRequest{Verb: "POST", URL: s.Register, Body: body, Want: wire.Document,
		Header: [][2]string{{"Content-Type", wire.MediaJSON}, {"Accept", wire.MediaJSON}}})
	if err != nil {
		return "", failed(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", failed(err)
	}
	if resp.Status != statusCreated && resp.Status != statusOK {
		detail := fmt.Sprintf("HTTP %d", resp.Status)
		if n, err := oauth.Object(raw, f.Limits); err == nil {
			detail += ": " + wire.Excerpt([]byte(n.Get("error").Text()+" "+n.Get("error_description").Text()), f.Limits)
		}
		return "", failed(errors.New(detail))
	}
	id, err := oauth.ReadRegistration(raw, f.RedirectURI, f.Limits)
	if err != nil {
		return "", failed(err)
	}
	return id, nil
}
