package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/effect/listen"
	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Whatever a stranger sends gets a JSON-RPC error with the status of its era, and the server stays.
func TestBadMessagesGetErrors(t *testing.T) {
	t.Parallel()
	origin := usual().open(t)
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	modern := map[string]string{"mcp-protocol-version": wire.Modern, "mcp-method": "tools/list"}
	for name, c := range map[string]struct {
		body         string
		fields       map[string]string
		status, code int
		id           string
	}{
		"no body":                   {"", nil, 400, -32700, "null"},
		"blank":                     {"  \n", nil, 400, -32700, "null"},
		"a web page":                {"<!doctype html><html>", nil, 400, -32700, "null"},
		"half an object":            {`{"jsonrpc":"2.0"`, nil, 400, -32700, "null"},
		"two values":                {ping + ping, nil, 400, -32700, "null"},
		"a comment":                 {"// hi\n" + ping, nil, 400, -32700, "null"},
		"a byte order mark":         {"\xEF\xBB\xBF" + ping, nil, 400, -32700, "1"},
		"bytes that are no UTF-8":   {`{"jsonrpc":"2.0","id":1,"method":"` + "\xff\xfe" + `"}`, nil, 400, -32700, "1"},
		"half a surrogate pair":     {`{"jsonrpc":"2.0","id":1,"method":"\ud800"}`, nil, 400, -32700, "1"},
		"5,000 arrays":              {deep, nil, 400, -32600, "null"},
		"5,000 arrays in params":    {`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + deep + `}`, nil, 400, -32600, "null"},
		"a number":                  {"7", nil, 400, -32600, "null"},
		"a string":                  {`"ping"`, nil, 400, -32600, "null"},
		"null":                      {"null", nil, 400, -32600, "null"},
		"no method":                 {`{"jsonrpc":"2.0","id":1}`, nil, 400, -32600, "1"},
		"a method that is a number": {`{"jsonrpc":"2.0","id":1,"method":7}`, nil, 400, -32600, "1"},
		"version 1.0":               {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, nil, 400, -32600, "1"},
		"an id of null":             {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil, 400, -32600, "null"},
		"an id that is an object":   {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, nil, 400, -32600, "null"},
		"an id with a fraction":     {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, nil, 400, -32600, "null"},
		"an id as long as a page":   {`{"jsonrpc":"2.0","id":"` + strings.Repeat("i", 2000) + `","method":"ping"}`, nil, 400, -32600, "null"},
		"a member twice":            {`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`, nil, 400, -32600, "1"},
		"a response":                {`{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 400, -32600, "null"},
		"an empty batch":            {"[]", nil, 400, -32600, "null"},
		"a batch since 2025-06-18":  {"[" + ping + "]", map[string]string{"mcp-protocol-version": "2025-06-18"}, 400, -32600, "null"},
		"a batch of 33":             {"[" + strings.Repeat(ping+",", 32) + ping + "]", nil, 400, -32600, "null"},
		"params that are an array":  {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}`, nil, 200, -32602, "1"},
		"params that are null":      {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}`, nil, 200, -32602, "1"},
		"arguments that are a list": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":[]}}`, nil, 200, -32602, "1"},
		"a name that is a number":   {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`, nil, 200, -32602, "1"},
		"initialize of nothing":     {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, nil, 200, -32602, "1"},
		"a resource that is none":   {`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`, nil, 200, -32002, "1"},
		"a removed method":          {`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`, nil, 200, -32601, "1"},
		"a fault in a header twice": {ping, map[string]string{"mcp-protocol-version": "banana"}, 400, -32022, "1"},
		"modern, without _meta":     {`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, modern, 400, -32602, "1"},
		"modern, bad JSON":          {`{not json`, modern, 400, -32700, "null"},
		"modern, a version that is an object": {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"` + wire.MetaVersion + `":{}}}}`, modern,
			400, -32602, "1"},
		"modern, a client that is a list": {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"` + wire.MetaVersion + `":"` + wire.Modern +
			`","` + wire.MetaCapabilities + `":{},"` + wire.MetaClient + `":[]}}}`, modern, 400, -32602, "1"},
	} {
		t.Run(name, func(t *testing.T) {
			g := send(t, "POST", origin+"/mcp", c.body, c.fields)
			var m struct {
				JSONRPC string
				ID      json.RawMessage
				Error   *struct {
					Code    int
					Message string
				}
			}
			if err := json.Unmarshal([]byte(g.body), &m); err != nil || m.Error == nil || m.JSONRPC != "2.0" || g.header.Get("Content-Type") != "application/json" {
				t.Fatalf("no JSON-RPC error: %d %q", g.status, g.body)
			}
			if g.status != c.status || m.Error.Code != c.code || string(m.ID) != c.id || m.Error.Message == "" {
				t.Errorf("%d, %d, id %s: want %d, %d, id %s: %s", g.status, m.Error.Code, m.ID, c.status, c.code, c.id, g.body)
			}
		})
	}
	if g := send(t, "POST", origin+"/mcp", ping, nil); g.status != 200 {
		t.Errorf("the server did not stay: %d %s", g.status, g.body)
	}
}

func TestARequestThatIsNoneOfTheTransportIsRefused(t *testing.T) {
	t.Parallel()
	origin := usual().open(t)
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, c := range map[string]struct {
		verb, path string
		fields     map[string]string
		status     int
	}{
		"GET":                        {"GET", "/mcp", nil, 405},
		"PUT":                        {"PUT", "/mcp", nil, 405},
		"DELETE":                     {"DELETE", "/mcp", nil, 405},
		"OPTIONS":                    {"OPTIONS", "/mcp/lint", nil, 405},
		"a document that is posted":  {"POST", "/llms.txt", nil, 405},
		"another path":               {"POST", "/mcp2", nil, 404},
		"a path with dots":           {"GET", "/mcp/../../etc/passwd", nil, 404},
		"text":                       {"POST", "/mcp", map[string]string{"content-type": "text/plain"}, 415},
		"a form":                     {"POST", "/mcp", map[string]string{"content-type": "application/x-www-form-urlencoded"}, 415},
		"no type":                    {"POST", "/mcp", map[string]string{"content-type": ""}, 415},
		"accepts pages alone":        {"POST", "/mcp", map[string]string{"accept": "text/html"}, 406},
		"accepts nothing":            {"POST", "/mcp", map[string]string{"accept": "application/json;q=0"}, 406},
		"accepts all":                {"POST", "/mcp", map[string]string{"accept": "*/*"}, 200},
		"accepts what it must not":   {"POST", "/mcp", map[string]string{"accept": ""}, 200},
		"a type with a parameter":    {"POST", "/mcp", map[string]string{"content-type": "application/json; charset=utf-8"}, 200},
		"an evil Origin":             {"POST", "/mcp", map[string]string{"origin": "http://evil.example"}, 403},
		"an Origin of null":          {"POST", "/mcp", map[string]string{"origin": "null"}, 403},
		"an Origin of this machine":  {"POST", "/mcp", map[string]string{"origin": "http://localhost:6274"}, 200},
		"an Origin that begins well": {"POST", "/mcp", map[string]string{"origin": "http://localhost.evil.example"}, 403},
		"an Origin with a trick":     {"POST", "/mcp", map[string]string{"origin": "http://localhost@evil.example"}, 403},
		"an evil Host":               {"POST", "/mcp", map[string]string{"host": "evil.example"}, 403},
		"an evil Host on a document": {"GET", "/.well-known/mcp.json", map[string]string{"host": "evil.example:80"}, 403},
		"Host and Origin evil alike": {"POST", "/mcp", map[string]string{"host": "evil.example", "origin": "http://evil.example"}, 403},
		"Host localhost":             {"POST", "/mcp", map[string]string{"host": "localhost:1"}, 200},
		"Host ::1":                   {"POST", "/mcp", map[string]string{"host": "[::1]:1"}, 200},
		"Host begins well":           {"POST", "/mcp", map[string]string{"host": "localhost.evil.example"}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			body := ping
			if c.verb == "GET" {
				body = ""
			}
			g := send(t, c.verb, origin+c.path, body, c.fields)
			if g.status != c.status || !json.Valid([]byte(g.body)) {
				t.Errorf("%d, want %d: %s", g.status, c.status, g.body)
			}
			if c.status == 405 && g.header.Get("Allow") == "" {
				t.Error("405 without Allow")
			}
		})
	}
}

func TestABodyOverTheLimitIsRefusedUnread(t *testing.T) {
	t.Parallel()
	origin := usual().open(t)
	max := limits.Default.AskedBytes
	frame := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lint_config","arguments":{"config":""}}}`
	fits := strings.Replace(frame, `""`, `"`+strings.Repeat("a", max-len(frame))+`"`, 1)
	for _, chunked := range []bool{false, true} {
		for over, status := range map[int]int{0: 200, 1: 413, 1 << 20: 413} {
			body := io.Reader(strings.NewReader(fits + strings.Repeat(" ", over)))
			if chunked {
				body = io.MultiReader(body)
			}
			r, _ := http.NewRequest("POST", origin+"/mcp", body)
			r.Header.Set("Content-Type", "application/json")
			resp, err := client.Do(r)
			if err != nil {
				t.Fatalf("%d over, chunked %v: %v", over, chunked, err)
			}
			raw, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if g := (got{body: string(raw)}); resp.StatusCode != status || status == 413 && g.code() != -32600 {
				t.Errorf("%d over, chunked %v: %d %.200s", over, chunked, resp.StatusCode, raw)
			}
		}
	}
}

// raw sends bytes to an origin and gives what comes back until the connection ends.
func raw(t *testing.T, origin string, pause time.Duration, parts ...string) string {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(origin, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	for _, p := range parts {
		if _, err := io.WriteString(c, p); err != nil {
			break
		}
		time.Sleep(pause)
	}
	all, err := io.ReadAll(c)
	if err != nil && strings.Contains(err.Error(), "timeout") {
		t.Errorf("the connection stayed open: %q", all)
	}
	return string(all)
}

func TestASlowHeaderAndASlowBodyEnd(t *testing.T) {
	t.Parallel()
	s := usual()
	s.lim.ServeHeaderTime, s.lim.ServeBodyTime, s.lim.ServeIdle = 100*time.Millisecond, 100*time.Millisecond, 100*time.Millisecond
	origin := s.open(t)
	if got := raw(t, origin, 20*time.Millisecond, "POST /mcp HTTP/1.1\r\n", "Host: localhost\r\n", "A: b\r\n", "C: d\r\n", "E: f\r\n", "G: h\r\n", "I: j\r\n"); strings.Contains(got, "200") {
		t.Errorf("a header that does not end got %q", got)
	}
	head := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
	if got := raw(t, origin, 30*time.Millisecond, head, "{", `"`, "a", "b", "c", "d", "e"); !strings.HasPrefix(got, "HTTP/1.1 408 ") {
		t.Errorf("a body that does not end got %q", got)
	}
	if got := raw(t, origin, 0, "GET /llms.txt HTTP/1.1\r\nHost: localhost\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("a connection that falls silent got %q", got)
	}
}

func TestWhatIsNoHTTPIsRefused(t *testing.T) {
	t.Parallel()
	origin := usual().open(t)
	for _, bytes := range []string{"{\"jsonrpc\":\"2.0\"}\n\n", "GET / HTTP/9.9\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "GET /mcp HTTP/1.1\r\n\r\n",
		"POST /mcp HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n",
		"GET /mcp HTTP/1.1\r\nHost: localhost\r\nA: " + strings.Repeat("a", 2*limits.Default.AskedHeader) + "\r\n\r\n"} {
		got := raw(t, origin, 0, bytes+"\r\n")
		if got != "" && !strings.HasPrefix(got, "HTTP/1.1 4") && !strings.HasPrefix(got, "HTTP/1.1 505") {
			t.Errorf("%.60q got %.80q", bytes, got)
		}
	}
}

func TestAThousandCallersAreAnswered(t *testing.T) {
	t.Parallel()
	origin := usual().open(t)
	var bad atomic.Int64
	var wg sync.WaitGroup
	pool := &http.Client{Timeout: 60 * time.Second, Transport: &http.Transport{MaxConnsPerHost: 1000, DisableKeepAlives: true}}
	for i := range 1000 {
		wg.Go(func() {
			r, _ := http.NewRequest("POST", origin+"/mcp", strings.NewReader(call(i, "explain_rule", `{"rule":"x"}`)))
			r.Header.Set("Content-Type", "application/json")
			resp, err := pool.Do(r)
			if err != nil {
				bad.Add(1)
				return
			}
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != 200 || !strings.Contains(string(body), fmt.Sprintf(`"id":%d,`, i)) {
				bad.Add(1)
			}
		})
	}
	wg.Wait()
	if bad.Load() > 0 {
		t.Errorf("%d of 1,000 callers got no answer", bad.Load())
	}
}

func TestBodiesShareTheRoomThatThereIs(t *testing.T) {
	t.Parallel()
	s := usual()
	s.lim.AskedHeld = 64 << 10
	origin := s.open(t)
	head := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 60000\r\n\r\n"
	c, err := net.Dial("tcp", strings.TrimPrefix(origin, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, head)
	if n, err := c.Read(make([]byte, 64)); n == 0 { // it may go on: the body has its room
		t.Fatal(err)
	}
	got := raw(t, origin, 0, head)
	if !strings.HasPrefix(got, "HTTP/1.1 429 ") || !strings.Contains(got, "Retry-After: ") {
		t.Errorf("the second body got %q", got)
	}
	_ = c.Close()
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for i := 0; ; i++ {
		if g := send(t, "POST", origin+"/mcp", ping+strings.Repeat(" ", 60000), nil); g.status == 200 {
			break
		} else if i == 100 {
			t.Fatalf("the room is not given back: %d", g.status)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestMoreConnectionsThanThereMayBeWait(t *testing.T) {
	t.Parallel()
	s := usual()
	s.lim.ServeConns = 2
	origin := s.open(t)
	ask := "GET /changes.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
	var open []net.Conn
	for range 3 {
		c, err := net.Dial("tcp", strings.TrimPrefix(origin, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = io.WriteString(c, ask)
		open = append(open, c)
	}
	for _, c := range open[:2] {
		if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil {
			t.Fatal(err)
		}
	}
	_ = open[2].SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if n, _ := open[2].Read(make([]byte, 1)); n > 0 {
		t.Error("a third connection is answered while two are open")
	}
	_ = open[0].Close()
	_ = open[2].SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := http.ReadResponse(bufio.NewReader(open[2]), nil); err != nil {
		t.Errorf("the third connection is not answered once there is room: %v", err)
	}
}

func TestACallerWhoDoesNotReadIsLeft(t *testing.T) {
	t.Parallel()
	s := usual()
	s.lim.ServeWriteTime, s.lim.ServeConns = 100*time.Millisecond, 1
	s.jobs = &work{pages: strings.Repeat("page ", 2<<20)} // more than the system keeps for a reader
	origin := s.open(t)
	body := call(1, "explain_rule", `{"rule":"long"}`)
	c, err := net.Dial("tcp", strings.TrimPrefix(origin, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
	_, _ = fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	if n, err := c.Read(make([]byte, 1)); n == 0 {
		t.Fatal(err)
	}
	if g := send(t, "GET", origin+"/changes.json", "", nil); g.status != 200 { // on the one connection that there is
		t.Errorf("%d", g.status)
	}
}

func TestTheEndOfTheServerWaitsForNoCallThatHangs(t *testing.T) {
	t.Parallel()
	s, w := usual(), &work{hold: make(chan struct{}), begun: make(chan struct{}), gone: make(chan struct{})}
	s.jobs, s.lim.ServeEnd = w, 50*time.Millisecond
	server := s.server(t, false)
	ctx, stop := context.WithCancel(context.Background())
	door, err := listen.Open(ctx, "127.0.0.1:0", listen.Options{Admit: server.Admit, Handle: server.Handle, Limits: s.lim})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- door.Serve(ctx) }()
	go func() {
		r, _ := http.NewRequest("POST", "http://"+door.Address().String()+"/mcp", strings.NewReader(call(1, "score_card", `{"url":"https://mcp.vendor.com/mcp"}`)))
		r.Header.Set("Content-Type", "application/json")
		_, _ = client.Do(r)
	}()
	<-w.begun
	stop()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it waits")
	}
	<-w.gone
}

func TestACallerWhoGoesEndsItsCall(t *testing.T) {
	t.Parallel()
	s, w := usual(), &work{hold: make(chan struct{}), begun: make(chan struct{}), gone: make(chan struct{})}
	s.jobs = w
	origin := s.open(t)
	ctx, cancel := context.WithCancel(context.Background())
	r, _ := http.NewRequestWithContext(ctx, "POST", origin+"/mcp", strings.NewReader(call(1, "score_card", `{"url":"https://mcp.vendor.com/mcp"}`)))
	r.Header.Set("Content-Type", "application/json")
	go func() {
		<-w.begun
		cancel()
	}()
	if _, err := client.Do(r); err == nil {
		t.Error("the call was answered")
	}
	select {
	case <-w.gone:
	case <-time.After(10 * time.Second):
		t.Error("the work goes on after its caller went")
	}
}

func TestAFaultOfOursIsAFailedCallAndTheServerStays(t *testing.T) {
	t.Parallel()
	origin := usual().open(t)
	for range 2 {
		g := send(t, "POST", origin+"/mcp", call(1, "explain_rule", `{"rule":"boom"}`), nil)
		if g.status != 200 || !strings.Contains(g.body, `"isError":true`) || strings.Contains(g.body, "a fault of ours") {
			t.Errorf("%d %s", g.status, g.body)
		}
	}
}

// What one call leaves behind must not add up.
func TestMemoryIsFlatOverManyCalls(t *testing.T) {
	s := usual().server(t, false)
	bodies := []string{call(1, "list_rules", `{}`), call(2, "whoami", `{}`), call(3, "lint_config", `{"config":"{}"}`), `{not json`, `{"id":1}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`}
	round := func(n int) uint64 {
		for i := range n {
			r := &wire.Asked{Verb: "POST", Path: "/mcp", From: "127.0.0.1", Body: []byte(bodies[i%len(bodies)]), Header: wire.Header{"host": {"localhost"},
				"content-type": {"application/json"}, "user-agent": {fmt.Sprintf("caller %d", i%5000)}}}
			if a := s.Handle(context.Background(), r); a.Status > 499 {
				t.Fatalf("%d", a.Status)
			}
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := round(10_000) // the memory of callers is full
	if after := round(20_000); after > before+1<<20 {
		t.Errorf("20,000 calls left %d KiB", (after-before)>>10)
	}
}

// Any body, in any era: one JSON document comes back, never an error of the server's, and the id is the one that was sent.
func FuzzFront(f *testing.F) {
	for _, seed := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{not json`, `[{"jsonrpc":"2.0","id":"a","method":"tools/list"},7]`, `{"id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":-1e2,"method":"tools/call","params":{"name":"whoami","arguments":{}}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"mcpassay://changes?since=0.0.9"}}`} {
		f.Add(seed, "", "")
		f.Add(seed, wire.Modern, "server/discover")
	}
	s := usual().server(f, false)
	f.Fuzz(func(t *testing.T, body, version, method string) {
		h := wire.Header{"host": {"localhost"}, "content-type": {"application/json"}}
		if version != "" {
			h["mcp-protocol-version"], h["mcp-method"] = []string{version}, []string{method}
		}
		a := s.Handle(context.Background(), &wire.Asked{Verb: "POST", Path: "/mcp", Header: h, Body: []byte(body), From: "192.0.2.1"})
		var whole []byte
		for _, part := range a.Body {
			whole = append(whole, part...)
		}
		if a.Status == 202 && len(whole) == 0 {
			return
		}
		if a.Status >= 500 || a.Status != 200 && a.Status/100 != 4 {
			t.Fatalf("status %d for %q", a.Status, body)
		}
		if _, events, ok := strings.Cut(string(whole), "data: "); ok {
			whole = []byte(events[:strings.Index(events, "\n")])
		}
		if !json.Valid(whole) || strings.ContainsAny(string(whole), "\n\r") {
			t.Fatalf("no JSON in one line: %q for %q", whole, body)
		}
		var asked, answered struct{ ID json.RawMessage }
		if json.Unmarshal([]byte(body), &asked) == nil && json.Unmarshal(whole, &answered) == nil && string(answered.ID) != "null" && len(answered.ID) > 0 &&
			string(answered.ID) != string(asked.ID) {
			t.Fatalf("id %s became %s", asked.ID, answered.ID)
		}
	})
}

// Lines of any kind: each line that comes back is one JSON document, and the loop ends when its input does.
func FuzzLines(f *testing.F) {
	f.Add([]byte("junk\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n\n[]\n"))
	f.Add([]byte(call(1, "whoami", `{}`) + "\n" + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
	s := usual().server(f, true)
	f.Fuzz(func(t *testing.T, in []byte) {
		var out strings.Builder
		if err := s.Lines(context.Background(), strings.NewReader(string(in)), &out); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(strings.NewReader(out.String()))
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			if !json.Valid(lines.Bytes()) {
				t.Fatalf("%q for %q", lines.Bytes(), in)
			}
		}
	})
}

var _ serve.Jobs = (*work)(nil)
