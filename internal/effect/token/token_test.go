package token

import (
	"context"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/oauth"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// answer is a door behind which every request gets one answer.
type answer struct {
	status      int
	media, body string
	asked       []*wire.HTTPRequest
}

func (a *answer) Send(_ context.Context, r *wire.HTTPRequest) (*wire.HTTPResponse, error) {
	a.asked = append(a.asked, r)
	return &wire.HTTPResponse{Status: a.status, Header: wire.Header{"content-type": {a.media}}, Body: io.NopCloser(strings.NewReader(a.body))}, nil
}

var grant = oauth.Grant{Resource: "https://mcp.example/mcp", Issuer: "https://as.example", TokenEndpoint: "https://as.example/token", ClientID: "me",
	RedirectURI: "https://me.example/cb", Scopes: []string{"a", "b"}}

func (a *answer) form(t *testing.T) url.Values {
	t.Helper()
	if len(a.asked) != 1 { // a code is sent once, whatever comes of it
		t.Fatalf("%d requests", len(a.asked))
	}
	r := a.asked[0]
	form, err := url.ParseQuery(string(r.Body))
	if err != nil || r.Verb != "POST" || r.URL != grant.TokenEndpoint || r.Want != wire.Document {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, h := range r.Header {
		if strings.EqualFold(h[0], "Authorization") {
			t.Errorf("it sends %v", h)
		}
	}
	return form
}

func TestBothRequestsNameTheResourceAndTheClient(t *testing.T) {
	t.Parallel()
	s := oauth.State{Grant: grant, Nonce: "nonce", Verifier: strings.Repeat("v", 43)}
	c := &Client{Limits: limits.Default}
	u, err := url.Parse(c.Question(s, "https://as.example/authorize?tenant=1"))
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	for name, want := range map[string]string{"response_type": "code", "client_id": "me", "redirect_uri": grant.RedirectURI, "resource": grant.Resource, "state": "nonce",
		"scope": "a b", "code_challenge_method": "S256", "tenant": "1"} {
		if q.Get(name) != want {
			t.Errorf("%s is %q", name, q.Get(name))
		}
	}
	if len(q.Get("code_challenge")) != 43 || strings.Contains(u.String(), s.Verifier) {
		t.Error(u)
	}
	door := &answer{status: 200, media: wire.MediaJSON, body: `{"access_token":"abc","token_type":"bearer","expires_in":60}`}
	c.Door = door
	if got, err := c.Exchange(t.Context(), s, "the-code"); err != nil || got.Access != "abc" || got.Refresh != "" || got.Expires.IsZero() {
		t.Errorf("%+v, %v", got, err)
	}
	form := door.form(t)
	for name, want := range map[string]string{"grant_type": "authorization_code", "code": "the-code", "client_id": "me", "redirect_uri": grant.RedirectURI,
		"resource": grant.Resource, "code_verifier": s.Verifier} {
		if form.Get(name) != want {
			t.Errorf("%s is %q", name, form.Get(name))
		}
	}
	door.asked = nil
	if got, err := c.Refresh(t.Context(), grant, "old"); err != nil || got.Refresh != "old" { // it stays good where no other comes
		t.Errorf("%+v, %v", got, err)
	}
	if form := door.form(t); form.Encode() != (url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"old"}, "client_id": {"me"}, "resource": {grant.Resource}}).Encode() {
		t.Errorf("%v", form)
	}
}

func TestARefusedCodeIsSentOnceAndNotShown(t *testing.T) {
	t.Parallel()
	const code = "code/with+signs=0123456789"
	for _, echoed := range []string{code, url.QueryEscape(code), `code\/with+signs=0123456789`} {
		door := &answer{status: 401, media: wire.MediaJSON, body: `{"error":"invalid_client","error_description":"` + echoed + `"}`}
		_, err := (&Client{Door: door, Limits: limits.Default}).Exchange(t.Context(), oauth.State{Grant: grant, Verifier: "v"}, code)
		if err == nil || strings.Contains(err.Error(), "0123456789") || !strings.Contains(err.Error(), "HTTP 401") {
			t.Errorf("%v", err)
		}
		door.form(t)
	}
}

// FuzzAnswer: whatever a token endpoint says, a token that comes of it can be sent, and no error shows a secret.
func FuzzAnswer(f *testing.F) {
	f.Add(200, wire.MediaJSON, `{"access_token":"abc","token_type":"Bearer","expires_in":"60","scope":"a b"}`)
	f.Add(200, wire.MediaJSON, `{"error":"x","access_token":"abc-0123456789","error_description":"abc-0123456789"}`)
	f.Add(400, wire.MediaJSON, `{"error":"invalid_grant","error_description":"secret-0123456789"}`)
	f.Add(200, "text/plain", `access_token=abc&token_type=Bearer`)
	f.Add(302, "", "")
	f.Fuzz(func(t *testing.T, status int, media, body string) {
		if status < 100 || status > 999 || len(body) > limits.Default.DocumentBytes {
			return
		}
		const secret = "secret-0123456789"
		c := &Client{Door: &answer{status: status, media: media, body: body}, Limits: limits.Default}
		got, err := c.Refresh(t.Context(), grant, secret)
		if err != nil {
			if strings.Contains(err.Error(), secret) || len(err.Error()) > 2*limits.Default.DetailBytes || got.Access != "" {
				t.Fatalf("%q: %v %v", body, err, got.Access != "")
			}
			return
		}
		if n, err := oauth.Object([]byte(body), limits.Default); err != nil || status < 200 || status > 299 || !n.Valid() || got.Check(limits.Default) != nil {
			t.Fatalf("%d %q gives a token: %v", status, body, err)
		}
	})
}
