package oauth

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

var lim = limits.Default

func TestWellKnownPlacesAreThoseOfTheRFCs(t *testing.T) {
	const pr, as, oidc = "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
	for of, want := range map[string][]string{
		"https://h":              {"https://h" + pr},
		"https://h/":             {"https://h" + pr},
		"https://h/a/mcp":        {"https://h" + pr + "/a/mcp", "https://h" + pr},
		"https://h:8443/a%2Fb/":  {"https://h:8443" + pr + "/a%2Fb", "https://h:8443" + pr},
		"https://h/mcp?tenant=1": {"https://h" + pr + "/mcp?tenant=1", "https://h" + pr},
	} {
		if got := ResourcePlaces(of); !slices.Equal(got, want) {
			t.Errorf("%s: %q", of, got)
		}
	}
	for of, want := range map[string][]string{
		"https://h":    {"https://h" + as, "https://h" + oidc},
		"https://h/":   {"https://h" + as, "https://h" + oidc},
		"https://h/t1": {"https://h" + as + "/t1", "https://h" + oidc + "/t1", "https://h/t1" + oidc},
	} {
		if got := ServerPlaces(of); !slices.Equal(got, want) {
			t.Errorf("%s: %q", of, got)
		}
	}
}

func TestAResourceCoversWhatIsBelowIt(t *testing.T) {
	for _, c := range []struct {
		resource, endpoint string
		want               bool
	}{
		{"https://h/mcp", "https://h/mcp", true}, {"https://h", "https://h/mcp", true}, {"https://h/", "https://h/mcp", true},
		{"https://h/a", "https://h/a/mcp", true}, {"https://h/a/", "https://h/a/mcp", true}, {"https://h/mcp/", "https://h/mcp", true},
		{"https://H:443/mcp", "https://h/mcp", true}, {"https://h/mcp", "https://h/mcp?x=1", true}, {"https://h/mcp?x=1", "https://h/mcp?x=1", true},
		{"https://h/mc", "https://h/mcp", false}, {"https://h/mcp/x", "https://h/mcp", false}, {"https://h/mcp?x=1", "https://h/mcp", false},
		{"https://h/mcp?x=1", "https://h/mcp/y?x=1", false}, {"http://h/mcp", "https://h/mcp", false}, {"https://h:444/mcp", "https://h/mcp", false},
		{"https://h.evil/mcp", "https://h/mcp", false}, {"https://h/a", "https://h/a/../b", false}, {"https://h/a", "https://h/a/%2e%2E/b", false},
		{"https://u@h/mcp", "https://h/mcp", false}, {"https://h/mcp#x", "https://h/mcp", false}, {"", "https://h/mcp", false}, {"%zz", "https://h/mcp", false},
	} {
		if got := Covers(c.resource, c.endpoint); got != c.want {
			t.Errorf("%s covers %s: %v", c.resource, c.endpoint, got)
		}
	}
}

func TestAChallengeForABearerTokenIsFound(t *testing.T) {
	for header, want := range map[string]string{
		`Bearer`: "true  []",
		`bearer resource_metadata="https://h/x", scope="a b"`:        "true https://h/x [a b]",
		`Bearer resource_metadata=https, scope=a`:                    "true https [a]",
		`Basic realm="x, Bearer scope=\"no\"", Bearer scope="yes"`:   "true  [yes]",
		`Digest qop="auth", nonce=abc==, Bearer RESOURCE_METADATA=u`: "true u []",
		`Negotiate YWJj==, Bearer scope="s"`:                         "true  [s]",
		`Bearer scope = "a" ,, error="x"`:                            "true  [a]",
		`Bearer scope="a\"b\\c"`:                                     `true  [a"b\c]`,
		`Bearer scope="never ends`:                                   "true  [never ends]",
		`DPoP scope="x"`:                                             "false  []", ``: "false  []", `"`: "false  []", `=`: "false  []", `Bear er`: "false  []",
	} {
		c, ok := Bearer([]string{header}, lim)
		if got := fmt.Sprintf("%v %s %v", ok, c.Metadata, c.Scopes); got != want {
			t.Errorf("%s: %s, want %s", header, got, want)
		}
	}
	if c, ok := Bearer([]string{"Basic x", "Bearer scope=b"}, lim); !ok || !slices.Equal(c.Scopes, []string{"b"}) {
		t.Error("the second field")
	}
}

func TestSecretsOfShapesAreNotShown(t *testing.T) {
	k := Kept{Token: Token{Access: "hunter2", Refresh: "hunter2"}}
	s := State{Nonce: "hunter2", Verifier: "hunter2"}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if all := fmt.Sprintf(verb, k.Token) + fmt.Sprintf(verb, k) + fmt.Sprintf(verb, s) + fmt.Sprintf(verb, &s); strings.Contains(all, "hunter2") {
			t.Errorf("%s: %s", verb, all)
		}
	}
}

func TestATokenExpiresALittleEarly(t *testing.T) {
	now := time.Now()
	for in, want := range map[time.Duration]bool{time.Hour: false, lim.TokenEarly + time.Second: false, lim.TokenEarly: true, -time.Hour: true} {
		if got := (Token{Expires: now.Add(in)}).Expired(now, lim); got != want {
			t.Errorf("in %v: %v", in, got)
		}
	}
	if (Token{}).Expired(now, lim) {
		t.Error("a token without an end")
	}
}

func TestDocumentsAndListsAreBounded(t *testing.T) {
	nested := func(n int) []byte { return []byte(`{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}") }
	if _, err := Object(nested(lim.DocumentDepth-1), lim); err != nil {
		t.Error(err)
	}
	if _, err := Object(nested(lim.DocumentDepth+1), lim); err == nil {
		t.Error("too deep, and read")
	}
	for n, ok := range map[int]bool{lim.AuthScopes: true, lim.AuthScopes + 1: false} {
		if err := CheckScopes(slices.Repeat([]string{"a"}, n), lim); (err == nil) != ok {
			t.Errorf("%d scopes: %v", n, err)
		}
	}
	for n, ok := range map[int]bool{lim.TokenBytes: true, lim.TokenBytes + 1: false} {
		if err := (Token{Access: strings.Repeat("x", n)}).Check(lim); (err == nil) != ok {
			t.Errorf("a token of %d bytes: %v", n, err)
		}
	}
}

func TestARegistrationWithASecretIsRefused(t *testing.T) {
	for answer, ok := range map[string]bool{
		`{"client_id":"a"}`: true, `{"client_id":"a","token_endpoint_auth_method":"none","client_secret":"x"}`: true,
		`{"client_id":"a","client_secret":"x"}`: false, `{"client_id":"a","token_endpoint_auth_method":"client_secret_basic"}`: false,
		`{"client_id":"a","redirect_uris":["https://evil"]}`: false, `{"client_id":"a","redirect_uris":["http://127.0.0.1/cb"]}`: true,
		`{}`: false, `{"client_id":""}`: false, `{"client_id":"a\n"}`: false, `{"client_id":1}`: false, `[]`: false,
		`{"client_id":"` + strings.Repeat("a", lim.TokenBytes+1) + `"}`: false,
	} {
		if id, err := ReadRegistration([]byte(answer), "http://127.0.0.1/cb", lim); (err == nil) != ok {
			t.Errorf("%s: %q, %v", answer, id, err)
		}
	}
}

func FuzzBearer(f *testing.F) {
	for _, s := range []string{`Bearer resource_metadata="https://h/x", scope="a b"`, `Negotiate YWJj==, Bearer scope="s"`, `Basic realm="\", Bearer scope=x`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, ok := Bearer([]string{s}, lim)
		if !ok && (c.Metadata != "" || c.Scopes != nil) || len(c.Metadata) > len(s) {
			t.Fatalf("%q: %v %v", s, ok, c)
		}
		// What was read is read again from the plainest form of it.
		if strings.ContainsAny(c.Metadata+strings.Join(c.Scopes, ""), `"\`) || !ok {
			return
		}
		again, _ := Bearer([]string{`Bearer resource_metadata="` + c.Metadata + `", scope="` + strings.Join(c.Scopes, " ") + `"`}, lim)
		if again.Metadata != c.Metadata || !slices.Equal(again.Scopes, c.Scopes) {
			t.Fatalf("%q: %+v, then %+v", s, c, again)
		}
	})
}

func FuzzMetadata(f *testing.F) {
	f.Add([]byte(`{"resource":"https://h/mcp","authorization_servers":["https://as"]}`))
	f.Add([]byte(`{"issuer":"https://as","authorization_endpoint":"https://as/a","token_endpoint":"https://as/t","code_challenge_methods_supported":["S256"]}`))
	f.Add([]byte(`{"resource":"https://h","authorization_servers":["http://127.0.0.1"],"scopes_supported":["a"]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		secure := func(u string) {
			if !strings.HasPrefix(strings.ToLower(u), "https://") && !strings.HasPrefix(strings.ToLower(u), "http://") {
				t.Fatalf("%q", u)
			}
			if parsed, err := CheckURL("x", u, lim); err != nil || strings.EqualFold(parsed.Scheme, "http") && !Loopback(parsed.Hostname()) {
				t.Fatalf("%q: %v", u, err)
			}
		}
		if r, err := ReadResource(raw, "https://h/mcp", lim); err == nil {
			secure(r.Resource)
			if !Covers(r.Resource, "https://h/mcp") || len(r.Servers) == 0 || len(r.Servers) > lim.AuthServers || len(r.Scopes) > lim.AuthScopes {
				t.Fatalf("%+v", r)
			}
			for _, i := range r.Servers {
				if CheckIssuer(i, lim) != nil {
					continue
				}
				for _, place := range ServerPlaces(i) {
					secure(place)
				}
			}
		}
		if s, err := ReadServer(raw, "https://as", lim); err == nil {
			secure(s.Authorize)
			secure(s.Token)
			if s.Issuer != "https://as" || !strings.Contains(string(raw), "S") {
				t.Fatalf("%+v", s)
			}
		}
		_, _ = ReadRegistration(raw, "http://127.0.0.1/cb", lim)
	})
}

func FuzzState(f *testing.F) {
	now := time.Unix(1_800_000_000, 0).UTC()
	good := State{Version: StateVersion, Nonce: "nonce", Verifier: "verifier", Expires: now.Add(time.Minute), SaysIssuer: true,
		Grant: Grant{Issuer: "https://as", TokenEndpoint: "https://as/t", RedirectURI: "https://c/cb?own=1"}}
	raw, err := json.Marshal(good)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw, "https://c/cb?own=1&code=x&state=nonce&iss=https%3A%2F%2Fas")
	f.Add(raw, "https://c/cb?own=1&error=x&state=nonce&iss=https://as&error_description=%1b")
	f.Add([]byte("{}"), "com.example:/cb?code=1")
	f.Fuzz(func(t *testing.T, raw []byte, callback string) {
		a, err := good.Accept(callback, now, lim)
		if err == nil {
			if !strings.HasPrefix(strings.ToLower(callback), "https://c/cb?") || !strings.Contains(callback, "state=") && !strings.Contains(callback, "%") ||
				(a.Code == "") == (a.Error == "") {
				t.Fatalf("%q: %+v", callback, a)
			}
		} else if a != (Answer{}) {
			t.Fatalf("%q is refused, and says %+v", callback, a)
		}
		if s, err := ReadState(raw, lim); err == nil {
			if _, err := CheckURL("x", s.TokenEndpoint, lim); err != nil || s.Nonce == "" || s.Verifier == "" {
				t.Fatalf("%q: %v", raw, err)
			}
			_, _ = s.Accept(callback, now, lim)
		}
	})
}
