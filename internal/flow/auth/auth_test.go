package auth

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/oauth"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

func TestTheTokenOfTheNearestResourceIsChosen(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	kept := func(resource, access string, age time.Duration) oauth.Kept {
		return oauth.Kept{Grant: oauth.Grant{Resource: resource}, Token: oauth.Token{Access: access}, Obtained: now.Add(-age)}
	}
	all := []oauth.Kept{kept("https://h", "host", 0), kept("https://h/a", "old", time.Hour), kept("https://h/a", "new", 0), kept("https://h/a/b", "deep", time.Hour)}
	for endpoint, want := range map[string]string{"https://h/x": "host", "https://h/a": "new", "https://h/a/c": "new", "https://h/a/b/c": "deep", "https://h/ab": "host",
		"https://other/a": "", "http://h/a": ""} {
		if k, ok := Choose(all, endpoint); k.Token.Access != want || ok != (want != "") {
			t.Errorf("%s: %s, want %s", endpoint, k.Token.Access, want)
		}
	}
}

func TestARedirectURIIsOneThatNoStrangerAnswersOn(t *testing.T) {
	for uri, ok := range map[string]bool{
		"https://c.example/cb": true, "http://127.0.0.1:7777/cb": true, "http://[::1]/cb": true, "http://localhost/cb": true, "com.example.app:/cb": true,
		"http://c.example/cb": false, "https://c.example/cb#x": false, "https://c.example/cb#": false, "https://u@c.example/cb": false, "/cb": false, "": false,
		"javascript:alert(1)": false, "data:text/html,x": false, "file:///x": false, "myapp:/cb": false, "urn:ietf:wg:oauth:2.0:oob": false, "%zz": false,
		"https://c.example/" + strings.Repeat("x", limits.Default.URLBytes): false,
	} {
		if err := CheckRedirect(uri, limits.Default); (err == nil) != ok {
			t.Errorf("%.60s: %v", uri, err)
		}
	}
}

// places is a network of documents by URL; what it does not hold is 404.
type places map[string]struct {
	status int
	body   string
}

func (p places) Check(string) error { return nil }

func (p places) Send(_ context.Context, r *wire.HTTPRequest) (*wire.HTTPResponse, error) {
	at, ok := p[r.URL]
	if !ok {
		at.status = 404
	}
	return &wire.HTTPResponse{Status: at.status, Header: wire.Header{}, Body: io.NopCloser(strings.NewReader(at.body))}, nil
}

func TestADocumentIsReadFromTheFirstPlaceThatHasOne(t *testing.T) {
	for name, c := range map[string]struct {
		net  places
		want string // what is read, or the error
	}{
		"the first":               {places{"a": {200, "A"}, "b": {200, "B"}}, "A"},
		"the second":              {places{"b": {200, "B"}}, "B"},
		"a page is no document":   {places{"a": {200, "<!doctype html>"}, "b": {200, "B"}}, "B"},
		"one may be forbidden":    {places{"a": {403, ""}, "b": {200, "B"}}, "B"},
		"none":                    {places{}, errNowhere.Error()},
		"a failure ends it":       {places{"a": {500, ""}, "b": {200, "B"}}, "a: HTTP 500"},
		"a redirect ends it":      {places{"a": {302, ""}, "b": {200, "B"}}, "a: HTTP 302, a redirect, which is not followed"},
		"a wrong document, too":   {places{"a": {200, "bad"}, "b": {200, "B"}}, "a: bad"},
		"an answer without bytes": {places{"a": {204, ""}, "b": {200, "B"}}, "a: HTTP 204"},
	} {
		f := &Flow{Network: c.net, Options: Options{Limits: limits.Default}}
		got := ""
		err := f.first(t.Context(), []string{"a", "b"}, func(raw []byte) error {
			if got = string(raw); got == "bad" {
				return errors.New("bad")
			}
			return nil
		})
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// kept is a vault of one token, with what can not be opened.
type kept struct {
	all    []oauth.Kept
	closed error
}

func (k *kept) All(context.Context) ([]oauth.Kept, error) { return k.all, k.closed }

func (k *kept) Keep(_ context.Context, one oauth.Kept) error {
	k.all = []oauth.Kept{one}
	return nil
}

// grants refreshes once, or tells that another process was faster.
type grants struct {
	Protocol
	refresh func(refresh string) (oauth.Token, error)
}

func (g grants) Refresh(_ context.Context, _ oauth.Grant, refresh string) (oauth.Token, error) {
	return g.refresh(refresh)
}

func TestAKeptTokenIsFreshOrMadeSo(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	one := func(access string, expires time.Duration) oauth.Kept {
		return oauth.Kept{Grant: oauth.Grant{Resource: "https://h"}, Token: oauth.Token{Access: access, Refresh: "r", Expires: now.Add(expires)}}
	}
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		vault   *kept
		refresh func(v *kept) (oauth.Token, error)
		want    string
	}{
		"good":                        {&kept{all: []oauth.Kept{one("a", time.Hour)}, closed: broken}, nil, "a"},
		"expired":                     {&kept{all: []oauth.Kept{one("a", 0)}}, func(*kept) (oauth.Token, error) { return oauth.Token{Access: "b"}, nil }, "b"},
		"refused":                     {&kept{all: []oauth.Kept{one("a", 0)}}, func(*kept) (oauth.Token, error) { return oauth.Token{}, broken }, "the kept token can not be refreshed: broken"},
		"another process was faster":  {&kept{all: []oauth.Kept{one("a", 0)}}, func(v *kept) (oauth.Token, error) { v.all[0] = one("b", time.Hour); return oauth.Token{}, broken }, "b"},
		"none":                        {&kept{}, nil, ErrNotKept.Error()},
		"perhaps one that was closed": {&kept{closed: broken}, nil, "not all kept tokens can be opened: broken"},
	} {
		f := &Flow{Options: Options{Endpoint: "https://h/mcp", Now: func() time.Time { return now }, Limits: limits.Default},
			Protocol: grants{refresh: func(string) (oauth.Token, error) { return c.refresh(c.vault) }}}
		k, err := f.Fresh(t.Context(), c.vault)
		got := k.Token.Access
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if err == nil && c.vault.all[0].Token.Access != got {
			t.Errorf("%s: %q is kept", name, c.vault.all[0].Token.Access)
		}
	}
	f := &Flow{Options: Options{Endpoint: "http://h/mcp", Now: func() time.Time { return now }, Limits: limits.Default}}
	if _, err := f.Fresh(t.Context(), &kept{all: []oauth.Kept{{Grant: oauth.Grant{Resource: "http://h"}}}}); err == nil {
		t.Error("a token goes over http://")
	}
}
