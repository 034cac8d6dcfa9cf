package test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/cli"
)

// person is somebody at a machine of their own, who runs the program in process.
type person struct {
	t   *testing.T
	dir string
	env map[string]string
	now time.Time
	out bytes.Buffer // of the last run
	err bytes.Buffer
	// open is the browser, noTerminal says that nobody looks at what onErr hears.
	open       func(url string) error
	noTerminal bool
	onErr      func(said string)
}

// Write is standard error.
func (p *person) Write(said []byte) (int, error) {
	if p.onErr != nil {
		p.onErr(string(said))
	}
	return p.err.Write(said)
}

func newPerson(t *testing.T) *person {
	return &person{t: t, dir: t.TempDir(), env: map[string]string{}, now: time.Now()}
}

func (p *person) run(args ...string) (code int) {
	p.out.Reset()
	p.err.Reset()
	environ := func() (all []string) {
		for k, v := range p.env {
			all = append(all, k+"="+v)
		}
		return all
	}
	return cli.Main(args, cli.IO{In: strings.NewReader(""), Out: &p.out, Err: p, ErrTerminal: !p.noTerminal, Browse: p.open, Getenv: func(k string) string { return p.env[k] }, Environ: environ,
		Cwd: p.dir, Home: p.dir, Platform: runtime.GOOS, Now: func() time.Time { return p.now }})
}

// said is all that the last run said.
func (p *person) said() string { return p.out.String() + p.err.String() }

func (p *person) path(name string) string { return filepath.Join(p.dir, name) }

func (p *person) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(p.path(name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) has(name string) bool {
	_, err := os.Lstat(p.path(name))
	return err == nil
}

func (p *person) start(s *authServer, more ...string) int {
	return p.run(append([]string{"auth", "start", "--server-url", s.endpoint(), "--client-id", "known", "--redirect-uri", "https://client.example/callback",
		"--state-file", "state.json"}, more...)...)
}

func (p *person) complete(callback string) int {
	p.env["CALLBACK"] = callback
	return p.run("auth", "complete", "--state-file", "state.json", "--callback-url-env", "CALLBACK", "--token-file", "token")
}

// visit opens the URL that start printed and gives where the person is sent.
func (p *person) visit() string {
	p.t.Helper()
	question := strings.TrimSpace(p.out.String())
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Get(question)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	if to := resp.Header.Get("Location"); to != "" {
		return to
	}
	body, _ := io.ReadAll(resp.Body)
	p.t.Fatalf("%s leads nowhere: %s", question, body)
	return ""
}

// begun is a person who has started and been sent back.
func begun(t *testing.T, s *authServer) (p *person, callback string) {
	t.Helper()
	p = newPerson(t)
	if code := p.start(s); code != 0 {
		t.Fatalf("start: %d\n%s", code, p.said())
	}
	return p, p.visit()
}

func TestStartAndCompleteEndInATokenThatAScanUses(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	p, callback := begun(t, s)
	if s.lastAsk.Get("scope") != authScope { // the challenge's, not the metadata's
		t.Errorf("asked for %q", s.lastAsk.Get("scope"))
	}
	for _, name := range []string{"state.json"} {
		if info, err := os.Stat(p.path(name)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	if code := p.complete(callback); code != 0 {
		t.Fatalf("complete: %d\n%s", code, p.said())
	}
	info, err := os.Stat(p.path("token"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the token file: %v %v", info, err)
	}
	if p.has("state.json") {
		t.Error("the state file is still there")
	}
	keepsSecrets(t, s, p)
	if code := p.run("scan", s.endpoint(), "--bearer-token-file", "token", "--json"); code != 0 || !strings.Contains(p.out.String(), "read_balance") {
		t.Errorf("scan: %d\n%s", code, p.said())
	}
	if code := p.run("scan", s.endpoint()); code != 2 {
		t.Errorf("scan without a token: %d", code)
	}
}

// keepsSecrets fails where the last run showed a secret.
func keepsSecrets(t *testing.T, s *authServer, p *person) {
	t.Helper()
	for _, secret := range s.secrets() {
		if strings.Contains(p.said(), secret) {
			t.Errorf("%s is shown:\n%s", secret, p.said())
		}
	}
}

func TestACallbackComesFromAPrivateFileToo(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	p, callback := begun(t, s)
	p.write("callback", callback+"\n")
	complete := []string{"auth", "complete", "--state-file", "state.json", "--callback-url-file", "callback", "--token-file", "token"}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(p.path("callback"), 0o644); err != nil {
			t.Fatal(err)
		}
		if code := p.run(complete...); code != 2 || !strings.Contains(p.said(), "others may use it") || !p.has("state.json") {
			t.Errorf("a callback that others may read: %d\n%s", code, p.said())
		}
		if err := os.Chmod(p.path("callback"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code := p.run(complete...); code != 0 || !p.has("token") {
		t.Errorf("%d\n%s", code, p.said())
	}
}

func TestScopesAreTheUsersThenTheChallengesThenTheMetadatas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		challenge string
		args      []string
		want      string
	}{
		{`Bearer scope="a b"`, []string{"--scope", "x", "--scope", "y"}, "x y"},
		{`Bearer scope="a b"`, nil, "a b"},
		{`Bearer`, nil, "tools.all"},
		{``, nil, "tools.all"},
	} {
		s := newAuthServer(t)
		s.challenge = func(string) string { return c.challenge }
		p := newPerson(t)
		if code := p.start(s, c.args...); code != 0 {
			t.Errorf("%v: %d\n%s", c, code, p.said())
			continue
		}
		if u, err := url.Parse(strings.TrimSpace(p.out.String())); err != nil || u.Query().Get("scope") != c.want {
			t.Errorf("%v asks for %s", c, u)
		}
	}
}

func TestMetadataIsLookedForWhereItMayBe(t *testing.T) {
	t.Parallel()
	const resource, server = "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"
	for at, moved := range map[string]string{
		resource:                               resource + "/mcp",
		"/.well-known/openid-configuration/as": server + "/as",
		"/as/.well-known/openid-configuration": server + "/as",
	} {
		s := newAuthServer(t)
		s.challenge = func(string) string { return "Bearer" }
		s.replace = func(w http.ResponseWriter, r *http.Request) bool {
			switch r.URL.Path {
			case moved:
				http.NotFound(w, r)
				return true
			case at:
				r.URL.Path = moved
			}
			return false
		}
		if p := newPerson(t); p.start(s) != 0 {
			t.Errorf("%s: %s", at, p.said())
		}
	}
}

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

func TestANoOfTheServerIsToldAndNeutralised(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	s.callback = func(q url.Values) {
		q.Del("code")
		q.Set("error", "access_denied")
		q.Set("error_description", "no\x1b[2J\n::error::\u202Eevil")
	}
	p, callback := begun(t, s)
	if code := p.complete(callback); code != 2 || !strings.Contains(p.said(), "refused: access_denied: no") || strings.ContainsAny(p.said(), "\x1b\u202E") ||
		strings.Contains(p.said(), "\n::error") {
		t.Errorf("%d\n%q", code, p.said())
	}
	if p.has("state.json") || p.has("token") {
		t.Error("the state is good once, for a no as well")
	}
}

func TestAStateExpires(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	p, callback := begun(t, s)
	p.now = p.now.Add(10*time.Minute + time.Second)
	if code := p.complete(callback); code != 2 || !strings.Contains(p.said(), "expired at") || p.has("token") {
		t.Errorf("%d\n%s", code, p.said())
	}
}

func TestWhatWasUsedIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	p, callback := begun(t, s)
	state, err := os.ReadFile(p.path("state.json"))
	if err != nil {
		t.Fatal(err)
	}
	if code := p.complete(callback); code != 0 {
		t.Fatalf("%d\n%s", code, p.said())
	}
	if code := p.complete(callback); code != 2 || !strings.Contains(p.said(), "does not exist") {
		t.Errorf("the callback again: %d\n%s", code, p.said())
	}
	// A copy of the state file is of no use: the server takes a code once.
	p.write("state.json", string(state))
	before, _ := os.ReadFile(p.path("token"))
	if code := p.complete(callback); code != 2 || !strings.Contains(p.said(), "invalid_grant") || p.has("state.json") {
		t.Errorf("a replay: %d\n%s", code, p.said())
	}
	after, _ := os.ReadFile(p.path("token"))
	if !bytes.Equal(before, after) || len(before) == 0 {
		t.Error("the token file changed")
	}
	u, err := url.Parse(callback)
	if err != nil || strings.Contains(p.said(), u.Query().Get("code")) { // which the server's error repeats
		t.Errorf("the code is shown:\n%s", p.said())
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

func TestFilesThatAreNotPrivateAreRefused(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	s := newAuthServer(t)
	p, callback := begun(t, s)
	chmod := func(name string, mode os.FileMode) {
		if err := os.Chmod(p.path(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, mode := range []os.FileMode{0o644, 0o640, 0o620, 0o602} {
		chmod("state.json", mode)
		if code := p.complete(callback); code != 2 || !strings.Contains(p.said(), "others may use it") {
			t.Errorf("mode %o: %d\n%s", mode, code, p.said())
		}
	}
	chmod("state.json", 0o600)
	if err := os.Rename(p.path("state.json"), p.path("real.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.json", p.path("state.json")); err != nil {
		t.Fatal(err)
	}
	if code := p.complete(callback); code != 2 || !strings.Contains(p.said(), "symbolic link") {
		t.Errorf("a link: %d\n%s", code, p.said())
	}
	if code := p.start(s); code != 2 || !strings.Contains(p.said(), "symbolic link") {
		t.Errorf("a link to write to: %d\n%s", code, p.said())
	}
	if err := os.Rename(p.path("real.json"), p.path("state.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("elsewhere", p.path("token")); err != nil {
		t.Fatal(err)
	}
	if code := p.complete(callback); code != 2 || !strings.Contains(p.said(), "symbolic link") || p.has("elsewhere") || !p.has("state.json") {
		t.Errorf("a token behind a link: %d\n%s", code, p.said())
	}
	if slices.Contains(s.paths(), "/as/token") {
		t.Error("the code was sent")
	}
	// What others may read is private afterwards.
	if err := os.Remove(p.path("token")); err != nil {
		t.Fatal(err)
	}
	p.write("token", "old")
	chmod("token", 0o644)
	if code := p.complete(callback); code != 0 {
		t.Fatalf("%d\n%s", code, p.said())
	}
	if info, err := os.Stat(p.path("token")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

func TestStateFilesOfOtherShapesAreRefused(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	p, callback := begun(t, s)
	good, err := os.ReadFile(p.path("state.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"nothing": "", "an array": "[]", "no version": "{}", "another version": strings.Replace(string(good), `"version": 1`, `"version": 2`, 1),
		"types": `{"version": "1"}`, "an http token endpoint": strings.Replace(string(good), s.issuer()+"/token", "http://evil.example/token", 1),
		"much": string(good) + strings.Repeat(" ", 64<<10),
	} {
		p.write("state.json", text)
		if code := p.complete(callback); code != 2 || !strings.Contains(p.said(), "state file") {
			t.Errorf("%s: %d\n%s", name, code, p.said())
		}
	}
	if slices.Contains(s.paths(), "/as/token") {
		t.Error("the code was sent")
	}
}

func TestAuthTellsWhatItNeeds(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	full := []string{"auth", "start", "--server-url", "https://mcp.example/mcp", "--client-id", "c", "--redirect-uri", "https://c.example/cb", "--state-file", "s"}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"auth", "start"}, "--server-url is needed"},
		{full[:8], "--state-file is needed"},
		{append(slices.Clone(full), "--redirect-uri", "http://c.example/cb"), "needs https://"},
		{append(slices.Clone(full), "--redirect-uri", "javascript:alert(1)"), "neither https nor a reversed domain name"},
		{append(slices.Clone(full), "--redirect-uri", "https://c.example/cb#x"), "without a fragment"},
		{append(slices.Clone(full), "--scope", "a b"), "no name of a scope"},
		{append(slices.Clone(full), "--client-id", "a\x1b"), "no id of a client"},
		{append(slices.Clone(full), "--server-url", "http://mcp.example/mcp"), "without TLS"},
		{append(slices.Clone(full), "--server-url", "https://10.0.0.1/mcp"), "private address"},
		{append(slices.Clone(full), "--state-file", "no/such/folder/s"), "does not exist"},
		{[]string{"auth", "complete", "--state-file", "s", "--token-file", "t"}, "--callback-url-env NAME or --callback-url-file FILE"},
		{[]string{"auth", "complete", "--state-file", "s", "--token-file", "t", "--callback-url-env", "A", "--callback-url-file", "b"}, "--callback-url-env NAME or"},
		{[]string{"auth", "complete", "--state-file", "s", "--token-file", "s", "--callback-url-env", "A"}, "is read, too"},
		{[]string{"auth", "complete", "--state-file", "s", "--token-file", "t", "--callback-url-env", "A"}, "does not exist"},
		{[]string{"auth", "strat"}, "did you mean mcpassay auth start?"},
	} {
		if code := p.run(c.args...); code != 2 || !strings.Contains(p.err.String(), c.says) || p.out.Len() > 0 {
			t.Errorf("%v: exit %d, want %q:\n%s", c.args, code, c.says, p.said())
		}
	}
	if code := p.run("auth"); code != 0 || !strings.Contains(p.out.String(), "complete") {
		t.Errorf("auth alone: %d\n%s", code, fmt.Sprint(p.said()))
	}
}
