package test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// follow is a browser of a person who is logged in already and says yes: it goes where it is sent.
func follow(url string) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if page, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status + ": " + string(page))
	}
	return nil
}

// login runs auth login with a key file, so that no test touches the keychain of whoever runs it.
func (p *person) login(s *authServer, more ...string) int {
	return p.run(append([]string{"auth", "login", s.endpoint(), "--no-keychain", "--timeout", "10s"}, more...)...)
}

func loggedIn(t *testing.T, s *authServer) *person {
	t.Helper()
	p := newPerson(t)
	p.open = follow
	if code := p.login(s); code != 0 {
		t.Fatalf("login: %d\n%s", code, p.said())
	}
	return p
}

func TestALoginEndsInATokenThatAScanUses(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	p := loggedIn(t, s)
	keepsSecrets(t, s, p)
	if !strings.Contains(p.err.String(), "not in the keychain (--no-keychain)") || !strings.Contains(p.err.String(), "whoever reads both has the token") {
		t.Errorf("it does not say where the token is:\n%s", p.said())
	}
	if scope := s.lastAsk.Get("scope"); scope != authScope+" offline_access" {
		t.Errorf("asked for %q", scope)
	}
	files := p.state()
	if len(files) != 2 {
		t.Errorf("kept: %v", files)
	}
	for path, mode := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range append(s.secrets(), s.URL, "refresh") {
			if bytes.Contains(raw, []byte(secret)) {
				t.Errorf("%s holds %s in clear", path, secret)
			}
		}
		if runtime.GOOS != "windows" && mode.Perm() != 0o600 {
			t.Errorf("%s: %v", path, mode)
		}
	}
	if code := p.run("scan", s.endpoint(), "--auth", "--json"); code != 0 || !strings.Contains(p.out.String(), "read_balance") {
		t.Errorf("scan --auth: %d\n%s", code, p.said())
	}
	keepsSecrets(t, s, p)
	if code := p.run("auth", "status"); code != 0 || !strings.Contains(p.out.String(), s.endpoint()) || !strings.Contains(p.out.String(), s.issuer()) ||
		!strings.Contains(p.out.String(), "until ") || !strings.Contains(p.out.String(), "refreshed by itself") {
		t.Errorf("status: %d\n%s", code, p.said())
	}
	keepsSecrets(t, s, p)
	if code := p.run("auth", "logout", s.endpoint()); code != 0 || !strings.Contains(p.out.String(), "taken away") {
		t.Errorf("logout: %d\n%s", code, p.said())
	}
	if code := p.run("auth", "status"); code != 0 || !strings.Contains(p.out.String(), "no token is kept") {
		t.Errorf("status: %d\n%s", code, p.said())
	}
	if code := p.run("scan", s.endpoint(), "--auth"); code != 2 || !strings.Contains(p.said(), "mcpassay auth login "+s.endpoint()) {
		t.Errorf("scan --auth without one: %d\n%s", code, p.said())
	}
}

// state are the files that the program keeps for itself, with their modes.
func (p *person) state() map[string]fs.FileMode {
	all := map[string]fs.FileMode{}
	err := filepath.WalkDir(p.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			all[path] = info.Mode()
		}
		return err
	})
	if err != nil {
		p.t.Error(err)
	}
	return all
}

func TestALoginPrintsTheURLWhereNoBrowserIs(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	for _, args := range [][]string{{"--no-browser"}, nil} { // and where standard error is no terminal
		p := newPerson(t)
		var opened string
		p.open = func(url string) error { opened = url; return nil }
		p.noTerminal = args == nil
		p.onErr = func(said string) {
			if m := regexp.MustCompile(`(?m)^http\S+authorize\S+$`).FindString(said); m != "" {
				go func() {
					if err := follow(m); err != nil {
						t.Error(err)
					}
				}()
			}
		}
		if code := p.login(s, args...); code != 0 || opened != "" {
			t.Errorf("%v: %d, opened %q\n%s", args, code, opened, p.said())
		}
	}
}

func TestAClientIsTheOneGivenOrDescribedOrRegistered(t *testing.T) {
	t.Parallel()
	const document = "https://client.example/mcpassay.json"
	for _, c := range []struct {
		args []string
		lie  func(*authServer)
		want string // in the client's id, or in the error
		code int
	}{
		{nil, nil, "client-", 0},
		{[]string{"--client-metadata-url", document}, nil, document, 0},
		{[]string{"--client-id", "pre", "--client-metadata-url", document}, nil, "pre", 0},
		{[]string{"--client-metadata-url", document}, func(s *authServer) {
			s.metadata = func(d map[string]any) { delete(d, "client_id_metadata_document_supported") }
		}, "client-", 0},
		{nil, func(s *authServer) { s.metadata = func(d map[string]any) { delete(d, "registration_endpoint") } }, "--client-id, or --client-metadata-url", 2},
		{[]string{"--client-metadata-url", "http://client.example/x"}, nil, "needs https://", 2},
		{[]string{"--client-metadata-url", "https://client.example/"}, nil, "with a path", 2},
		{nil, func(s *authServer) {
			s.register = func(d map[string]any) {
				d["client_secret"], d["token_endpoint_auth_method"] = "x", "client_secret_basic"
			}
		}, "with a secret", 2},
		{nil, func(s *authServer) {
			s.register = func(d map[string]any) { d["redirect_uris"] = []string{"https://evil.example/"} }
		}, "another redirect URI", 2},
		{nil, func(s *authServer) { s.register = func(d map[string]any) { d["client_id"] = "a\x1b[2J" } }, "no id of a client", 2},
		{nil, func(s *authServer) { s.register = func(d map[string]any) { d["x"] = strings.Repeat("x", 64<<10) } }, "more than 65536 bytes", 2},
		{nil, func(s *authServer) {
			s.metadata = func(d map[string]any) { d["registration_endpoint"] = "http://as.example/register" }
		}, "needs https://", 2},
		{nil, func(s *authServer) {
			s.metadata = func(d map[string]any) { d["registration_endpoint"] = "https://10.0.0.1/register" }
		}, "private address", 2},
	} {
		s := newAuthServer(t)
		s.clients["pre"] = nil // with any port of this machine
		if c.lie != nil {
			c.lie(s)
		}
		p := newPerson(t)
		p.open = func(ask string) error {
			u, err := url.Parse(ask)
			if err != nil {
				return err
			}
			s.mu.Lock()
			if s.clients["pre"] == nil {
				s.clients["pre"] = []string{u.Query().Get("redirect_uri")}
			}
			s.mu.Unlock()
			return follow(ask)
		}
		code := p.login(s, c.args...)
		got := p.err.String()
		if c.code == 0 {
			got = s.lastAsk.Get("client_id")
		}
		if code != c.code || !strings.Contains(got, c.want) || strings.Contains(p.said(), "\x1b") {
			t.Errorf("%v: %d, want %q:\n%s", c.args, code, c.want, p.said())
		}
	}
}

func TestALoginThatIsLeftAloneEnds(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	p := newPerson(t)
	p.open = func(string) error { return nil }
	if code := p.run("auth", "login", s.endpoint(), "--no-keychain", "--timeout", "50ms"); code != 2 || !strings.Contains(p.said(), "nobody gave leave within") {
		t.Errorf("%d\n%s", code, p.said())
	}
}

func TestALoginIsNotEndedByStrangersAndNotTwice(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	p := newPerson(t)
	var wrong, second int
	p.open = func(ask string) error {
		u, err := url.Parse(ask)
		if err != nil {
			return err
		}
		back := u.Query().Get("redirect_uri")
		for _, q := range []string{"", "?code=evil", "?code=evil&state=evil", "?error=access_denied&state="} {
			if resp, err := http.Get(back + q); err == nil {
				wrong += resp.StatusCode
				resp.Body.Close()
			}
		}
		if err := follow(ask); err != nil {
			return err
		}
		resp, err := http.Get(back + "?code=again&state=" + u.Query().Get("state"))
		if err == nil {
			second = resp.StatusCode
			resp.Body.Close()
		}
		return nil
	}
	if code := p.login(s); code != 0 {
		t.Errorf("%d\n%s", code, p.said())
	}
	if wrong != 4*http.StatusBadRequest || second != http.StatusGone && second != 0 { // 0: the listener is gone already
		t.Errorf("wrong answers %d, a second one %d", wrong, second)
	}
}

func TestALoginWithMixedUpIssuersFailsAtOnce(t *testing.T) {
	t.Parallel()
	for _, iss := range []string{"https://evil.example", ""} {
		s := newAuthServer(t)
		s.callback = func(q url.Values) { q.Set("iss", iss) }
		p := newPerson(t)
		p.open = follow
		if code := p.login(s); code != 2 || !strings.Contains(p.said(), "the callback is refused") || slices.Contains(s.paths(), "/as/token") || len(p.state()) > 0 {
			t.Errorf("%q: %d\n%s", iss, code, p.said())
		}
	}
}

// child is the program in a process of its own.
func (p *person) child(args ...string) *exec.Cmd {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = append([]string{"mcpassay"}, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, &p.out, &p.err
	cmd.Env = append(os.Environ(), "HOME="+p.dir, "XDG_STATE_HOME=", "CALLBACK="+p.env["CALLBACK"])
	return cmd
}

func TestALoginThatIsInterruptedEndsAtOnce(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such signal")
	}
	s := newAuthServer(t)
	p := newPerson(t)
	registered := make(chan bool, 1)
	s.mu.Lock()
	s.register = func(map[string]any) { registered <- true }
	s.mu.Unlock()
	cmd := p.child("auth", "login", s.endpoint(), "--no-keychain", "--no-browser")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	select {
	case <-registered:
	case <-time.After(20 * time.Second):
		t.Fatal("it asks for nothing")
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("%d\n%s", code, p.said())
	}
}

func TestAKillLeavesNoHalfOfAToken(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	p, callback := begun(t, s)
	p.write("token", "old\n")
	p.env["CALLBACK"] = callback
	asked := make(chan bool, 1)
	release := make(chan bool)
	s.mu.Lock()
	s.replace = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/as/token" {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"access_token":"half-of-a-tok`)
		w.(http.Flusher).Flush()
		asked <- true
		<-release
		return true
	}
	s.mu.Unlock()
	cmd := p.child("auth", "complete", "--state-file", "state.json", "--callback-url-env", "CALLBACK", "--token-file", "token")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer close(release)
	select {
	case <-asked:
	case <-time.After(20 * time.Second):
		t.Error("it asks for nothing")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if raw, err := os.ReadFile(p.path("token")); err != nil || string(raw) != "old\n" || p.has("state.json") {
		t.Errorf("%q, %v, %s", raw, err, p.said())
	}
}
