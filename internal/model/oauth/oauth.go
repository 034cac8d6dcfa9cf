// Package oauth holds what authorisation is made of: the documents in which a resource and its authorization server
// describe themselves, the challenge that leads to them, the callback that ends a person's visit, and what is remembered
// of it. All of it is a stranger's text. What is read here is judged here, and nothing here touches the world.
//
// Sources: the MCP specification, "Authorization"; RFC 6749, 6750, 7591, 7636, 8252, 8414, 8707, 9207, 9728; OpenID Connect
// Discovery 1.0; draft-ietf-oauth-client-id-metadata-document.
package oauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Grant is between whom an authorization is: all that a request for a token needs beside its secret.
type Grant struct {
	// Endpoint is the MCP server's URL as the user wrote it, Resource how the server calls what is protected (RFC 8707).
	Endpoint string `json:"endpoint"`
	Resource string `json:"resource"`
	// Issuer and TokenEndpoint are those of the authorization server.
	Issuer        string `json:"issuer"`
	TokenEndpoint string `json:"tokenEndpoint"`
	ClientID      string `json:"clientId"`
	RedirectURI   string `json:"redirectUri"`
	// Scopes are those that were asked for, or those that were given where the server said so.
	Scopes []string `json:"scopes,omitempty"`
}

// Token is what an authorization server gave. It shows in no output: String and GoString say what it is, and who keeps it
// reads its fields.
type Token struct {
	Access  string   `json:"access"`
	Refresh string   `json:"refresh,omitempty"`
	Scopes  []string `json:"scopes,omitempty"`
	// Expires is the zero time where the server did not say.
	Expires time.Time `json:"expires,omitzero"`
}

func (Token) String() string { return "<secret: token>" }

// GoString is for %#v.
func (t Token) GoString() string { return t.String() }

// Expired says that the token is, or soon will be, of no use.
func (t Token) Expired(now time.Time, lim limits.Set) bool {
	return !t.Expires.IsZero() && !now.Add(lim.TokenEarly).Before(t.Expires)
}

// Check judges a token as it came. Its errors do not hold it.
func (t Token) Check(lim limits.Set) error {
	for _, part := range []struct{ name, value string }{{"access token", t.Access}, {"refresh token", t.Refresh}} {
		switch {
		case len(part.value) > lim.TokenBytes:
			return fmt.Errorf("the %s has more than %d bytes", part.name, lim.TokenBytes)
		case !visible(part.value):
			return fmt.Errorf("the %s is not visible ASCII without spaces (RFC 6750, section 2.1)", part.name)
		}
	}
	if t.Access == "" {
		return errors.New("the answer holds no access token")
	}
	return CheckScopes(t.Scopes, lim)
}

// visible says that a text is visible ASCII without spaces.
func visible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7F })
}

// CheckScopes judges the names of scopes (RFC 6749, section 3.3).
func CheckScopes(scopes []string, lim limits.Set) error {
	if len(scopes) > lim.AuthScopes {
		return fmt.Errorf("more than %d scopes", lim.AuthScopes)
	}
	for _, s := range scopes {
		if s == "" || len(s) > lim.NameBytes || !visible(s) || strings.ContainsAny(s, `"\`) {
			return fmt.Errorf("%q is no name of a scope (RFC 6749, section 3.3)", wire.Excerpt([]byte(s), lim))
		}
	}
	return nil
}

// Object reads a document that is one JSON object. The error says where it is none.
func Object(raw []byte, lim limits.Set) (source.Node, error) {
	lim.Depth = lim.DocumentDepth
	doc, err := source.Parse("document", raw, source.JSON, lim)
	switch {
	case err != nil && wire.LooksLikeHTML(raw):
		return source.Node{}, errors.New("a web page, not JSON")
	case err != nil:
		return source.Node{}, fmt.Errorf("not JSON: %w", err)
	case !doc.Strict || doc.BadText.Len() > 0:
		return source.Node{}, errors.New("not strict JSON")
	case doc.Root().Kind() != source.Object:
		return source.Node{}, errors.New("not a JSON object")
	}
	return doc.Root(), nil
}

// CheckURL demands a URL that OAuth may be spoken with: https, or http to this machine, and no more than a place. Where it
// leads is for the network's door to judge.
func CheckURL(name, raw string, lim limits.Set) (*url.URL, error) {
	u, err := url.Parse(raw)
	origin, ok := "", false
	if err == nil {
		origin, ok = wire.Origin(u)
	}
	shown := wire.Excerpt([]byte(raw), lim)
	if ok {
		shown = wire.ShownURL(u)
	}
	switch {
	case raw == "":
		return nil, fmt.Errorf("no %s", name)
	case !ok || !visible(raw) || len(raw) > lim.URLBytes || u.Opaque != "" || u.User != nil || strings.Contains(raw, "#"):
		return nil, fmt.Errorf("the %s is no URL of a server: %q", name, shown)
	case strings.HasPrefix(origin, "http://") && !Loopback(u.Hostname()):
		return nil, fmt.Errorf("the %s is http://, and OAuth needs https://: %q", name, shown)
	}
	return u, nil
}

// Loopback says that a host means this machine (RFC 6761, section 6.3; RFC 8252, section 7.3).
func Loopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	a, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && a.IsLoopback()
}

// Covers says that a resource is the endpoint, or holds it: the same origin, and a path that the endpoint's begins with,
// part by part (RFC 9728, section 3.3; MCP, "Canonical Server URI").
func Covers(resource, endpoint string) bool {
	r, errR := url.Parse(resource)
	e, errE := url.Parse(endpoint)
	if errR != nil || errE != nil || r.User != nil || strings.Contains(resource, "#") {
		return false
	}
	rOrigin, okR := wire.Origin(r)
	eOrigin, okE := wire.Origin(e)
	if !okR || !okE || rOrigin != eOrigin || r.RawQuery != "" && r.RawQuery != e.RawQuery {
		return false
	}
	rPath, ePath := r.EscapedPath(), e.EscapedPath()
	for _, part := range strings.Split(ePath, "/") {
		switch strings.ToLower(part) { // what a server makes of these is not known
		case ".", "..", "%2e", ".%2e", "%2e.", "%2e%2e":
			return rPath == ePath
		}
	}
	if r.RawQuery != "" {
		return rPath == ePath
	}
	whole := strings.TrimSuffix(rPath, "/")
	return ePath == whole || strings.HasPrefix(ePath, whole+"/")
}

// Kept is a token that is kept, with what refreshing it takes.
type Kept struct {
	Grant
	Token    Token     `json:"token"`
	Obtained time.Time `json:"obtained"`
}

// Name is the key of a kept token: its issuer and its resource.
func (k Kept) Name() string { return k.Issuer + " " + k.Resource }

// ReadKept reads a token that was kept.
func ReadKept(raw []byte, lim limits.Set) (k Kept, err error) {
	if err = json.Unmarshal(raw, &k); err != nil {
		return Kept{}, errors.New("what is kept can not be read")
	}
	if _, err = CheckURL("token endpoint", k.TokenEndpoint, lim); err == nil {
		err = k.Token.Check(lim)
	}
	return k, err
}
