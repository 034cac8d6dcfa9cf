package test

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
)

// A lie of the server, told while start runs, and what the user reads. Nothing is kept and no URL printed.
func TestALyingServerGetsNoQuestion(t *testing.T) {
	t.Parallel()
	set := func(name string, value any) func(*authServer) {
		return func(s *authServer) { s.metadata = func(doc map[string]any) { doc[name] = value } }
	}
	ofResource := func(name string, value any) func(*authServer) {
		return func(s *authServer) { s.resource = func(doc map[string]any) { doc[name] = value } }
	}
	metadataAt := func(at string) func(*authServer) {
		return func(s *authServer) {
			s.challenge = func(string) string { return `Bearer resource_metadata="` + at + `"` }
		}
	}
	answer := func(path string, h http.HandlerFunc) func(*authServer) {
		return func(s *authServer) {
			s.replace = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == path {
					h(w, r)
				}
				return r.URL.Path == path
			}
		}
	}
	const resourcePath, serverPath = "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server/as"
	text := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, body)
		}
	}
	for name, c := range map[string]struct {
		lie  func(*authServer)
		says string
	}{
		"another issuer's metadata":           {set("issuer", "https://evil.example"), "issuer"},
		"the issuer with a slash":             {func(s *authServer) { s.metadata = func(d map[string]any) { d["issuer"] = s.issuer() + "/" } }, "issuer"},
		"no issuer":                           {set("issuer", nil), "issuer"},
		"plain PKCE alone":                    {set("code_challenge_methods_supported", []string{"plain"}), "PKCE with S256"},
		"no word of PKCE":                     {set("code_challenge_methods_supported", nil), "PKCE with S256"},
		"implicit answers alone":              {set("response_types_supported", []string{"token"}), "authorization code"},
		"client credentials alone":            {set("grant_types_supported", []string{"client_credentials"}), "authorization code"},
		"an http token endpoint":              {set("token_endpoint", "http://as.example/token"), "needs https://"},
		"an http authorization endpoint":      {set("authorization_endpoint", "http://as.example/authorize"), "needs https://"},
		"a script for an endpoint":            {set("authorization_endpoint", "javascript:alert(1)"), "no URL of a server"},
		"a file for an endpoint":              {set("authorization_endpoint", "file:///etc/passwd"), "no URL of a server"},
		"an endpoint with a password":         {set("authorization_endpoint", "https://a:b@as.example/authorize"), "no URL of a server"},
		"an endpoint with a redirect of its":  {set("authorization_endpoint", "https://as.example/authorize?redirect_uri=https://evil.example"), "sets redirect_uri itself"},
		"a private authorization endpoint":    {set("authorization_endpoint", "https://10.0.0.1/authorize"), "private address"},
		"no token endpoint":                   {set("token_endpoint", nil), "no token endpoint"},
		"a number for an endpoint":            {set("token_endpoint", 7), "no token endpoint"},
		"an object for a list":                {set("code_challenge_methods_supported", map[string]any{"S256": true}), "is no array"},
		"another server's resource":           {ofResource("resource", "https://other.example/mcp"), "not the server that was asked"},
		"a resource beside it":                {func(s *authServer) { s.resource = func(d map[string]any) { d["resource"] = s.URL + "/mc" } }, "not the server that was asked"},
		"no resource":                         {ofResource("resource", nil), "no resource"},
		"no authorization server":             {ofResource("authorization_servers", []string{}), "names no authorization server"},
		"an http issuer":                      {ofResource("authorization_servers", []string{"http://as.example"}), "needs https://"},
		"an issuer with a query":              {ofResource("authorization_servers", []string{"https://as.example?a=b"}), "has a query"},
		"an issuer on this machine":           {ofResource("authorization_servers", []string{"http://127.0.0.1:9/as"}), "loopback address"},
		"an issuer in the private network":    {ofResource("authorization_servers", []string{"https://192.168.1.1"}), "private address"},
		"an issuer at the cloud's metadata":   {ofResource("authorization_servers", []string{"https://169.254.169.254"}), "link-local"},
		"metadata at the cloud's":             {metadataAt("https://169.254.169.254/latest/meta-data"), "link-local"},
		"metadata in the private network":     {metadataAt("https://10.1.2.3/x"), "private address"},
		"metadata elsewhere on this machine":  {metadataAt("http://127.0.0.1:9/x"), "loopback address"},
		"metadata in a file":                  {metadataAt("file:///etc/passwd"), "no URL of a server"},
		"metadata without TLS":                {metadataAt("http://other.example/x"), "needs https://"},
		"scopes with a line end":              {ofResource("scopes_supported", []string{"a\nb"}), "no name of a scope"},
		"scopes with a space of another kind": {func(s *authServer) { s.challenge = func(string) string { return "Bearer scope=\"a\u00a0b\"" } }, "no name of a scope"},
		"a redirect of the resource":          {answer(resourcePath, http.RedirectHandler("https://evil.example/", http.StatusFound).ServeHTTP), "redirect, which is not followed"},
		"a redirect of the server":            {answer(serverPath, http.RedirectHandler("https://evil.example/", http.StatusTemporaryRedirect).ServeHTTP), "redirect, which is not followed"},
		"a redirect of the endpoint":          {answer("/mcp", http.RedirectHandler("https://evil.example/", http.StatusPermanentRedirect).ServeHTTP), "redirect, which is not followed"},
		"a failing server":                    {answer(serverPath, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }), "HTTP 500"},
		"no JSON":                             {answer(resourcePath, text("resource: x")), "not JSON"},
		"an array":                            {answer(resourcePath, text("[]")), "not a JSON object"},
		"comments":                            {answer(resourcePath, text("{} // yes")), "not strict JSON"},
		"too much of it":                      {answer(resourcePath, text(`{"a":"`+strings.Repeat("x", 64<<10)+`"}`)), "more than 65536 bytes"},
		"too deep":                            {answer(serverPath, text(`{"a":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+"}")), "not JSON"},
		"a hundred authorization servers":     {ofResource("authorization_servers", slices.Repeat([]string{"https://as.example"}, 100)), "more than 10 entries"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAuthServer(t)
			c.lie(s)
			p := newPerson(t)
			if code := p.start(s); code != 2 || !strings.Contains(p.err.String(), c.says) || !strings.HasPrefix(p.err.String(), "error: ") {
				t.Errorf("exit %d, want %q:\n%s", code, c.says, p.said())
			}
			if p.out.Len() > 0 || p.has("state.json") {
				t.Errorf("a question was made: %s", p.out.String())
			}
			if strings.ContainsAny(p.said(), "\x1b\x7f\r") {
				t.Errorf("control characters: %q", p.said())
			}
			if slices.Contains(s.paths(), "/as/token") {
				t.Error("the token endpoint was asked")
			}
		})
	}
}

// A callback that is not the answer to this question. Nothing is sent, and the right answer can still come.
func TestAWrongCallbackIsRefusedAndSendsNothing(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	p, callback := begun(t, s)
	with := func(change func(q url.Values)) string {
		u, err := url.Parse(callback)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		change(q)
		u.RawQuery = q.Encode()
		return u.String()
	}
	for name, c := range map[string]struct{ callback, says string }{
		"another state":      {with(func(q url.Values) { q.Set("state", "x") }), "another question"},
		"no state":           {with(func(q url.Values) { q.Del("state") }), "holds no state"},
		"two states":         {with(func(q url.Values) { q.Add("state", q.Get("state")) }), "twice"},
		"two codes":          {with(func(q url.Values) { q.Add("code", "x") }), "twice"},
		"another issuer":     {with(func(q url.Values) { q.Set("iss", "https://evil.example") }), "of the issuer"},
		"no issuer":          {with(func(q url.Values) { q.Del("iss") }), "does not name its issuer"},
		"an empty issuer":    {with(func(q url.Values) { q.Set("iss", "") }), "does not name its issuer"},
		"no code":            {with(func(q url.Values) { q.Del("code") }), "no code"},
		"a code and a no":    {with(func(q url.Values) { q.Set("error", "access_denied") }), "both"},
		"a fragment":         {callback + "#access_token=x", "fragment"},
		"another place":      {strings.Replace(callback, "client.example", "evil.example", 1), "redirect URI"},
		"another path":       {strings.Replace(callback, "/callback", "/other", 1), "redirect URI"},
		"http":               {strings.Replace(callback, "https://", "http://", 1), "redirect URI"},
		"no URL":             {"%zz", "no URL"},
		"no query":           {"https://client.example/callback?%zz", "can not be read"},
		"much":               {callback + "&x=" + strings.Repeat("x", 64<<10), "more than"},
		"a no without state": {"https://client.example/callback?error=access_denied", "holds no state"},
	} {
		if code := p.complete(c.callback); code != 2 || !strings.Contains(p.err.String(), c.says) {
			t.Errorf("%s: exit %d, want %q:\n%s", name, code, c.says, p.said())
		}
		keepsSecrets(t, s, p)
	}
	if p.has("token") || slices.Contains(s.paths(), "/as/token") || !p.has("state.json") {
		t.Error("something came of it")
	}
	if code := p.complete(callback); code != 0 {
		t.Errorf("the right one: %d\n%s", code, p.said())
	}
}

// Answers of the token endpoint that end in no token. The state is spent, the token file untouched.
func TestALyingTokenEndpointGivesNoToken(t *testing.T) {
	t.Parallel()
	set := func(name string, value any) func(*authServer) {
		return func(s *authServer) { s.token = func(doc map[string]any) { doc[name] = value } }
	}
	answer := func(status int, media, body string) func(*authServer) {
		return func(s *authServer) {
			s.replace = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/as/token" {
					w.Header().Set("Content-Type", media)
					w.Header().Set("Location", "https://evil.example/token")
					w.WriteHeader(status)
					io.WriteString(w, body)
				}
				return r.URL.Path == "/as/token"
			}
		}
	}
	const media = "application/json"
	for name, c := range map[string]struct {
		lie  func(*authServer)
		says string
	}{
		"a MAC token":                {set("token_type", "mac"), "takes Bearer"},
		"a DPoP token":               {set("token_type", "DPoP"), "takes Bearer"},
		"no type":                    {set("token_type", nil), "takes Bearer"},
		"no token":                   {set("access_token", nil), "no token"},
		"a token of two lines":       {set("access_token", "a\nb"), "visible ASCII"},
		"a token of control":         {set("access_token", "a\x1b[2J"), "visible ASCII"},
		"a huge token":               {set("access_token", strings.Repeat("x", 17<<10)), "more than 16384 bytes"},
		"a refresh token of control": {set("refresh_token", "a\x00"), "visible ASCII"},
		"a scope of control":         {set("scope", "a\x07b"), "no name of a scope"},
		"a number":                   {set("access_token", 7), "no token"},
		"an error with 200": {func(s *authServer) {
			s.token = func(d map[string]any) { d["error"], d["error_description"] = "x", d["access_token"] }
		}, "refused"},
		"a redirect":              {answer(307, media, "{}"), "redirect, which is not followed"},
		"a redirect for browsers": {answer(302, media, "{}"), "redirect, which is not followed"},
		"a form":                  {answer(200, "application/x-www-form-urlencoded", "access_token=abc&token_type=Bearer"), "not JSON"},
		"text":                    {answer(200, "text/plain", "access_token=abc&token_type=Bearer"), "not JSON"},
		"a page":                  {answer(200, media, "<!doctype html><p>hello"), "a web page"},
		"an array":                {answer(200, media, "[]"), "not a JSON object"},
		"depth":                   {answer(200, media, `{"access_token":"abc","token_type":"Bearer","x":`+strings.Repeat("[", 3000)+strings.Repeat("]", 3000)+"}"), "not JSON"},
		"much":                    {answer(200, media, `{"access_token":"abc","token_type":"Bearer","x":"`+strings.Repeat("x", 64<<10)+`"}`), "more than 65536 bytes"},
		"a failure":               {answer(500, "text/html", "<h1>\x1b[2J"), "HTTP 500"},
		"hostile words":           {answer(400, media, `{"error":"invalid_grant","error_description":"\u001b[2J\n::warning::x"}`), "invalid_grant"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAuthServer(t)
			p, callback := begun(t, s)
			p.write("token", "old\n")
			c.lie(s)
			if code := p.complete(callback); code != 2 || !strings.Contains(p.err.String(), c.says) {
				t.Errorf("exit %d, want %q:\n%s", code, c.says, p.said())
			}
			if raw, err := os.ReadFile(p.path("token")); err != nil || string(raw) != "old\n" {
				t.Errorf("the token file: %q, %v", raw, err)
			}
			if p.has("state.json") {
				t.Error("the state file is still there")
			}
			if strings.ContainsAny(p.said(), "\x1b\x07\x00") || strings.Contains(p.said(), "\n::") {
				t.Errorf("control characters: %q", p.said())
			}
			keepsSecrets(t, s, p)
		})
	}
}
