package talk

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/effect/net"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// around is a legacy server that sends more than the answer to tools/list: what the function makes of it.
func around(f func(m msg, answer string) []string) *peer {
	p := &peer{legacy: true}
	p.answer = func(m msg) ([]string, bool) {
		if m.Method != "tools/list" {
			return nil, false
		}
		return f(m, m.result("{"+tools("a")+"}")), true
	}
	return p
}

const news = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`

func repeat(text string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = text
	}
	return all
}

func TestWhatComesBesideTheAnswerIsAFault(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for _, c := range []struct {
		name                string
		f                   func(m msg, answer string) []string
		tools, faults, gaps string
	}{
		{"a burst of 40 notifications", func(m msg, a string) []string { return append(repeat(news, 40), a) }, "a", "", ""},
		{"a burst of 9,000", func(m msg, a string) []string { return append(repeat(news, 9000), a) }, "a", "", ""},
		{"a flood", func(m msg, a string) []string { return append(repeat(news, 11_000), a) }, "", "flood", "tools:too-large"},
		{"a flood of bytes", func(m msg, a string) []string {
			return append(repeat(`{"jsonrpc":"2.0","method":"m","params":{"x":"`+strings.Repeat("x", limits.MiB)+`"}}`, 20), a)
		}, "", "flood", "tools:too-large"},
		{"a wrong id first", func(m msg, a string) []string { return []string{`{"jsonrpc":"2.0","id":99,"result":{}}`, a} }, "a", "wrong-id", ""},
		{"a string for the number", func(m msg, a string) []string {
			return []string{strings.Replace(a, `"id":`+string(m.ID), `"id":"`+string(m.ID)+`"`, 1), a}
		}, "a", "wrong-id", ""},
		{"nothing but wrong ids", func(m msg, a string) []string { return repeat(`{"jsonrpc":"2.0","id":99,"result":{}}`, 3) }, "", "wrong-id", "tools:timeout"},
		{"an answer to what was answered", func(m msg, a string) []string { return []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, a} }, "a", "duplicate-id", ""},
		{"a batch", func(m msg, a string) []string { return []string{"[" + news + "," + a + "]"} }, "a", "batch", ""},
		{"a batch that answers twice", func(m msg, a string) []string { return []string{"[" + a + "," + a + "]"} }, "a", "batch duplicate-id", ""},
		{"a banner", func(m msg, a string) []string { return []string{"[db] Connected", "", "ready", a} }, "a", "not-json", ""},
		{"a cut message", func(m msg, a string) []string { return []string{a[:len(a)/2], a} }, "a", "not-json", ""},
		{"bytes that are no UTF-8", func(m msg, a string) []string { return []string{strings.Replace(a, `"a"`, "\"a\xFF\"", 1)} }, "a\uFFFD", "bad-text", ""},
		{"5,000 deep", func(m msg, a string) []string { return []string{m.result(`{"tools":` + deep + `}`)} }, "", "too-deep", "tools:too-large"},
		{"no envelope", func(m msg, a string) []string { return []string{strings.Replace(a, `"jsonrpc":"2.0",`, "", 1)} }, "a", "bad-envelope", ""},
		{"a carriage return", func(m msg, a string) []string { return []string{a + "\r"} }, "a", "", ""},
		{"an id of 1.0", func(m msg, a string) []string {
			return []string{strings.Replace(a, `"id":`+string(m.ID), `"id":`+string(m.ID)+`.0`, 1)}
		}, "a", "", ""},
		{"news of a list that is not announced", func(m msg, a string) []string {
			return []string{`{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`, a}
		}, "a", "unannounced-list", ""},
		{"a page over its limit", func(m msg, a string) []string {
			return []string{m.result(`{"tools":[],"x":"` + strings.Repeat("x", 17*limits.MiB) + `"}`)}
		}, "", "flood", "tools:too-large"},
	} {
		s := local(t, around(c.f), patience(c.gaps))
		if names(s) != c.tools || faults(s) != c.faults || gaps(s) != c.gaps {
			t.Errorf("%s: tools %q, faults %q, gaps %v", c.name, names(s), faults(s), s.Gaps)
		}
	}
}

func TestTheBatchesOf20250326AreNoFault(t *testing.T) {
	p := around(func(m msg, a string) []string { return []string{"[" + news + "," + a + "]"} })
	p.version = wire.V20250326
	expect(t, local(t, p, options()), wire.EraLegacy, "a", "", "")
}

func TestNoiseOnTheOutputCanBeAllowed(t *testing.T) {
	p := around(func(m msg, a string) []string { return []string{"[db] Connected", a} })
	o := options()
	o.Noise = true
	expect(t, local(t, p, o), wire.EraLegacy, "a", "", "")
	// hurttlocker/o8#1541: the first line is quoted.
	if s := local(t, p, options()); !strings.Contains(s.Faults[0].Detail, "[db] Connected") {
		t.Errorf("%v", s.Faults)
	}
}

func TestTheServersRequestsAreAnswered(t *testing.T) {
	ask := func(id, method string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"}` }
	for _, sse := range []bool{false, true} {
		p := around(func(m msg, a string) []string {
			return []string{ask(`"p"`, "ping"), ask("7", "roots/list"), ask("8", "sampling/createMessage"), ask("9", "elicitation/create"), ask("{}", "ping"), ask("null", "ping"), a}
		})
		var s *wire.Surface
		if sse {
			s = remote(t, (&webPeer{peer: p, sse: true, sessions: true}).serve(t), options())
		} else {
			s = local(t, p, options())
		}
		if names(s) != "a" || faults(s) != "bad-envelope" || !s.Complete() {
			t.Errorf("sse %v: %v %v", sse, s.Faults, s.Gaps)
		}
		var answers []string
		for _, m := range p.got {
			if m.Method == "" {
				answers = append(answers, m.raw)
			}
		}
		no := `,"error":{"code":-32601,"message":"Method not found"}}`
		want := `{"jsonrpc":"2.0","id":"p","result":{}} {"jsonrpc":"2.0","id":7` + no + ` {"jsonrpc":"2.0","id":8` + no + ` {"jsonrpc":"2.0","id":9` + no
		if got := strings.Join(answers, " "); got != want {
			t.Errorf("sse %v: %s", sse, got)
		}
	}
}

func TestAServerThatAsksTooEarlyOrTooMuchIsAFault(t *testing.T) {
	for method, want := range map[string]string{"roots/list": "server-request", "ping": ""} {
		p := &peer{legacy: true, lists: oneTool()}
		p.answer = func(m msg) ([]string, bool) {
			if m.Method != "initialize" {
				return nil, false
			}
			plain := &peer{legacy: true}
			return append([]string{`{"jsonrpc":"2.0","id":1,"method":"` + method + `"}`}, plain.reply(m)...), true
		}
		expect(t, local(t, p, options()), wire.EraLegacy, "a", want, "")
	}
	p := &peer{modern: true, lists: oneTool()}
	p.answer = func(m msg) ([]string, bool) {
		if m.Method != "server/discover" {
			return nil, false
		}
		plain := &peer{modern: true}
		return append([]string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`}, plain.reply(m)...), true
	}
	if s := local(t, p, options()); faults(s) != "server-request" || p.saw("") > 0 { // 2026-07-28: the client sends no responses
		t.Errorf("%v, %d answers", s.Faults, p.saw(""))
	}
	p = around(func(m msg, a string) []string {
		return append(repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, 5000), a)
	})
	if s := local(t, p, options()); faults(s) != "request-flood" || p.saw("") != options().Limits.AnsweredRequests {
		t.Errorf("%v, %d answers", s.Faults, p.saw(""))
	}
}

func TestALateAnswerIsNoWrongID(t *testing.T) {
	o := hasty()
	o.Era = wire.EraLegacy
	first := true
	p := &peer{legacy: true, caps: `{"tools":{},"prompts":{}}`, lists: oneTool()}
	late := ""
	p.answer = func(m msg) ([]string, bool) {
		switch {
		case m.Method == "tools/list" && first:
			first, late = false, m.result("{"+tools("a")+"}")
			return nil, true
		case m.Method == "prompts/list":
			return []string{late, m.result(`{"prompts":[]}`)}, true
		}
		return nil, false
	}
	expect(t, local(t, p, o), wire.EraLegacy, "", "", "tools:timeout")
}

func TestAStdioServerThatIsNotThere(t *testing.T) {
	for name, c := range map[string]struct {
		start func(context.Context) (Lines, error)
		gap   string
		says  string
	}{
		"ends at once": {func(context.Context) (Lines, error) {
			l := newPipe(func(string, func(...string)) {})
			l.stderr = "Traceback:\n  ModuleNotFoundError: no module named mcp\n"
			l.Close()
			return l, nil
		}, "handshake:ended", "ModuleNotFoundError"},
		"ends as Node does": {func(context.Context) (Lines, error) {
			l := newPipe(func(string, func(...string)) {})
			l.stderr = "node:internal/loader:1\n  throw err;\n  ^\n\nError: Cannot find module 'x'\nRequire stack:\n    at load (loader:2)\n\nNode.js v20.0.0\n"
			l.Close()
			return l, nil
		}, "handshake:ended", "it said: Error: Cannot find module 'x'; Require stack:"},
		"ends as npm does": {func(context.Context) (Lines, error) {
			l := newPipe(func(string, func(...string)) {})
			l.stderr = "npm warn x\nnpm error code E404\nnpm error 404 Not Found\nnpm error\nnpm error A log can be found in: /x\n"
			l.Close()
			return l, nil
		}, "handshake:ended", "it said: npm error code E404; npm error 404 Not Found"},
		"ends without a word of an error": {func(context.Context) (Lines, error) {
			l := newPipe(func(string, func(...string)) {})
			l.stderr = "starting\nno port is free\n"
			l.Close()
			return l, nil
		}, "handshake:ended", "it said: no port is free"},
		"can not be started": {func(context.Context) (Lines, error) {
			return nil, &wire.Failure{Cause: wire.CauseEnded, Detail: "no such file: mcp-server"}
		}, "handshake:ended", "no such file"},
		"has no reason why": {func(context.Context) (Lines, error) { return nil, io.ErrShortWrite }, "handshake:ended", "can not be started: short write"},
		"does not read": {func(ctx context.Context) (Lines, error) {
			return &deaf{newPipe(nil)}, nil
		}, "handshake:timeout", "does not read its input"},
		"sends a line that is too long": {func(ctx context.Context) (Lines, error) {
			return &long{newPipe(func(string, func(...string)) {})}, nil
		}, "handshake:too-large", "a line of more than"},
		"ends within the conversation": {func(context.Context) (Lines, error) {
			p := &peer{legacy: true}
			var l *pipe
			l = newPipe(func(line string, send func(...string)) {
				if m := parse([]byte(line)); m.Method == "tools/list" {
					l.Close()
				} else {
					send(p.reply(m)...)
				}
			})
			return l, nil
		}, "tools:ended", "the server ended"},
	} {
		o := patience(c.gap)
		s := saved(t, Surface(context.Background(), Stdio(c.start, o), o))
		if gaps(s) != c.gap || !strings.Contains(s.Gaps[0].Detail, c.says) {
			t.Errorf("%s: %v", name, s.Gaps)
		}
	}
}

type deaf struct{ *pipe }

func (d *deaf) WriteLine([]byte) error { <-d.end; return io.ErrClosedPipe }

// What is stuck in a write stays the only one: a second would mix with it.
func TestAServerThatDoesNotReadIsWrittenToOnce(t *testing.T) {
	var writes atomic.Int32
	d := &deaf{newPipe(nil)}
	conn, err := Stdio(func(context.Context) (Lines, error) { return &counted{d, &writes}, nil }, hasty()).Dial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := conn.Do(context.Background(), Call{Method: "ping"}); err == nil || !strings.Contains(err.Error(), "does not read") {
			t.Errorf("%v", err)
		}
	}
	if writes.Load() != 1 {
		t.Errorf("%d writes", writes.Load())
	}
	conn.Close()
}

type counted struct {
	Lines
	writes *atomic.Int32
}

func (c *counted) WriteLine(line []byte) error { c.writes.Add(1); return c.Lines.WriteLine(line) }

func TestAHostThatIsNotThereIsAskedOnce(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	asked := 0
	o := options()
	o.Note = func(*wire.Exchange) { asked++ }
	if got := remote(t, s.URL, o); gaps(got) != "handshake:unreachable" || asked != 1 {
		t.Errorf("asked %d times, %v", asked, got.Gaps)
	}
}

type long struct{ *pipe }

func (l *long) ReadLine(context.Context) ([]byte, error) {
	return nil, &wire.Failure{Cause: wire.CauseTooLarge, Detail: "a line of more than 4194304 bytes"}
}

func TestAnHTTPServerThatWearsItsClientOut(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	z.Write(make([]byte, 2*limits.MiB))
	z.Close()
	big := strings.Repeat("x", limits.MiB)
	endless := func(w io.Writer, text string) {
		for range 200 {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
	}
	for _, c := range []struct {
		name                string
		f                   func(w http.ResponseWriter, r *http.Request, m msg, answer string)
		tools, faults, gaps string
	}{
		{"never answers", func(w http.ResponseWriter, r *http.Request, m msg, a string) { <-r.Context().Done() }, "", "", "tools:timeout"},
		{"answers byte by byte", func(w http.ResponseWriter, r *http.Request, m msg, a string) {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(5 * time.Millisecond)
			}
		}, "", "", "tools:timeout"},
		{"an endless body", func(w http.ResponseWriter, r *http.Request, m msg, a string) {
			w.Header().Set("Content-Type", "application/json")
			endless(w, big)
		}, "", "", "tools:too-large"},
		{"a gzip bomb", func(w http.ResponseWriter, r *http.Request, m msg, a string) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb.Bytes())
		}, "", "compressed", "tools:too-large"},
		{"an honest gzip", func(w http.ResponseWriter, r *http.Request, m msg, a string) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.WriteString(z, a)
			z.Close()
		}, "a", "compressed", ""},
		{"an SSE line of 1 MiB", func(w http.ResponseWriter, r *http.Request, m msg, a string) {
			write(w, true, []string{m.result("{" + tools("a") + `,"x":"` + big + `"}`)})
		}, "a", "", ""},
		{"an SSE line without an end", func(w http.ResponseWriter, r *http.Request, m msg, a string) {
			w.Header().Set("Content-Type", "text/event-stream")
			endless(w, big)
		}, "", "", "tools:too-large"},
		{"an endless stream", func(w http.ResponseWriter, r *http.Request, m msg, a string) {
			w.Header().Set("Content-Type", "text/event-stream")
			endless(w, ":"+big+"\n")
		}, "", "", "tools:too-large"},
		{"a stream of news and then the answer", func(w http.ResponseWriter, r *http.Request, m msg, a string) {
			write(w, true, append(repeat(news, 5000), a))
		}, "a", "", ""},
		{"a stream that stays open", func(w http.ResponseWriter, r *http.Request, m msg, a string) {
			write(w, true, []string{a})
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "a", "", ""},
		{"a type that is wrong", func(w http.ResponseWriter, r *http.Request, m msg, a string) {
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, a)
		}, "a", "bad-content-type", ""},
		{"two bodies", func(w http.ResponseWriter, r *http.Request, m msg, a string) { write(w, false, []string{a, a}) }, "", "no-reply not-json", "tools:answer"},
		{"another's answer", func(w http.ResponseWriter, r *http.Request, m msg, a string) {
			write(w, false, []string{`{"jsonrpc":"2.0","id":99,"result":{}}`})
		}, "", "no-reply wrong-id", "tools:answer"},
		{"an error without an id", func(w http.ResponseWriter, r *http.Request, m msg, a string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(400)
			io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`)
		}, "", "refused-list", "tools:error"},
		{"a web page in the middle", func(w http.ResponseWriter, r *http.Request, m msg, a string) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(502)
			io.WriteString(w, "<html>Bad gateway")
		}, "", "html", "tools:status"},
		{"a redirect in the middle", func(w http.ResponseWriter, r *http.Request, m msg, a string) {
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
		}, "", "redirect", "tools:redirect"},
	} {
		p := &webPeer{peer: &peer{legacy: true}, sessions: true}
		p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if m.Method == "tools/list" {
				c.f(w, r, m, m.result("{"+tools("a")+"}"))
			}
			return m.Method == "tools/list"
		}
		s := remote(t, p.serve(t), patience(c.gaps))
		if names(s) != c.tools || faults(s) != c.faults || gaps(s) != c.gaps {
			t.Errorf("%s: tools %q, faults %q, gaps %v", c.name, names(s), faults(s), s.Gaps)
		}
	}
}

func TestANotificationThatIsAnsweredIsAFault(t *testing.T) {
	for _, status := range []int{200, 400} {
		p := &webPeer{peer: &peer{legacy: true, lists: oneTool()}}
		p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if m.Method == "notifications/initialized" {
				w.WriteHeader(status)
			}
			return m.Method == "notifications/initialized"
		}
		expect(t, remote(t, p.serve(t), options()), wire.EraLegacy, "a", "notification-answered", "")
	}
}

func TestAServerThatHoldsItsClientWhenItLeavesIsLeft(t *testing.T) {
	p := &webPeer{peer: &peer{legacy: true, lists: oneTool()}, sessions: true}
	p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
		if r.Method == "DELETE" {
			<-r.Context().Done()
		}
		return r.Method == "DELETE"
	}
	o := options()
	o.Limits.CloseTime = 100 * time.Millisecond
	begun := time.Now()
	expect(t, remote(t, p.serve(t), o), wire.EraLegacy, "a", "", "")
	if took := time.Since(begun); took < o.Limits.CloseTime || took > 10*time.Second {
		t.Errorf("left after %v", took)
	}
}

func TestACredentialThatTheServerPublishesIsNotInTheSurface(t *testing.T) {
	const secret = "fake-token-0123456789"
	for _, sse := range []bool{false, true} {
		p := &peer{legacy: true, lists: map[string][]string{"tools/list": {tools("a", secret)}}}
		url := (&webPeer{peer: p, sse: sse}).serve(t)
		c, err := net.BearerEnv(url, "T", func(string) (string, bool) { return secret, true })
		if err != nil {
			t.Fatal(err)
		}
		s := remote(t, url, options(), c)
		expect(t, s, wire.EraLegacy, "a "+strings.Repeat("*", len(secret)), "credential-echoed", "")
		if strings.Contains(string(s.Encode()), "0123456789") {
			t.Error("the credential is in the surface")
		}
	}
}

func TestAnInterruptedConversationIsNotClean(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p := &peer{legacy: true, caps: `{"tools":{},"prompts":{}}`, lists: oneTool()}
	p.answer = func(m msg) ([]string, bool) {
		if m.Method == "prompts/list" {
			cancel()
		}
		return nil, m.Method == "prompts/list"
	}
	var starts []*pipe
	o := options()
	s := saved(t, Surface(ctx, Stdio(p.start(&starts), o), o))
	expect(t, s, wire.EraLegacy, "a", "", "prompts:canceled")
}

func TestEveryExchangeCanBeNoted(t *testing.T) {
	var transcript []*wire.Exchange
	o := options()
	o.Note = func(ex *wire.Exchange) { transcript = append(transcript, ex) }
	remote(t, (&webPeer{peer: &peer{legacy: true, lists: oneTool()}, sse: true}).serve(t), o)
	var got []string
	for _, ex := range transcript {
		got = append(got, fmt.Sprint(ex.Verb, ex.Method, ex.Status, ex.Reply != nil, len(ex.Frames), ex.Header.MediaType()))
		if ex.Request == nil || ex.Elapsed <= 0 {
			t.Errorf("%+v", ex)
		}
	}
	if want := "[POSTserver/discover200 true 1text/event-stream POSTinitialize200 true 1text/event-stream POSTnotifications/initialized202 false 0 POSTtools/list200 true 1text/event-stream]"; fmt.Sprint(got) != want {
		t.Errorf("%v", got)
	}
}

// A soak: nothing is left running, on either transport.
func TestConversationsLeaveNothingBehind(t *testing.T) {
	p := &webPeer{peer: &peer{modern: true, legacy: true, lists: oneTool()}, sse: true, sessions: true}
	url := p.serve(t)
	old := &webPeer{peer: &peer{legacy: true, lists: oneTool()}, old: true}
	oldURL := old.serve(t)
	local(t, p.peer, options())
	remote(t, url, options())
	before := runtime.NumGoroutine()
	for range 100 {
		if s := local(t, p.peer, options()); names(s) != "a" {
			t.Fatal(s.Gaps)
		}
		if s := remote(t, url, options()); names(s) != "a" {
			t.Fatal(s.Gaps)
		}
	}
	remote(t, oldURL, options())
	for range 100 {
		if runtime.NumGoroutine() <= before+4 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, limits.MiB)
	t.Errorf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
}

// Whatever a server sends, there is a surface that can be saved, and a gap where there was no answer.
func FuzzTalk(f *testing.F) {
	hello := `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{}}}`
	list := `{"jsonrpc":"2.0","id":2,"result":{"tools":[null],"nextCursor":""}}`
	f.Add(hello+"\n"+list, false)
	f.Add("banner\n["+hello+","+hello+"]\n"+list+"\n"+strings.Replace(list, `"id":2`, `"id":3`, 1), false)
	f.Add(`{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{}}}}`+"\n"+list+"\n"+`{"jsonrpc":"2.0","id":3,"error":{"code":-32601}}`, true)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"+hello, false)
	f.Fuzz(func(t *testing.T, script string, modern bool) {
		o := options()
		o.Era = map[bool]string{true: wire.EraModern, false: wire.EraLegacy}[modern]
		l := newPipe(func(string, func(...string)) {})
		for line := range strings.Lines(script) {
			if len(l.out) < cap(l.out) {
				l.out <- line
			}
		}
		l.Close() // what it has sent can still be read
		s := saved(t, Surface(context.Background(), Stdio(func(context.Context) (Lines, error) { return &replay{l}, nil }, o), o))
		if s.HelloNode().Valid() != (s.Protocol.Era != "") || !s.HelloNode().Valid() && s.Complete() {
			t.Fatalf("%+v, gaps %v", s.Protocol, s.Gaps)
		}
		for _, k := range wire.Lists() {
			hidden := k == wire.Tools && s.Faults.Has(wire.UnannouncedList)
			if n := s.Capabilities().Get(k.Capability()); len(s.Pages[k]) > 0 && !n.Valid() && !hidden {
				t.Fatalf("%v were asked for and not announced", k)
			}
			for _, page := range s.PageNodes(k) {
				if page.Get(k.String()).Kind() != source.Array {
					t.Fatalf("a page without %v: %s", k, page.Raw())
				}
			}
		}
	})
}

// replay is a server whose output is there before its input.
type replay struct{ *pipe }

func (r *replay) WriteLine([]byte) error { return nil }

func TestASecretThatAServerRepeatsIsNotKept(t *testing.T) {
	everywhere(t, func() *peer {
		return &peer{modern: true, legacy: true, lists: map[string][]string{"tools/list": {`"tools":[{"name":"a","description":"key=ab12CD34 \"x"}]`}}}
	}, func(t *testing.T, p *peer, s *wire.Surface) {
		if text := string(s.Encode()); !strings.Contains(text, "ab12CD34") {
			t.Fatal(text) // or the test shows nothing
		}
	})
	o := options()
	o.Secrets = wire.Spellings(`ab12CD34 "x`)
	s := local(t, &peer{legacy: true, lists: map[string][]string{"tools/list": {`"tools":[{"name":"a","description":"key=ab12CD34 \"x"}]`}}}, o)
	if text := string(s.Encode()); strings.Contains(text, "ab12") || !s.Faults.Has(wire.CredentialEchoed) || !strings.Contains(text, `"name":"a"`) {
		t.Error(text)
	}
}
