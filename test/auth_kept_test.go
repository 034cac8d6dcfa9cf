package test

import (
	"bytes"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestAnExpiredTokenIsRefreshedOnce(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	s.token = func(d map[string]any) { d["expires_in"] = 10 }
	p := loggedIn(t, s)
	s.token = nil
	granted := func() (n int) {
		for _, path := range s.paths() {
			if path == "/as/token" {
				n++
			}
		}
		return n
	}
	for range 2 {
		if code := p.run("scan", s.endpoint(), "--auth"); code != 0 {
			t.Fatalf("%d\n%s", code, p.said())
		}
		keepsSecrets(t, s, p)
	}
	if granted() != 2 {
		t.Errorf("%d tokens", granted())
	}
	// Two servers of a config behind one resource: a refresh token is good once.
	s.token = func(d map[string]any) { d["expires_in"] = 10 }
	if code := p.login(s); code != 0 {
		t.Fatalf("%d\n%s", code, p.said())
	}
	s.token = nil
	p.write("mcp.json", `{"mcpServers": {"a": {"type": "http", "url": "`+s.endpoint()+`"}, "b": {"type": "http", "url": "`+s.endpoint()+`"}}}`)
	if code := p.run("scan", "--config", "mcp.json", "--auth", "--allow-private-network", "--fail-on", "never"); code != 0 || granted() != 4 {
		t.Errorf("%d, %d tokens\n%s", code, granted(), p.said())
	}
}

func TestARefreshThatFailsSaysWhatToDo(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	s.token = func(d map[string]any) { d["expires_in"] = 10 }
	p := loggedIn(t, s)
	s.mu.Lock()
	gone := slices.Collect(maps.Keys(s.refresh))
	clear(s.refresh) // the server takes it back
	s.mu.Unlock()
	code := p.run("scan", s.endpoint(), "--auth")
	if code != 2 || !strings.Contains(p.said(), "can not be refreshed") || !strings.Contains(p.said(), "mcpassay auth login "+s.endpoint()) {
		t.Errorf("%d\n%s", code, p.said())
	}
	if strings.Contains(p.said(), gone[0]) { // which the server's error repeats
		t.Errorf("the refresh token is shown:\n%s", p.said())
	}
	s.token = func(d map[string]any) { d["expires_in"] = 10; delete(d, "refresh_token") }
	if code := p.login(s); code != 0 {
		t.Fatalf("%d\n%s", code, p.said())
	}
	if code := p.run("scan", s.endpoint(), "--auth"); code != 2 || !strings.Contains(p.said(), "expired at") {
		t.Errorf("%d\n%s", code, p.said())
	}
}

func TestAKeptTokenGoesToItsResourceAlone(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	p := loggedIn(t, s)
	var seen []string
	s.mu.Lock()
	s.replace = func(w http.ResponseWriter, r *http.Request) bool {
		seen = append(seen, r.URL.Path+" "+r.Header.Get("Authorization"))
		http.NotFound(w, r)
		return true
	}
	s.mu.Unlock()
	other := newAuthServer(t)
	for _, at := range []string{s.URL + "/other", s.URL + "/mcpx", other.endpoint()} {
		if code := p.run("scan", at, "--auth"); code != 2 || !strings.Contains(p.said(), "no token is kept for it") {
			t.Errorf("%s: %d\n%s", at, code, p.said())
		}
	}
	if len(seen) > 0 || len(other.paths()) > 0 {
		t.Errorf("asked: %q %q", seen, other.paths())
	}
	if code := p.run("scan", s.endpoint(), "--auth", "--bearer-token-env", "X"); code != 2 || !strings.Contains(p.said(), "both name the token") {
		t.Errorf("two tokens: %d\n%s", code, p.said())
	}
}

func TestAKeptTokenThatWasTamperedWithIsNotUsed(t *testing.T) {
	t.Parallel()
	s := newAuthServer(t)
	p := loggedIn(t, s)
	for path := range p.state() {
		if !strings.HasSuffix(path, ".token") {
			continue
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		i := bytes.LastIndexByte(raw, '"') - 8
		raw[i] ^= 1
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code := p.run("scan", s.endpoint(), "--auth"); code != 2 || !strings.Contains(p.said(), "its key is another one by now") && !strings.Contains(p.said(), "not a kept token") {
		t.Errorf("%d\n%s", code, p.said())
	}
	if code := p.run("auth", "status"); code != 2 || !strings.Contains(p.said(), "mcpassay auth logout --all") {
		t.Errorf("status: %d\n%s", code, p.said())
	}
	if code := p.login(s); code != 0 { // which replaces it
		t.Errorf("%d\n%s", code, p.said())
	}
	if code := p.run("scan", s.endpoint(), "--auth"); code != 0 {
		t.Errorf("%d\n%s", code, p.said())
	}
}
