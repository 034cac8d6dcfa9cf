package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// clock is a clock that a test turns.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// who is the answer of whoami to a caller.
type who struct {
	Agent, Address, Class string
	Before                struct {
		Seen  bool
		Tools []struct {
			Tool  string
			Count int
		}
	}
	Guard     struct{ Refuses []string }
	RateLimit struct{ Probes, Left, WindowSeconds, ResetSeconds, PerTarget int }
}

// as calls a tool over HTTP, as somebody.
func as(t *testing.T, s *serve.Server, address, agent, tool, arguments string) (structured json.RawMessage, failed string) {
	t.Helper()
	a := s.Handle(context.Background(), &wire.Asked{Verb: "POST", Path: "/mcp", From: address, Body: []byte(call(1, tool, arguments)),
		Header: wire.Header{"host": {"localhost"}, "content-type": {"application/json"}, "user-agent": {agent}}})
	var m struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
			IsError           bool
		}
	}
	var whole []byte
	for _, part := range a.Body {
		whole = append(whole, part...)
	}
	if err := json.Unmarshal(whole, &m); err != nil || len(m.Result.Content) != 1 {
		t.Fatalf("%v: %s", err, whole)
	}
	if m.Result.IsError {
		failed = m.Result.Content[0].Text
	}
	return m.Result.StructuredContent, failed
}

func identify(t *testing.T, s *serve.Server, address, agent string) (w who) {
	t.Helper()
	doc, failed := as(t, s, address, agent, "whoami", `{}`)
	if err := json.Unmarshal(doc, &w); err != nil || failed != "" {
		t.Fatal(err, failed)
	}
	return w
}

func TestWhoamiKnowsACallerForAnHour(t *testing.T) {
	t.Parallel()
	c := &clock{time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
	set := usual()
	set.now = c.now
	s := set.server(t, false)
	if w := identify(t, s, "192.0.2.1", "curl/8"); w.Before.Seen || w.Agent != "curl/8" || w.Address != "192.0.2.1" || w.Class != "command line" {
		t.Errorf("%+v", w)
	}
	as(t, s, "192.0.2.1", "curl/8", "list_rules", `{}`)
	as(t, s, "192.0.2.1", "curl/8", "list_rules", `{}`)
	if w := identify(t, s, "192.0.2.1", "curl/8"); !w.Before.Seen || len(w.Before.Tools) != 2 || w.Before.Tools[0].Tool != "list_rules" || w.Before.Tools[0].Count != 2 {
		t.Errorf("%+v", w)
	}
	for _, other := range [][2]string{{"192.0.2.2", "curl/8"}, {"192.0.2.1", "curl/9"}} {
		if w := identify(t, s, other[0], other[1]); w.Before.Seen {
			t.Errorf("%v is taken for another caller", other)
		}
	}
	c.at = c.at.Add(limits.Default.CallerTime + time.Second)
	if w := identify(t, s, "192.0.2.1", "curl/8"); w.Before.Seen {
		t.Errorf("a caller is remembered for more than an hour: %+v", w)
	}
}

func TestAThousandCallersAreRememberedAndTheOldestGoes(t *testing.T) {
	t.Parallel()
	c := &clock{time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
	m := serve.NewCallers(c.now, limits.Default)
	for i := range limits.Default.Callers + 1 {
		c.at = c.at.Add(time.Millisecond)
		m.Saw(serve.Caller{Address: fmt.Sprint(i)}, "whoami")
	}
	for address, want := range map[string]int{"0": 0, "1": 1, fmt.Sprint(limits.Default.Callers): 1} {
		if got := len(m.Before(serve.Caller{Address: address})); got != want {
			t.Errorf("caller %s: %d tools, want %d", address, got, want)
		}
	}
}

func TestAnAgentOfAnyLengthIsCutAndDrivesNothing(t *testing.T) {
	t.Parallel()
	w := identify(t, usual().server(t, false), "192.0.2.1", strings.Repeat("bot\x1b[31m", 10_000))
	if len([]rune(w.Agent)) > limits.Default.ShownRunes+1 || strings.Contains(w.Agent, "\x1b") || w.Class != "crawler" {
		t.Errorf("%d runes, %q", len([]rune(w.Agent)), w.Class)
	}
}

func TestProbesOfACallerAndOfATargetRunOut(t *testing.T) {
	t.Parallel()
	c := &clock{time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
	set := usual()
	set.now, set.lim.CallerProbes, set.lim.TargetProbes = c.now, 3, 2
	s := set.server(t, false)
	probe := func(address, host string) string {
		_, failed := as(t, s, address, "", "score_card", `{"url":"https://`+host+`/mcp"}`)
		return failed
	}
	for i, c := range []struct{ address, host, want string }{
		{"a", "one.vendor.com", ""}, {"a", "ONE.vendor.com", ""}, {"a", "one.vendor.com", "this target"}, {"b", "one.vendor.com", "this target"},
		{"a", "two.vendor.com", ""}, {"a", "three.vendor.com", "this caller"}, {"b", "three.vendor.com", ""},
	} {
		if got := probe(c.address, c.host); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%d: %s of %s: %q, want %q", i, c.address, c.host, got, c.want)
		}
	}
	if w := identify(t, s, "a", ""); w.RateLimit.Left != 0 || w.RateLimit.Probes != 3 || w.RateLimit.ResetSeconds == 0 {
		t.Errorf("%+v", w.RateLimit)
	}
	if got, failed := as(t, s, "a", "", "score_card", `{}`); failed != "" || !strings.Contains(string(got), serve.Fixture) {
		t.Errorf("the built-in endpoint costs a probe: %s", failed)
	}
	c.at = c.at.Add(set.lim.ProbeWindow)
	if got := probe("a", "one.vendor.com"); got != "" {
		t.Errorf("after the window: %s", got)
	}
}

// Who has many addresses of one network, or names many targets, gets no more probes.
func TestALimitIsNotForgottenForManyAddressesOrTargets(t *testing.T) {
	t.Parallel()
	lim := limits.Default
	lim.Callers, lim.CallerProbes, lim.TargetProbes = 8, 3, 2
	c := &clock{time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
	m := serve.NewCallers(c.now, lim)
	for i := range 3 {
		if by, _ := m.Probe(fmt.Sprintf("2001:db8:1:2::%d", i+1), [32]byte{byte(i)}); by != "" {
			t.Errorf("%d: %s", i, by)
		}
	}
	if by, _ := m.Probe("2001:db8:1:2:ffff::9", [32]byte{9}); by != "caller" {
		t.Errorf("another address of the same network: %q", by)
	}
	if left, _ := m.Left("2001:db8:1:2::77"); left != 0 {
		t.Errorf("%d left", left)
	}
	if by, _ := m.Probe("2001:db8:1:3::1", [32]byte{200}); by != "" {
		t.Error(by)
	}
	m.Probe("192.0.2.1", [32]byte{200})
	for i := range 100 { // whoever they are, they do not free the target or the caller that is at its limit
		c.at = c.at.Add(time.Second)
		m.Probe(fmt.Sprintf("198.51.100.%d", i), [32]byte{100, byte(i)})
	}
	if by, _ := m.Probe("203.0.113.9", [32]byte{200}); by != "target" {
		t.Errorf("the target was forgotten: %q", by)
	}
	if by, _ := m.Probe("2001:db8:1:2::5", [32]byte{201}); by != "caller" {
		t.Errorf("the caller was forgotten: %q", by)
	}
	c.at = c.at.Add(lim.ProbeWindow)
	if by, _ := m.Probe("2001:db8:1:2::5", [32]byte{200}); by != "" {
		t.Errorf("after the window: %s", by)
	}
}

func TestTheGuardAsksPublicHostsAlone(t *testing.T) {
	t.Parallel()
	g := serve.Guard{Own: []string{"mcp.ours.com:443"}, Limits: limits.Default}
	for _, u := range []string{"https://mcp.vendor.com/mcp", "https://mcp.vendor.com:8443/", "https://xn--bcher-kva.com/", "https://MCP.vendor.COM./mcp?x=1"} {
		if _, err := g.Check(u); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
	for _, u := range []string{"", "mcp.vendor.com", "//mcp.vendor.com/", "ftp://mcp.vendor.com/", "file:///etc/passwd", "javascript:alert(1)", "http://mcp.vendor.com/",
		"https://user:hunter2@mcp.vendor.com/", "https://", "https:///mcp", "https://127.0.0.1/", "https://127.1/", "https://0x7f000001/", "https://2130706433/", "https://[::1]/",
		"https://[::ffff:10.0.0.1]/", "https://8.8.8.8/", "https://localhost/", "https://LOCALHOST./", "https://intranet/", "https://printer.local/", "https://db.internal/",
		"https://router.home.arpa/", "https://x.test/", "https://kubernetes.default.svc.cluster.local/", "https://x.trycloudflare.com/", "https://X.NGROK-FREE.APP/", "https://loca.lt/",
		"https://10.0.0.1.nip.io/", "https://mcp.ours.com/mcp", "https://MCP.OURS.COM:443/", "https://" + strings.Repeat("a", limits.Default.URLBytes) + ".com/"} {
		if _, err := g.Check(u); err == nil {
			t.Errorf("%s is asked", u)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the refusal shows a password: %v", err)
		}
	}
	if _, err := g.Check("http://localhost:3000/mcp"); err == nil || !strings.Contains(err.Error(), "--allow-private-network") {
		t.Errorf("the refusal does not say who can lift it: %v", err)
	}
	g.Private = true
	for u, asked := range map[string]bool{"http://127.0.0.1:3000/mcp": true, "https://intranet/": true, "https://mcp.ours.com/": false, "file:///etc/passwd": false} {
		if _, err := g.Check(u); (err == nil) != asked {
			t.Errorf("with private networks %s: %v", u, err)
		}
	}
}

func TestTheListOfEphemeralHostsIsDatedAndWhoamiSaysSo(t *testing.T) {
	t.Parallel()
	w := identify(t, usual().server(t, false), "192.0.2.1", "")
	if last := w.Guard.Refuses[len(w.Guard.Refuses)-1]; !regexp.MustCompile(`^\d\d ephemeral hosts such as \S+ \(list of 20\d\d-\d\d-\d\d\)$`).MatchString(last) {
		t.Errorf("%q", last)
	}
}

func TestArgumentsThatAToolDoesNotTakeAreRefusedByName(t *testing.T) {
	t.Parallel()
	s := usual().server(t, true)
	for _, c := range [][3]string{
		{"whoami", `{"x":1}`, "takes no arguments"}, {"doctor", `{"path":"/etc"}`, ""}, {"score_card", `{"host":"a"}`, "takes url"}, {"score_card", `{"url":7}`, "takes url"},
		{"discovery_report", `{"url":"a"}`, "takes host"}, {"lint_config", `{"config":7}`, "takes config"}, {"lint_config", `{"path":"/etc/passwd"}`, "takes config"},
		{"scan_tools", `{"file":"x"}`, "takes tools"}, {"explain_rule", `{"name":"x"}`, "takes rule"}, {"list_rules", `{"names":"x"}`, "takes names"},
		{"list_rules", `{"names":[` + strings.Repeat(`"a",`, 40) + `"a"]}`, "names are the most"},
	} {
		if _, failed := as(t, s, "192.0.2.1", "", c[0], c[1]); failed == "" || !strings.Contains(failed, c[2]) {
			t.Errorf("%s %s: %q", c[0], c[1], failed)
		}
	}
}

func TestWorkWaitsItsTurnAndNotForEver(t *testing.T) {
	t.Parallel()
	set, w := usual(), &work{hold: make(chan struct{}), begun: make(chan struct{}), gone: make(chan struct{})}
	set.jobs, set.lim.ServeProbes, set.lim.ServeJobWait = w, 1, 30*time.Millisecond
	s := set.server(t, false)
	done := make(chan string, 1)
	go func() {
		_, failed := as(t, s, "a", "", "score_card", `{"url":"https://one.vendor.com/mcp"}`)
		done <- failed
	}()
	<-w.begun
	if _, failed := as(t, s, "b", "", "score_card", `{"url":"https://two.vendor.com/mcp"}`); !strings.Contains(failed, "too many calls at once") {
		t.Errorf("%q", failed)
	}
	if _, failed := as(t, s, "b", "", "lint_config", `{"config":"{}"}`); failed != "" {
		t.Errorf("probes hold up what judges: %q", failed)
	}
	close(w.hold)
	if failed := <-done; failed != "" {
		t.Errorf("%q", failed)
	}
}

func TestDocumentsAreWhatClientsLookFor(t *testing.T) {
	t.Parallel()
	origin := usual().open(t)
	for path, c := range map[string]struct{ media, holds string }{
		"/.well-known/mcp":             {"application/json", `"endpoint": "` + origin + `/mcp"`},
		"/.well-known/mcp.json":        {"application/json", `"endpoint": "` + origin + `/mcp"`},
		"/mcp.json":                    {"application/json", `"url": "` + origin + `/mcp"`},
		"/llms.txt":                    {"text/plain", origin + "/mcp"},
		"/":                            {"text/plain", origin + "/mcp"},
		"/mcp/server-card":             {"application/mcp-server-card+json", `"url": "` + origin + `/mcp"`},
		"/mcp/lint/server-card":        {"application/mcp-server-card+json", `"url": "` + origin + `/mcp/lint"`},
		"/.well-known/ai-catalog.json": {"application/ai-catalog+json", origin + "/mcp/server-card"},
		"/changes.json?since=0":        {"application/json", `"rule":"mcp-security/http-no-tls","since":"0.1.0"`},
		"/changes.json?since=0.1.0":    {"application/json", `"cursor":"0.1.0","since":"0.1.0","rules":[]`},
	} {
		g := send(t, "GET", origin+path, "", nil)
		media, _, _ := strings.Cut(g.header.Get("Content-Type"), ";")
		if g.status != 200 || media != c.media || !strings.Contains(g.body, c.holds) || strings.HasSuffix(media, "json") != json.Valid([]byte(g.body)) {
			t.Errorf("%s: %d %s %.300s", path, g.status, media, g.body)
		}
		if h := send(t, "HEAD", origin+path, "", nil); h.status != 200 || h.body != "" || h.header.Get("Content-Length") != g.header.Get("Content-Length") {
			t.Errorf("HEAD %s: %d, %d bytes", path, h.status, len(h.body))
		}
	}
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server",
		"/.well-known/openid-configuration", "/favicon.ico", "/changes.json?since=x", "/mcp/"} {
		if g := send(t, "GET", origin+path, "", nil); g.status != http.StatusNotFound || !json.Valid([]byte(g.body)) {
			t.Errorf("%s: %d %s", path, g.status, g.body)
		}
	}
}

func TestBehindAProxyDocumentsNameThePublicOrigin(t *testing.T) {
	t.Parallel()
	set := usual()
	set.front.Public = "https://mcp.ours.com"
	origin := set.open(t)
	g := send(t, "GET", origin+"/.well-known/mcp.json", "", map[string]string{"host": "mcp.ours.com"})
	if g.status != 200 || !strings.Contains(g.body, `"https://mcp.ours.com/mcp"`) {
		t.Errorf("%d %s", g.status, g.body)
	}
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	if g := send(t, "POST", origin+"/mcp", ping, map[string]string{"host": "mcp.ours.com", "origin": "https://mcp.ours.com"}); g.status != 200 {
		t.Errorf("our own page is refused: %d", g.status)
	}
	if g := send(t, "POST", origin+"/mcp", ping, map[string]string{"host": "evil.example"}); g.status != 403 {
		t.Errorf("another name is taken for ours: %d", g.status)
	}
}
