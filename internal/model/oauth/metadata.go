package oauth

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Resource is the metadata of a protected resource (RFC 9728, section 2).
type Resource struct {
	// Resource is its identifier, Servers are the issuers that it trusts, in its order.
	Resource string
	Servers  []string
	Scopes   []string
}

// ResourcePlaces are the places of an endpoint's metadata, in the order in which they are asked: with the path inserted,
// then at the root (RFC 9728, section 3.1; MCP 2025-11-25, "Protected Resource Metadata Discovery Requirements").
func ResourcePlaces(endpoint string) []string {
	return wellKnown(endpoint, "oauth-protected-resource", true)
}

// wellKnown are the URLs of a document of an origin: below its path, and where root says so without it.
func wellKnown(of, name string, root bool) (all []string) {
	u, err := url.Parse(of)
	if err != nil {
		return nil
	}
	place := func(path, query string) string {
		at := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/.well-known/" + name, RawQuery: query}
		return at.String() + path
	}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	if path != "" || u.RawQuery != "" {
		at := place(path, "")
		if u.RawQuery != "" {
			at += "?" + u.RawQuery
		}
		all = append(all, at)
	}
	if root || path == "" {
		all = append(all, place("", ""))
	}
	return all
}

// ReadResource reads and judges the metadata of an endpoint.
func ReadResource(raw []byte, endpoint string, lim limits.Set) (r Resource, err error) {
	n, err := Object(raw, lim)
	if err != nil {
		return r, err
	}
	r.Resource = n.Get("resource").Text()
	if r.Servers, err = list(n, "authorization_servers", lim.AuthServers, lim); err != nil {
		return r, err
	}
	if r.Scopes, err = list(n, "scopes_supported", lim.AuthScopes, lim); err != nil {
		return r, err
	}
	if _, err := CheckURL("resource", r.Resource, lim); err != nil {
		return r, err
	}
	switch {
	case !Covers(r.Resource, endpoint):
		return r, fmt.Errorf("it is of %q, which is not the server that was asked", wire.Excerpt([]byte(r.Resource), lim))
	case len(r.Servers) == 0:
		return r, errors.New("it names no authorization server")
	}
	return r, CheckScopes(r.Scopes, lim)
}

// Server is the metadata of an authorization server (RFC 8414, section 2; OpenID Connect Discovery 1.0, section 3).
type Server struct {
	Issuer, Authorize, Token string
	// Register is where clients register themselves (RFC 7591), "" where they can not.
	Register string
	Scopes   []string
	// SaysIssuer says that its callbacks name the issuer (RFC 9207, section 3).
	SaysIssuer bool
	// ClientDocuments says that a client's id may be the URL of a document about it.
	ClientDocuments bool
}

// ServerPlaces are the places of an issuer's metadata, in the order in which they are asked (RFC 8414, section 3.1; OpenID
// Connect Discovery 1.0, section 4; MCP 2025-11-25, "Authorization Server Metadata Discovery").
func ServerPlaces(issuer string) []string {
	all := wellKnown(issuer, "oauth-authorization-server", false)
	all = append(all, wellKnown(issuer, "openid-configuration", false)...)
	if u, err := url.Parse(issuer); err == nil && strings.Trim(u.Path, "/") != "" {
		all = append(all, strings.TrimSuffix(issuer, "/")+"/.well-known/openid-configuration")
	}
	return all
}

// CheckIssuer judges the identifier of an issuer (RFC 8414, section 2).
func CheckIssuer(issuer string, lim limits.Set) error {
	u, err := CheckURL("issuer", issuer, lim)
	if err == nil && (u.RawQuery != "" || u.ForceQuery) {
		err = fmt.Errorf("the issuer has a query: %q", wire.ShownURL(u))
	}
	return err
}

// MixedUpError says that the metadata of one issuer is another's: the attack of that name (RFC 9700, section 4.4).
type MixedUpError struct{ Want, Got string }

func (e *MixedUpError) Error() string {
	return fmt.Sprintf("it is of the issuer %q, not of %q", e.Got, e.Want)
}

// ReadServer reads and judges the metadata of an issuer.
func ReadServer(raw []byte, issuer string, lim limits.Set) (s Server, err error) {
	n, err := Object(raw, lim)
	if err != nil {
		return s, err
	}
	if s.Issuer = n.Get("issuer").Text(); s.Issuer != issuer {
		return s, &MixedUpError{Want: issuer, Got: wire.Excerpt([]byte(s.Issuer), lim)}
	}
	s.Authorize, s.Token, s.Register = n.Get("authorization_endpoint").Text(), n.Get("token_endpoint").Text(), n.Get("registration_endpoint").Text()
	for _, e := range []struct {
		name, url string
		optional  bool
	}{{"authorization endpoint", s.Authorize, false}, {"token endpoint", s.Token, false}, {"registration endpoint", s.Register, true}} {
		if e.url == "" && e.optional {
			continue
		}
		u, err := CheckURL(e.name, e.url, lim)
		if err != nil {
			return s, err
		}
		for name := range u.Query() {
			if slices.Contains(parameters, name) { // which of the two the server would take is not known
				return s, fmt.Errorf("the %s sets %s itself", e.name, name)
			}
		}
	}
	if s.Scopes, err = list(n, "scopes_supported", 0, lim); err != nil {
		return s, err
	}
	s.SaysIssuer, _ = n.Get("authorization_response_iss_parameter_supported").Bool()
	s.ClientDocuments, _ = n.Get("client_id_metadata_document_supported").Bool()
	for _, need := range []struct{ list, value, says string }{
		{"code_challenge_methods_supported", "S256", "it does not say that it knows PKCE with S256, and nothing less is sent"},
		{"response_types_supported", "code", "it does not answer with an authorization code"},
		{"grant_types_supported", "authorization_code", "it gives no token for an authorization code"},
	} {
		has, err := list(n, need.list, 0, lim)
		if err != nil {
			return s, err
		}
		optional := need.value != "S256" && !n.Get(need.list).Valid()
		if !optional && !slices.Contains(has, need.value) {
			return s, errors.New(need.says)
		}
	}
	return s, nil
}

// parameters are those of the requests that are made here.
var parameters = []string{"response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method", "resource",
	"grant_type", "code", "code_verifier", "refresh_token", "request", "request_uri", "response_mode"}

// list is a member that is an array of strings, nil where there is none, at most max of them; 0 takes all.
func list(n source.Node, name string, max int, lim limits.Set) (all []string, err error) {
	m := n.Get(name)
	if !m.Valid() || m.Kind() == source.Null {
		return nil, nil
	}
	if m.Kind() != source.Array {
		return nil, fmt.Errorf("%s is no array", name)
	}
	for c := range m.Children() {
		s, ok := c.Str()
		if !ok {
			return nil, fmt.Errorf("%s holds something else than strings", name)
		}
		if max > 0 && len(all) == max {
			return nil, fmt.Errorf("%s has more than %d entries", name, max)
		}
		all = append(all, s)
	}
	return all, nil
}

// ReadRegistration reads the answer to a registration: the id of a client without a secret (RFC 7591, section 3.2.1).
func ReadRegistration(raw []byte, redirect string, lim limits.Set) (id string, err error) {
	n, err := Object(raw, lim)
	if err != nil {
		return "", err
	}
	if method := n.Get("token_endpoint_auth_method").Text(); method != "none" && (method != "" || n.Get("client_secret").Valid()) {
		return "", errors.New("the server registered a client with a secret, and a program that everybody has can keep none")
	}
	redirects, err := list(n, "redirect_uris", 0, lim)
	if err != nil {
		return "", err
	}
	if len(redirects) > 0 && !slices.Contains(redirects, redirect) {
		return "", errors.New("the server registered another redirect URI than the one it was given")
	}
	id = n.Get("client_id").Text()
	return id, CheckClientID(id, lim)
}

// CheckClientID judges the id of a client (RFC 6749, appendix A.1).
func CheckClientID(id string, lim limits.Set) error {
	if id == "" || len(id) > lim.TokenBytes || strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r >= 0x7F }) {
		return fmt.Errorf("%q is no id of a client", wire.Excerpt([]byte(id), lim))
	}
	return nil
}
