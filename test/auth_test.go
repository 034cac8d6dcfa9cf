package test

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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
	if code := p.run("scan", s.endpoint()); code != 2 || !strings.Contains(p.err.String(), "mcpassay auth login "+s.endpoint()+", then the same with --auth") {
		t.Errorf("scan without a token: %d\n%s", code, p.said())
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

func TestAnAuthorizationServerElsewhereIsReachedWhereItMayBe(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	other := httptest.NewServer(s.Config.Handler)
	t.Cleanup(other.Close)
	s.apart = other.URL
	p := newPerson(t)
	if code := p.start(s); code != 2 || !strings.Contains(p.said(), "--allow-private-network") || p.has("state.json") {
		t.Errorf("on another port of this machine: %d\n%s", code, p.said())
	}
	if code := p.start(s, "--allow-private-network"); code != 0 {
		t.Fatalf("%d\n%s", code, p.said())
	}
	callback := p.visit()
	if code := p.complete(callback); code != 2 || !strings.Contains(p.said(), "--allow-private-network") || p.has("state.json") {
		t.Errorf("complete: %d\n%s", code, p.said())
	}
}

func TestCertificatesAreCheckedAndMayBeNamed(t *testing.T) {
	t.Parallel()
	s := authServerOn(t, httptest.NewTLSServer)
	p := newPerson(t)
	if code := p.start(s); code != 2 || !strings.Contains(p.said(), "certificate") {
		t.Errorf("a certificate of nobody: %d\n%s", code, p.said())
	}
	p.write("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
	if code := p.start(s, "--ca-file", "ca.pem"); code != 0 {
		t.Errorf("%d\n%s", code, p.said())
	}
}

// A server without authorization answers 400 to a request without a session, or something else that is no 401.
func TestAServerThatAskedForNoTokenIsSaidToBeOne(t *testing.T) {
	t.Parallel()
	for status, hint := range map[int]string{400: "it asked for no token: scan it as it is", 200: "it answered without a token", 401: "ask whoever runs it", 403: "ask whoever runs it"} {
		s := newAuthServer(t)
		s.replace = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/mcp" {
				w.WriteHeader(status)
			} else {
				w.WriteHeader(404)
			}
			return true
		}
		p := newPerson(t)
		if code := p.start(s); code != 2 || !strings.Contains(p.err.String(), "hint: "+hint) {
			t.Errorf("HTTP %d: exit %d\n%s", status, code, p.said())
		}
	}
}
