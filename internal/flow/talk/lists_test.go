package talk

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

const allCaps = `{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true}}`

func TestWhatIsAnnouncedIsAskedForAndNothingElse(t *testing.T) {
	everywhere(t, func() *peer {
		return &peer{modern: true, legacy: true, caps: allCaps, lists: map[string][]string{"tools/list": {tools("a")}, "prompts/list": {`"prompts":[]`},
			"resources/list": {`"resources":[{"uri":"x:y","name":"r"}]`}, "resources/templates/list": {`"resourceTemplates":[]`}}}
	}, func(t *testing.T, p *peer, s *wire.Surface) {
		expect(t, s, wire.EraModern, "a", "", "")
		for _, k := range wire.Lists() {
			if len(s.Pages[k]) != 1 || p.saw(k.Method()) != 1 {
				t.Errorf("%v: %d pages", k, len(s.Pages[k]))
			}
		}
	})
	for caps, want := range map[string]int{`{"tools":{}}`: 1, `{"tools":true}`: 1, `{"tools":[]}`: 1, `{"tools":""}`: 1, `{"prompts":{}}`: 0} {
		p := &peer{legacy: true, caps: caps, lists: oneTool()}
		s := local(t, p, options())
		if p.saw("tools/list") != want || p.saw("resources/list") > 0 || caps != `{"prompts":{}}` && !s.Complete() {
			t.Errorf("%s: %d, %v", caps, p.saw("tools/list"), s.Gaps)
		}
		if odd := want == 1 && caps != `{"tools":{}}`; odd != s.Faults.Has(wire.BadResult) {
			t.Errorf("%s: %v", caps, s.Faults)
		}
	}
}

// Clients that do not look at capabilities get the tools of a server that announces none: it must not hide them from a scan.
func TestToolsThatAreNotAnnouncedAreFound(t *testing.T) {
	for _, caps := range []string{`{}`, `{"tools":null}`, `{"tools":false}`, `{"Tools":{}}`} {
		s := local(t, &peer{legacy: true, caps: caps, lists: oneTool()}, options())
		if expect(t, s, wire.EraLegacy, "a", "unannounced-list", ""); len(s.Pages[wire.Prompts]) > 0 {
			t.Errorf("%s: %v", caps, s.Pages)
		}
	}
	// One that has none either says so by an error, and that is right.
	s := local(t, &peer{legacy: true, caps: `{}`, lists: map[string][]string{}}, options())
	expect(t, s, wire.EraLegacy, "", "", "")
}

func TestPagesAreReadToTheEnd(t *testing.T) {
	everywhere(t, func() *peer {
		return &peer{modern: true, lists: map[string][]string{"tools/list": {tools("a", "b"), tools(), tools("c")}}}
	}, func(t *testing.T, p *peer, s *wire.Surface) {
		expect(t, s, wire.EraModern, "a b c", "", "")
		if len(s.Pages[wire.Tools]) != 3 {
			t.Errorf("%d pages", len(s.Pages[wire.Tools]))
		}
	})
}

// list is a legacy server whose tools/list is the function of its cursor ("-" for none).
func list(f func(cursor string) string) *peer {
	return &peer{legacy: true, answer: func(m msg) ([]string, bool) {
		if m.Method != "tools/list" {
			return nil, false
		}
		cursor := "-"
		if m.Params.Cursor != nil {
			cursor = *m.Params.Cursor
		}
		return []string{m.result(f(cursor))}, true
	}}
}

func TestCursorsAreFollowedWithinReason(t *testing.T) {
	for _, c := range []struct {
		name                string
		f                   func(cursor string) string
		tools, faults, gaps string
	}{
		{"an empty cursor is a cursor", func(c string) string {
			return map[string]string{"-": `{` + tools("a") + `,"nextCursor":""}`, "": `{` + tools("b") + `}`}[c]
		}, "a b", "", ""},
		{"an empty cursor that means the end", func(c string) string { return `{` + tools("a") + `,"nextCursor":""}` }, "a", "repeated-cursor", ""},
		{"a circle", func(c string) string {
			return map[string]string{"-": `{` + tools("a") + `,"nextCursor":"1"}`, "1": `{` + tools("b") + `,"nextCursor":"2"}`, "2": `{` + tools("c") + `,"nextCursor":"1"}`}[c]
		}, "a b c", "repeated-cursor", ""},
		{"null means the end", func(c string) string { return `{` + tools("a") + `,"nextCursor":null}` }, "a", "bad-cursor", ""},
		{"a number", func(c string) string { return `{` + tools("a") + `,"nextCursor":7}` }, "a", "bad-cursor", "tools:truncated"},
		{"a long cursor", func(c string) string { return `{` + tools("a") + `,"nextCursor":"` + strings.Repeat("x", 5000) + `"}` }, "a", "bad-cursor", "tools:truncated"},
		{"an escaped cursor goes back as it came", func(c string) string {
			return map[string]string{"-": `{` + tools("a") + `,"nextCursor":"\u00e9\"<"}`, `é"<`: `{` + tools("b") + `}`}[c]
		}, "a b", "", ""},
		{"null among the tools", func(c string) string { return `{"tools":[null,7]}` }, " ", "", ""},
		{"null for the tools", func(c string) string { return `{"tools":null}` }, "", "bad-result", "tools:answer"},
		{"no tools", func(c string) string { return `{}` }, "", "bad-result", "tools:answer"},
		{"a result that is a list", func(c string) string { return `[]` }, "", "bad-result", "tools:answer"},
	} {
		s := local(t, list(c.f), options())
		if names(s) != c.tools || faults(s) != c.faults || gaps(s) != c.gaps {
			t.Errorf("%s: tools %q, faults %q, gaps %v", c.name, names(s), faults(s), s.Gaps)
		}
	}
}

func TestEndlessListsAreCutAndSaidToBe(t *testing.T) {
	n := 0
	endless := func(string) string { n++; return fmt.Sprintf(`{%s,"nextCursor":"%d"}`, tools(fmt.Sprint("t", n)), n) }
	o := options()
	o.Limits.ListPages = 20
	s := local(t, list(endless), o)
	if gaps(s) != "tools:truncated" || len(s.Pages[wire.Tools]) != 20 {
		t.Errorf("pages: %d, %v", len(s.Pages[wire.Tools]), s.Gaps)
	}
	o = options()
	o.Limits.ListItems = 10
	if s = local(t, list(endless), o); gaps(s) != "tools:truncated" || len(s.Pages[wire.Tools]) != 10 {
		t.Errorf("items: %d, %v", len(s.Pages[wire.Tools]), s.Gaps)
	}
	o = options()
	o.Limits.SurfaceBytes = 500
	if s = local(t, list(endless), o); gaps(s) != "tools:truncated" || len(s.Pages[wire.Tools]) > 8 {
		t.Errorf("bytes: %d, %v", len(s.Pages[wire.Tools]), s.Gaps)
	}
	o = options()
	o.Limits.SurfaceValues = 50
	if s = local(t, list(endless), o); gaps(s) != "tools:truncated" {
		t.Errorf("values: %d, %v", len(s.Pages[wire.Tools]), s.Gaps)
	}
	o = options()
	o.Limits.RunTime = 200 * time.Millisecond
	slow := list(func(c string) string { time.Sleep(20 * time.Millisecond); return endless(c) })
	if s = local(t, slow, o); gaps(s) != "tools:timeout" || len(s.Pages[wire.Tools]) == 0 {
		t.Errorf("time: %d, %v", len(s.Pages[wire.Tools]), s.Gaps)
	}
}

// A hundred thousand tools in pages, and in one page.
func TestMoreToolsThanAreReadAreNotForgotten(t *testing.T) {
	page := strings.TrimSuffix(strings.Repeat(`{"name":"a"},`, 1000), ",")
	n := 0
	s := local(t, list(func(string) string { n++; return fmt.Sprintf(`{"tools":[%s],"nextCursor":"%d"}`, page, n) }), options())
	if gaps(s) != "tools:truncated" || len(s.Pages[wire.Tools]) != options().Limits.ListItems/1000 {
		t.Errorf("%d pages, %v", len(s.Pages[wire.Tools]), s.Gaps)
	}
	all := strings.TrimSuffix(strings.Repeat(page+",", 100), ",")
	s = local(t, list(func(string) string { return `{"tools":[` + all + `]}` }), options())
	if !s.Complete() || len(s.Pages[wire.Tools][0]) < len(all) {
		t.Errorf("one page: %v", s.Gaps)
	}
}

func TestAListThatIsAnnouncedAndRefusedIsAFaultAndAGap(t *testing.T) {
	everywhere(t, func() *peer { return &peer{modern: true, caps: `{"tools":{},"prompts":{}}`, lists: oneTool()} }, func(t *testing.T, p *peer, s *wire.Surface) {
		expect(t, s, wire.EraModern, "a", "refused-list", "prompts:error")
	})
	// Resource templates hide behind the capability of resources, and servers without any have no method for them.
	s := local(t, &peer{legacy: true, caps: `{"resources":{}}`, lists: map[string][]string{"resources/list": {`"resources":[]`}}}, options())
	expect(t, s, wire.EraLegacy, "", "refused-list", "")
}

func TestAModernResultLacksItsMembers(t *testing.T) {
	// supergateway 4.0.0 lets modern requests through and gives results of another age.
	p := &peer{modern: true, lists: oneTool(), answer: func(m msg) ([]string, bool) {
		return []string{m.result("{" + tools("a") + "}")}, m.Method == "tools/list"
	}}
	expect(t, local(t, p, options()), wire.EraModern, "a", "missing-cache-scope missing-result-type missing-ttl", "")
	p = &peer{modern: true, lists: oneTool(), answer: func(m msg) ([]string, bool) {
		return []string{m.result("{" + tools("a") + `,"resultType":"input_required","ttlMs":1,"cacheScope":"private"}`)}, m.Method == "tools/list"
	}}
	expect(t, local(t, p, options()), wire.EraModern, "", "bad-result", "tools:answer")
	n := 0
	p = &peer{modern: true, answer: func(m msg) ([]string, bool) {
		if m.Method != "tools/list" {
			return nil, false
		}
		n++
		return []string{m.result("{" + tools("a") + `,"resultType":"complete","ttlMs":1,"cacheScope":` + []string{"", `"private","nextCursor":"x"`, `"public"`}[n] + `}`)}, true
	}}
	expect(t, local(t, p, options()), wire.EraModern, "a a", "mixed-cache-scope", "")
}

func TestOnlyListsAreRepeatedAndOnlyTwice(t *testing.T) {
	type answer struct {
		status int
		after  string
	}
	for _, c := range []struct {
		name    string
		answers []answer // of tools/list, before it works; status 0 breaks the connection
		asked   int
		gaps    string
	}{
		{"busy once", []answer{{503, ""}}, 2, ""}, {"busy twice", []answer{{429, ""}, {502, ""}}, 3, ""}, {"busy for long", []answer{{504, ""}, {503, ""}, {502, ""}, {429, ""}}, 3, "tools:status"},
		{"broken once", []answer{{0, ""}}, 2, ""}, {"broken for long", []answer{{0, ""}, {0, ""}, {0, ""}}, 3, "tools:broken"},
		{"not busy", []answer{{500, ""}}, 1, "tools:status"}, {"no", []answer{{403, ""}}, 1, "tools:unauthorized"},
		{"a pause that is too long", []answer{{503, "31"}}, 1, "tools:status"}, {"a date that is too far", []answer{{503, "Mon, 02 Jan 2090 15:04:05 GMT"}}, 1, "tools:status"},
		{"a date that is over", []answer{{503, "Mon, 02 Jan 2006 15:04:05 GMT"}}, 2, ""}, {"a pause that makes no sense", []answer{{503, "soon"}}, 2, ""},
		{"no pause", []answer{{503, "0"}}, 2, ""},
	} {
		n := 0
		p := &webPeer{peer: &peer{legacy: true, lists: oneTool()}, sessions: true}
		p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if m.Method != "tools/list" {
				return false
			}
			if n++; n > len(c.answers) {
				return false
			}
			a := c.answers[n-1]
			if a.status == 0 {
				panic(http.ErrAbortHandler)
			}
			if a.after != "" {
				w.Header().Set("Retry-After", a.after)
			}
			w.WriteHeader(a.status)
			return true
		}
		s := remote(t, p.serve(t), options())
		if n != c.asked || gaps(s) != c.gaps {
			t.Errorf("%s: asked %d times, want %d; gaps %v", c.name, n, c.asked, s.Gaps)
		}
	}
	p := &webPeer{peer: &peer{legacy: true, lists: oneTool()}}
	n := 0
	p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
		if m.Method == "initialize" {
			n++
			w.WriteHeader(503)
		}
		return m.Method == "initialize"
	}
	if s := remote(t, p.serve(t), options()); n != 1 || gaps(s) != "handshake:status" {
		t.Errorf("initialize was sent %d times, gaps %v", n, s.Gaps)
	}
}

func TestAPauseThatAServerAsksForIsKept(t *testing.T) {
	n := 0
	p := &webPeer{peer: &peer{legacy: true, lists: oneTool()}}
	p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
		if m.Method == "tools/list" {
			n++
		}
		if m.Method != "tools/list" || n > 1 {
			return false
		}
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(429)
		return true
	}
	o := options()
	o.Limits.RunTime = 300 * time.Millisecond // it would be a second
	if s := remote(t, p.serve(t), o); n != 1 || gaps(s) != "tools:timeout" {
		t.Errorf("asked %d times, %v", n, s.Gaps)
	}
}

func TestASessionThatWasForgottenIsBegunAgainOnce(t *testing.T) {
	for forget, want := range map[int]string{1: "", 2: "tools:status"} {
		lists := 0
		p := &webPeer{peer: &peer{legacy: true, lists: map[string][]string{"tools/list": {tools("a"), tools("b")}}}, sessions: true}
		p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if m.Method == "initialize" && r.Header.Get("Mcp-Session-Id") != "" {
				t.Error("initialize names a session")
			}
			if m.Method == "tools/list" {
				if lists++; lists >= 2 && lists < 2+forget {
					clear(p.live)
				}
			}
			return false
		}
		s := remote(t, p.serve(t), options())
		if gaps(s) != want || !s.Faults.Has(wire.SessionLost) || p.saw("initialize") != 2 || want == "" && names(s) != "a b" {
			t.Errorf("forgotten %d times: tools %q, faults %q, gaps %v", forget, names(s), faults(s), s.Gaps)
		}
	}
}

func TestASessionIDThatCanNotBeSentIsAFault(t *testing.T) {
	for _, id := range []string{"a b", "é", strings.Repeat("x", 2000)} {
		p := &webPeer{peer: &peer{legacy: true, lists: oneTool()}}
		p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if r.Header.Get("Mcp-Session-Id") != "" {
				t.Errorf("%.10q was sent back", id)
			}
			w.Header().Set("Mcp-Session-Id", id)
			return false
		}
		expect(t, remote(t, p.serve(t), options()), wire.EraLegacy, "a", "bad-session", "")
	}
}

func TestABrokenStreamIsTakenUpBehindItsLastEvent(t *testing.T) {
	for breaks, want := range map[int]string{0: "", 1: "", 3: "", 100: "tools:broken"} {
		lists, resumed := 0, []string{}
		p := &webPeer{peer: &peer{legacy: true, lists: oneTool()}, sse: true}
		answer := ""
		p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if m.Method == "tools/list" {
				answer = p.reply(m)[0]
				lists++
			} else if r.Method != "GET" || answer == "" {
				return false
			}
			if id := r.Header.Get("Last-Event-ID"); id != "" {
				resumed = append(resumed, id)
			}
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "retry: 1\nid: e%d\ndata:\n\n", len(resumed))
			if len(resumed) >= breaks {
				fmt.Fprintf(w, "data: %s\n\n", answer)
			}
			return true
		}
		s := remote(t, p.serve(t), options())
		if gaps(s) != want || want == "" && (len(resumed) != breaks || names(s) != "a" || lists != 1) {
			t.Errorf("%d breaks: resumed %v, tools %q, gaps %v", breaks, resumed, names(s), s.Gaps)
		}
		if want != "" && (lists != 3 || len(resumed) != 9) {
			t.Errorf("%d breaks: %d lists, resumed %v", breaks, lists, resumed)
		}
	}
}

// What a server takes back while it is read is not what it exposes, whether or not anybody waits for news.
func TestAListThatChangesWhileItIsReadIsReadAgain(t *testing.T) {
	p := &peer{legacy: true, caps: `{"tools":{"listChanged":true}}`}
	n := 0
	p.answer = func(m msg) ([]string, bool) {
		if m.Method != "tools/list" {
			return nil, false
		}
		n++
		return []string{`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, m.result("{" + tools(fmt.Sprint("v", n)) + "}")}, true
	}
	s := local(t, p, options())
	expect(t, s, wire.EraLegacy, "v2", "", "")
	if len(s.EarlierNodes(wire.Tools)) != 1 || n != 2 {
		t.Errorf("%d lists, earlier %v", n, s.Earlier)
	}
}

func TestARefreshAsksAgainWhenTheServerSaysSo(t *testing.T) {
	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	o := options()
	o.Refresh = 300 * time.Millisecond
	t.Run("stdio", func(t *testing.T) {
		p := &peer{legacy: true, caps: allCaps, lists: map[string][]string{"prompts/list": {`"prompts":[]`}, "resources/list": {`"resources":[]`}, "resources/templates/list": {`"resourceTemplates":[]`}}}
		n := 0
		p.answer = func(m msg) ([]string, bool) {
			if m.Method != "tools/list" {
				return nil, false
			}
			n++
			return []string{m.result("{" + tools(fmt.Sprint("v", n)) + "}"), changed}, true
		}
		s := local(t, p, o)
		expect(t, s, wire.EraLegacy, "v2", "", "")
		if len(s.EarlierNodes(wire.Tools)) != 1 || s.Earlier[wire.Prompts] != nil || n != 2 {
			t.Errorf("%d lists, earlier %v", n, s.Earlier)
		}
	})
	t.Run("modern http", func(t *testing.T) {
		p := &webPeer{peer: &peer{modern: true, caps: `{"tools":{"listChanged":true}}`}}
		n := 0
		p.answer = func(m msg) ([]string, bool) {
			n++
			return []string{m.result("{" + tools(fmt.Sprint("v", n)) + modernMembers + "}")}, m.Method == "tools/list"
		}
		p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if m.Method != "subscriptions/listen" {
				return false
			}
			write(w, true, []string{`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}`})
			w.(http.Flusher).Flush()
			time.Sleep(50 * time.Millisecond)
			write(w, true, []string{changed})
			return true
		}
		s := remote(t, p.serve(t), o)
		if len(s.EarlierNodes(wire.Tools)) != 1 || !s.Complete() {
			t.Errorf("earlier %v, gaps %v", s.Earlier, s.Gaps)
		}
	})
	t.Run("legacy http", func(t *testing.T) {
		p := &webPeer{peer: &peer{legacy: true, caps: `{"tools":{"listChanged":true}}`, lists: oneTool()}, sessions: true}
		p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if r.Method == "GET" {
				write(w, true, []string{changed})
			}
			return r.Method == "GET"
		}
		if s := remote(t, p.serve(t), o); p.saw("tools/list") != 2 || !s.Complete() || s.Earlier[wire.Tools] != nil {
			t.Errorf("%d lists, gaps %v", p.saw("tools/list"), s.Gaps)
		}
	})
	// XS-MLVP/UCAgent#127: 406 is the answer of a server without such a stream, and speaks of no login.
	for _, status := range []int{404, 405, 406} {
		p := &webPeer{peer: &peer{legacy: true, caps: `{"tools":{"listChanged":true}}`, lists: oneTool()}}
		p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if r.Method == "GET" {
				w.WriteHeader(status)
			}
			return r.Method == "GET"
		}
		if s := remote(t, p.serve(t), o); names(s) != "a" || faults(s) != "" || !s.Complete() {
			t.Errorf("HTTP %d: %v %v", status, s.Faults, s.Gaps)
		}
		for _, r := range p.requests {
			if r.URL.Path != "/mcp" {
				t.Errorf("HTTP %d: %s was asked", status, r.URL.Path)
			}
		}
	}
	t.Run("the old transport", func(t *testing.T) {
		p := &webPeer{peer: &peer{legacy: true, version: wire.V20241105, caps: `{"tools":{"listChanged":true}}`, lists: oneTool()}, old: true}
		url := p.serve(t)
		time.AfterFunc(100*time.Millisecond, func() { p.stream <- changed })
		if s := remote(t, url, o); p.saw("tools/list") != 2 || !s.Complete() {
			t.Errorf("%d lists, gaps %v", p.saw("tools/list"), s.Gaps)
		}
	})
	t.Run("no news", func(t *testing.T) {
		for _, caps := range []string{`{"tools":{"listChanged":true}}`, `{"tools":{}}`} {
			p := &peer{legacy: true, modern: true, caps: caps, lists: oneTool()}
			begun := time.Now()
			s := local(t, p, o)
			waited := time.Since(begun) >= o.Refresh
			if p.saw("tools/list") != 1 || !s.Complete() || waited != strings.Contains(caps, "true") && p.saw("subscriptions/listen") == 0 {
				t.Errorf("%s: %d lists, gaps %v, waited %v", caps, p.saw("tools/list"), s.Gaps, waited)
			}
		}
	})
	t.Run("refused", func(t *testing.T) {
		p := &peer{modern: true, caps: `{"tools":{"listChanged":true}}`, lists: oneTool(), answer: func(m msg) ([]string, bool) {
			return []string{m.err(-32603, "")}, m.Method == "subscriptions/listen"
		}}
		if s := local(t, p, o); gaps(s) != "refresh:error" {
			t.Errorf("%v", s.Gaps)
		}
	})
	t.Run("another order", func(t *testing.T) {
		n := 0
		p := &peer{legacy: true, caps: `{"tools":{"listChanged":true}}`, answer: func(m msg) ([]string, bool) {
			if m.Method != "tools/list" {
				return nil, false
			}
			n++
			return []string{m.result("{" + []string{tools("b", "a"), tools("a", "b")}[n%2] + "}"), changed}, true
		}}
		expect(t, local(t, p, o), wire.EraLegacy, "b a", "unstable-order", "")
	})
}
