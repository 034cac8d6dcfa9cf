package talk

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/effect/net"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// everywhere runs a test over stdio and over HTTP with both kinds of answers.
func everywhere(t *testing.T, make func() *peer, check func(t *testing.T, p *peer, s *wire.Surface)) {
	t.Run("stdio", func(t *testing.T) {
		p := make()
		check(t, p, local(t, p, options()))
	})
	for _, sse := range []bool{false, true} {
		t.Run(fmt.Sprintf("http, sse %v", sse), func(t *testing.T) {
			p := make()
			check(t, p, remote(t, (&webPeer{peer: p, sse: sse, sessions: true}).serve(t), options()))
		})
	}
}

func TestAModernServerIsAskedInItsOwnWay(t *testing.T) {
	everywhere(t, func() *peer { return &peer{modern: true, lists: oneTool()} }, func(t *testing.T, p *peer, s *wire.Surface) {
		expect(t, s, wire.EraModern, "a", "", "")
		if fmt.Sprint(s.Protocol.Eras) != "[modern]" || s.Protocol.Negotiated != wire.Modern || s.ServerInfo().Get("name").Text() != "m" || fmt.Sprint(s.Protocol.Supported) != "[2026-07-28]" {
			t.Errorf("%+v", s.Protocol)
		}
	})
}

func TestALegacyServerIsAskedInItsOwnWay(t *testing.T) {
	for _, version := range wire.Legacy() {
		everywhere(t, func() *peer { return &peer{legacy: true, version: version, lists: oneTool()} }, func(t *testing.T, p *peer, s *wire.Surface) {
			expect(t, s, wire.EraLegacy, "a", "", "")
			if fmt.Sprint(s.Protocol.Eras) != "[legacy]" || s.Protocol.Requested != wire.V20251125 || s.Protocol.Negotiated != version || s.Instructions().Text() != "be kind" {
				t.Errorf("%+v", s.Protocol)
			}
			if p.saw("notifications/initialized") != 1 || p.saw("prompts/list")+p.saw("resources/list") > 0 {
				t.Error("asked for more than is announced")
			}
		})
	}
}

func TestAServerOfBothErasIsReadInTheModernOne(t *testing.T) {
	everywhere(t, func() *peer { return &peer{modern: true, legacy: true, lists: oneTool()} }, func(t *testing.T, p *peer, s *wire.Surface) {
		expect(t, s, wire.EraModern, "a", "", "")
		if fmt.Sprint(s.Protocol.Eras) != "[modern legacy]" || p.saw("tools/list") != 1 {
			t.Errorf("%v, %d lists", s.Protocol.Eras, p.saw("tools/list"))
		}
	})
}

// A stateful Go SDK server answers server/discover with older revisions alone.
func TestADiscoverWithoutTheModernRevisionIsNoModernLane(t *testing.T) {
	everywhere(t, func() *peer {
		return &peer{modern: true, legacy: true, supported: `["2025-11-25","2025-06-18"]`, lists: oneTool()}
	}, func(t *testing.T, p *peer, s *wire.Surface) {
		expect(t, s, wire.EraLegacy, "a", "", "")
		if fmt.Sprint(s.Protocol.Eras) != "[legacy]" {
			t.Errorf("%v", s.Protocol.Eras)
		}
	})
}

// The Go SDK's stdio server refuses initialize once it has seen server/discover.
func TestOnStdioEachEraThatAnswersGetsAProcessOfItsOwn(t *testing.T) {
	o := options()
	var starts atomic.Int32
	start := func(context.Context) (Lines, error) {
		starts.Add(1)
		p := &peer{modern: true, legacy: true, lists: oneTool()}
		discovered := false
		p.answer = func(m msg) ([]string, bool) {
			discovered = discovered || m.Method == "server/discover"
			if m.Method == "initialize" && discovered {
				return []string{m.err(0, "")}, true
			}
			return nil, false
		}
		return newPipe(func(line string, send func(...string)) { send(p.reply(parse([]byte(line)))...) }), nil
	}
	s := saved(t, Surface(context.Background(), Stdio(start, o), o))
	if expect(t, s, wire.EraModern, "a", "", ""); fmt.Sprint(s.Protocol.Eras) != "[modern legacy]" || starts.Load() != 2 {
		t.Errorf("%v, %d starts", s.Protocol.Eras, starts.Load())
	}
}

// Starting a server takes longer than all that is said to it.
func TestALegacyServerIsStartedOnceUnlessItMindsBeingAskedForTheOtherEra(t *testing.T) {
	for minds, want := range map[bool]int32{false: 1, true: 2} {
		o := options()
		var starts atomic.Int32
		start := func(context.Context) (Lines, error) {
			starts.Add(1)
			p := &peer{legacy: true, lists: oneTool()}
			asked := false
			p.answer = func(m msg) ([]string, bool) {
				asked = asked || m.Method == "server/discover"
				if m.Method == "initialize" && asked && minds {
					return []string{m.err(0, "duplicate")}, true
				}
				return nil, false
			}
			return newPipe(func(line string, send func(...string)) { send(p.reply(parse([]byte(line)))...) }), nil
		}
		s := saved(t, Surface(context.Background(), Stdio(start, o), o))
		if expect(t, s, wire.EraLegacy, "a", "", ""); starts.Load() != want {
			t.Errorf("one that minds: %v, %d starts", minds, starts.Load())
		}
	}
}

func TestAnEraCanBeForced(t *testing.T) {
	for _, era := range []string{wire.EraModern, wire.EraLegacy} {
		o := options()
		o.Era = era
		p := &peer{modern: true, legacy: true, lists: oneTool()}
		if s := local(t, p, o); s.Protocol.Era != era || len(s.Protocol.Eras) != 1 || p.saw("initialize")+p.saw("server/discover") != 1 {
			t.Errorf("%s: %+v", era, s.Protocol)
		}
	}
	o := options()
	o.Era, o.Version = wire.EraLegacy, wire.V20250326
	if s := local(t, &peer{legacy: true, lists: oneTool()}, o); s.Protocol.Requested != wire.V20250326 || s.Protocol.Negotiated != wire.V20250326 {
		t.Errorf("%+v", s.Protocol)
	}
	o.Era = wire.EraModern
	expect(t, local(t, &peer{legacy: true, lists: oneTool()}, o), "", "", "", "handshake:error")
}

func TestAServerThatIgnoresWhatItDoesNotKnowIsNotWaitedForLong(t *testing.T) {
	for _, method := range []string{"server/discover", "initialize"} {
		p := &peer{modern: true, legacy: true, lists: oneTool(), answer: func(m msg) ([]string, bool) { return nil, m.Method == method }}
		o := options()
		o.Limits.EraTime = 100 * time.Millisecond
		begun := time.Now()
		s := local(t, p, o)
		if len(s.Protocol.Eras) != 1 || names(s) != "a" || !s.Complete() || time.Since(begun) > 10*time.Second {
			t.Errorf("%s: %v, %v, after %v", method, s.Protocol.Eras, s.Gaps, time.Since(begun))
		}
	}
}

// A server that locks a file can not be started twice.
func TestAServerThatCanOnlyBeStartedOnceIsReadAllTheSame(t *testing.T) {
	for _, p := range []*peer{{legacy: true, lists: oneTool()}, {modern: true, lists: oneTool()}} {
		o := options()
		running := make(chan struct{}, 1)
		start := func(context.Context) (Lines, error) {
			l := newPipe(func(line string, send func(...string)) { send(p.reply(parse([]byte(line)))...) })
			select {
			case running <- struct{}{}:
			default:
				l.stderr = "starting\nthe port is in use\n"
				l.Close()
				return l, nil
			}
			return &locked{l, running}, nil
		}
		s := saved(t, Surface(context.Background(), Stdio(start, o), o))
		if names(s) != "a" || !s.Complete() {
			t.Errorf("%v %v", s.Protocol, s.Gaps)
		}
	}
}

type locked struct {
	*pipe
	running chan struct{}
}

func (l *locked) Close() error {
	l.once.Do(func() { close(l.end); <-l.running })
	return nil
}

func TestWhatKeepsAClientOutIsSaid(t *testing.T) {
	for _, c := range []struct {
		name string
		p    *peer
		want string
		says string
	}{
		{"a version that nobody knows", &peer{legacy: true, version: "1999-01-01"}, "handshake:version", "1999-01-01"},
		{"a modern version in a handshake", &peer{legacy: true, version: wire.Modern}, "handshake:version", wire.Modern},
		{"a newer server", &peer{answer: func(m msg) ([]string, bool) {
			return []string{m.err(wire.CodeUnsupportedVersion, `,"data":{"supported":["2030-01-01"]}`)}, m.Method == "server/discover"
		}}, "handshake:version", "2030-01-01"},
		{"no method at all", &peer{}, "handshake:error", "-32601"},
		{"silence", &peer{answer: func(m msg) ([]string, bool) { return nil, true }}, "handshake:timeout", "300ms"},
		{"a handshake over its limit", &peer{legacy: true, caps: `{"x":"` + strings.Repeat("x", 300*1024) + `"}`}, "handshake:too-large", ""},
		{"a result that is none", &peer{answer: func(m msg) ([]string, bool) { return []string{m.result(`[]`)}, m.ID != nil }}, "handshake:answer", ""},
		{"no capabilities", &peer{legacy: true, caps: "null"}, "handshake:answer", "capabilities"},
	} {
		s := local(t, c.p, patience(c.want))
		if gaps(s) != c.want || !strings.Contains(s.Gaps[0].Detail, c.says) {
			t.Errorf("%s: %v", c.name, s.Gaps)
		}
	}
}

func TestWhatAnHTTPServerSaysInsteadIsSaid(t *testing.T) {
	say := func(status int, header, body string) func(http.ResponseWriter, *http.Request, msg) bool {
		return func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if name, value, ok := strings.Cut(header, ": "); ok {
				w.Header().Set(name, value)
			}
			w.WriteHeader(status)
			io.WriteString(w, body)
			return true
		}
	}
	for _, c := range []struct {
		name                 string
		before               func(http.ResponseWriter, *http.Request, msg) bool
		faults, gaps, detail string
	}{
		{"a redirect", say(307, "Location: http://169.254.169.254/mcp/?x=y", ""), "redirect", "handshake:redirect", "http://169.254.169.254/mcp/"},
		{"401", say(401, "WWW-Authenticate: Bearer resource_metadata=\"https://x/\"", `{"error":"invalid_token"}`), "", "handshake:unauthorized", "resource_metadata"},
		{"401 in JSON-RPC", say(401, "Content-Type: application/json", `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Missing token"},"id":null}`), "", "handshake:unauthorized", "Missing token"},
		{"403", say(403, "", "Forbidden"), "", "handshake:unauthorized", "Forbidden"},
		{"a login page", say(200, "Content-Type: text/html", "<html>Log in"), "html", "handshake:answer", "web page"},
		{"a page without a type", say(200, "", "\n<!doctype HTML>"), "html", "handshake:answer", "web page"},
		{"500 with a stack trace", say(500, "Content-Type: text/html", "<!DOCTYPE html><pre>Error at /srv"), "html", "handshake:status", "500"},
		// vercel/vercel-mcp-overview#1: what is wrong is said in the server's words, and it is no matter of a login.
		{"406", say(406, "Content-Type: text/plain", "Not Acceptable"), "", "handshake:status", "Not Acceptable"},
		{"nothing", say(200, "Content-Type: application/json", ""), "no-reply", "handshake:answer", ""},
		{"202", say(202, "", ""), "no-reply", "handshake:answer", "202"},
		{"a banner", say(200, "Content-Type: application/json", "hello"), "no-reply not-json", "handshake:answer", ""},
		{"an empty stream", say(200, "Content-Type: text/event-stream", ": hi\n\n"), "no-reply", "handshake:broken", ""},
		{"a session is demanded (Hmbown/Codewhale#1629)", say(400, "Content-Type: application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Missing session ID"},"id":null}`), "session-demanded", "handshake:error", ""},
		{"404", say(404, "Content-Type: text/plain", "no such page"), "", "handshake:status", "404"},
	} {
		s := remote(t, (&webPeer{peer: &peer{}, before: c.before}).serve(t), options())
		if faults(s) != c.faults || gaps(s) != c.gaps || !strings.Contains(s.Gaps[0].Detail, c.detail) {
			t.Errorf("%s: faults %q, gaps %v", c.name, faults(s), s.Gaps)
		}
	}
}

// The URL to configure is named, and not opened (f/mcptools#69).
func TestARedirectToASlashNamesTheURL(t *testing.T) {
	p := &webPeer{peer: &peer{legacy: true}}
	p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
		http.Redirect(w, r, r.URL.Path+"/", http.StatusTemporaryRedirect)
		return true
	}
	url := p.serve(t)
	s := remote(t, url, options())
	if len(s.Faults) == 0 || s.Faults[0].Target != url+"/" || s.Faults[0].Status != 307 {
		t.Errorf("%+v", s.Faults)
	}
	for _, r := range p.requests {
		if strings.HasSuffix(r.URL.Path, "/mcp/") {
			t.Error("it was followed")
		}
	}
}

func TestRequestsCarryWhatTheirRevisionWants(t *testing.T) {
	header := func(p *webPeer, name string) (all []string) {
		for _, r := range p.requests {
			all = append(all, r.Header.Get(name))
		}
		return all
	}
	p := &webPeer{peer: &peer{modern: true, lists: oneTool()}}
	remote(t, p.serve(t), options())
	if got := fmt.Sprint(header(p, "Mcp-Protocol-Version"), header(p, "Mcp-Method"), header(p, "Mcp-Session-Id")); got != "[2026-07-28  2026-07-28] [server/discover  tools/list] [  ]" {
		t.Errorf("modern: %s", got)
	}
	for version, want := range map[string]string{wire.V20251125: wire.V20251125, wire.V20250618: wire.V20250618, wire.V20250326: "", wire.V20241105: ""} {
		p := &webPeer{peer: &peer{legacy: true, version: version, lists: oneTool()}, sessions: true}
		remote(t, p.serve(t), options())
		if got := fmt.Sprintf("%q", header(p, "Mcp-Protocol-Version")); got != fmt.Sprintf(`["2026-07-28" "" %q %q %q]`, want, want, want) {
			t.Errorf("%s: %s", version, got)
		}
		if got := fmt.Sprint(header(p, "Mcp-Session-Id")); got != "[  session-2 session-2 session-2]" {
			t.Errorf("%s: sessions %s", version, got)
		}
		if last := p.requests[len(p.requests)-1]; last.Method != "DELETE" || len(p.live) > 0 {
			t.Errorf("%s: the session was left open", version)
		}
	}
	for _, r := range p.requests[:3] {
		if r.Header.Get("Accept") != "application/json, text/event-stream" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("User-Agent") != "mcpassay/0" {
			t.Errorf("%v", r.Header)
		}
	}
	for name, want := range map[string]string{"echo": "echo", "é": "=?base64?w6k=?=", " a": "=?base64?IGE=?=", "=?base64?x?=": "=?base64?PT9iYXNlNjQ/eD89?=", "": ""} {
		got := ""
		for _, h := range (Call{Method: "tools/call", Name: name, Modern: true}).header() {
			if h[0] == "Mcp-Name" {
				got = h[1]
			}
		}
		if got != want {
			t.Errorf("name %q: %q", name, got)
		}
	}
}

func TestTheOldTransportIsFoundBehindItsURL(t *testing.T) {
	p := &webPeer{peer: &peer{legacy: true, version: wire.V20241105, lists: oneTool()}, old: true}
	s := remote(t, p.serve(t), options())
	expect(t, s, wire.EraLegacy, "a", "", "")
	if s.Transport != wire.SSE {
		t.Errorf("transport %s", s.Transport)
	}
	p = &webPeer{peer: &peer{legacy: true, version: wire.V20241105, lists: oneTool()}, old: true}
	url, o := p.serve(t), options()
	d, err := net.New(net.Options{Named: url, Limits: o.Limits})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s = saved(t, Surface(context.Background(), SSE(d, url, o), o))
	expect(t, s, wire.EraLegacy, "a", "", "")
}

func TestTheOldTransportsEndpointIsOfItsOwnOrigin(t *testing.T) {
	foreign := 0
	other := &webPeer{peer: &peer{}, before: func(http.ResponseWriter, *http.Request, msg) bool { foreign++; return true }}
	elsewhere := other.serve(t)
	for _, endpoint := range []string{elsewhere, "//evil.example/post", "https://example.com/post", "http://169.254.169.254/", "javascript:1", ""} {
		p := &webPeer{peer: &peer{}, before: func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if r.Method != "GET" {
				w.WriteHeader(405)
				return true
			}
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: endpoint\ndata: %s\n\n", endpoint)
			return true
		}}
		url := p.serve(t)
		token, err := net.BearerEnv(url, "T", func(string) (string, bool) { return "fake-token-0123456789", true })
		if err != nil {
			t.Fatal(err)
		}
		s := remote(t, url, options(), token)
		want := "foreign-endpoint"
		if endpoint == "" { // which is the stream's own URL
			want = ""
		}
		if faults(s) != want || len(s.Gaps) == 0 {
			t.Errorf("%q: faults %q, gaps %v", endpoint, faults(s), s.Gaps)
		}
		if strings.Contains(string(s.Encode()), "0123456789") {
			t.Error("the credential is in the surface")
		}
	}
	if foreign > 0 {
		t.Errorf("%d requests went elsewhere", foreign)
	}
}
