package talk

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/effect/net"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// msg is a message that a test server got.
type msg struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Cursor          *string        `json:"cursor"`
		ProtocolVersion string         `json:"protocolVersion"`
		Meta            map[string]any `json:"_meta"`
	} `json:"params"`
	raw string
}

func (m msg) modern() bool {
	return m.Params.Meta["io.modelcontextprotocol/protocolVersion"] == wire.Modern
}

func (m msg) result(text string) string {
	return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + text + `}`
}

func (m msg) err(code int, rest string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"%s}}`, m.ID, code, rest)
}

func parse(line []byte) msg {
	var m msg
	if err := json.Unmarshal(line, &m); err != nil {
		panic(fmt.Sprintf("the client sent %q: %v", line, err))
	}
	m.raw = string(line)
	return m
}

// peer is a server of our own. Its fields say what it is; answer, where it is set, is asked first.
type peer struct {
	modern, legacy bool
	supported      string // of server/discover, as JSON
	version        string // of initialize, "" for the one that was asked for
	caps           string
	lists          map[string][]string // by method: a result without its braces for each page, whose cursors are "1", "2", …
	answer         func(m msg) (frames []string, taken bool)

	mu  sync.Mutex
	got []msg
}

const modernMembers = `,"resultType":"complete","ttlMs":0,"cacheScope":"public"`

func (p *peer) saw(method string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.got {
		if m.Method == method {
			n++
		}
	}
	return n
}

// reply is all that the server sends for a message.
func (p *peer) reply(m msg) []string {
	p.mu.Lock()
	p.got = append(p.got, m)
	p.mu.Unlock()
	if p.answer != nil {
		if frames, taken := p.answer(m); taken {
			return frames
		}
	}
	caps := p.caps
	if caps == "" {
		caps = `{"tools":{}}`
	}
	pages, known := p.lists[m.Method]
	switch {
	case m.ID == nil || m.Method == "":
		return nil
	case m.Method == "server/discover" && p.modern:
		supported := p.supported
		if supported == "" {
			supported = `["2026-07-28"]`
		}
		return []string{m.result(`{"supportedVersions":` + supported + `,"capabilities":` + caps + `,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"m","version":"1"}}` + modernMembers + `}`)}
	case m.Method == "initialize" && p.legacy:
		version := p.version
		if version == "" {
			version = m.Params.ProtocolVersion
		}
		return []string{m.result(`{"protocolVersion":"` + version + `","capabilities":` + caps + `,"serverInfo":{"name":"l","version":"1"},"instructions":"be kind"}`)}
	case known && (m.modern() && p.modern || !m.modern() && p.legacy):
		n := 0
		if m.Params.Cursor != nil {
			fmt.Sscan(*m.Params.Cursor, &n)
		}
		page := pages[n]
		if n+1 < len(pages) {
			page += fmt.Sprintf(`,"nextCursor":"%d"`, n+1)
		}
		if m.modern() {
			page += modernMembers
		}
		return []string{m.result("{" + page + "}")}
	}
	return []string{m.err(wire.CodeMethodNotFound, "")}
}

func tools(names ...string) string {
	var all []string
	for _, n := range names {
		all = append(all, `{"name":"`+n+`","inputSchema":{"type":"object"}}`)
	}
	return `"tools":[` + strings.Join(all, ",") + `]`
}

// oneTool are the lists of a server with one tool.
func oneTool() map[string][]string { return map[string][]string{"tools/list": {tools("a")}} }

// pipe is a stdio server in this process.
type pipe struct {
	out    chan string
	handle func(line string, send func(frames ...string))
	end    chan struct{}
	once   sync.Once
	stderr string
}

func newPipe(handle func(line string, send func(...string))) *pipe {
	return &pipe{out: make(chan string, 100_000), handle: handle, end: make(chan struct{})}
}

func (p *pipe) WriteLine(line []byte) error {
	select {
	case <-p.end:
		return io.ErrClosedPipe
	default:
	}
	p.handle(string(line), func(frames ...string) {
		for _, f := range frames {
			p.out <- f
		}
	})
	return nil
}

func (p *pipe) ReadLine(ctx context.Context) ([]byte, error) {
	select {
	case line := <-p.out:
		return []byte(line), nil
	default:
	}
	select {
	case line := <-p.out:
		return []byte(line), nil
	case <-p.end:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipe) Close() error   { p.once.Do(func() { close(p.end) }); return nil }
func (p *pipe) Stderr() []byte { return []byte(p.stderr) }

// start is the peer as a local server; every start is counted.
func (p *peer) start(starts *[]*pipe) func(context.Context) (Lines, error) {
	return func(context.Context) (Lines, error) {
		l := newPipe(func(line string, send func(...string)) { send(p.reply(parse([]byte(line)))...) })
		p.mu.Lock()
		*starts = append(*starts, l)
		p.mu.Unlock()
		return l, nil
	}
}

// web is the peer behind HTTP. sse says how it answers.
type webPeer struct {
	*peer
	sse      bool
	sessions bool // it gives and demands session ids
	old      bool // it has the transport of 2024-11-05 and no other
	before   func(w http.ResponseWriter, r *http.Request, m msg) bool
	requests []*http.Request
	live     map[string]bool
	stream   chan string
}

func (p *webPeer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var m msg
	if len(body) > 0 {
		m = parse(body)
	}
	p.mu.Lock()
	p.requests = append(p.requests, r)
	p.mu.Unlock()
	if p.before != nil && p.before(w, r, m) {
		return
	}
	if p.old {
		p.serveOld(w, r, m)
		return
	}
	if r.Method != "POST" {
		if r.Method == "DELETE" {
			p.mu.Lock()
			delete(p.live, r.Header.Get("Mcp-Session-Id"))
			p.mu.Unlock()
			return
		}
		w.WriteHeader(405)
		return
	}
	if p.sessions && !m.modern() {
		p.mu.Lock()
		id := r.Header.Get("Mcp-Session-Id")
		if m.Method == "initialize" {
			if p.live == nil {
				p.live = map[string]bool{}
			}
			id = fmt.Sprintf("session-%d", len(p.requests))
			p.live[id] = true
			w.Header().Set("Mcp-Session-Id", id)
		}
		known := p.live[id]
		p.mu.Unlock()
		if !known {
			w.WriteHeader(404)
			return
		}
	}
	frames := p.reply(m)
	if m.ID == nil || m.Method == "" {
		w.WriteHeader(202)
		return
	}
	write(w, p.sse, frames)
}

func write(w http.ResponseWriter, sse bool, frames []string) {
	if !sse {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, strings.Join(frames, "\n"))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, f := range frames {
		fmt.Fprintf(w, "event: message\ndata: %s\n\n", f)
	}
}

// serveOld is HTTP+SSE: one stream, to which posts at /post are answered.
func (p *webPeer) serveOld(w http.ResponseWriter, r *http.Request, m msg) {
	switch {
	case r.Method == "GET":
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "event: endpoint\ndata: /post?sessionId=1\n\n")
		w.(http.Flusher).Flush()
		for {
			select {
			case f := <-p.stream:
				fmt.Fprintf(w, "data: %s\n\n", f)
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			}
		}
	case r.URL.Path == "/post" && r.URL.Query().Get("sessionId") == "1":
		w.WriteHeader(202)
		for _, f := range p.reply(m) {
			p.stream <- f
		}
	default:
		w.WriteHeader(404)
		io.WriteString(w, "<!DOCTYPE html><pre>Cannot POST</pre>")
	}
}

func (p *webPeer) serve(t *testing.T) string {
	t.Helper()
	p.stream = make(chan string, 1000)
	s := httptest.NewServer(p)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL + "/mcp"
}

// quick are the limits of a test: no pause is long, and a deadline is only there to end a test that fails.
func quick() limits.Set {
	lim := limits.Default
	lim.RequestTime, lim.StartTime, lim.HeaderTime, lim.IdleTime, lim.EraTime, lim.RunTime = 20*time.Second, 20*time.Second, 20*time.Second, 20*time.Second, 20*time.Second, 30*time.Second
	lim.RetryWait, lim.StreamRetryWait = time.Millisecond, 5*time.Millisecond
	return lim
}

func options() Options {
	return Options{Label: "test", Client: "mcpassay", ClientVersion: "0", Limits: quick()}
}

// hasty is for servers that are silent: every deadline is short.
func hasty() Options {
	o := options()
	o.Limits.RequestTime, o.Limits.StartTime, o.Limits.HeaderTime, o.Limits.IdleTime, o.Limits.EraTime = 300*time.Millisecond, 300*time.Millisecond, 300*time.Millisecond, 300*time.Millisecond, 100*time.Millisecond
	return o
}

// patience are the options under which a server leaves the gaps that a test expects.
func patience(gaps string) Options {
	if strings.Contains(gaps, string(wire.CauseTimeout)) {
		return hasty()
	}
	return options()
}

// local and remote talk to a server, and check what holds for every surface.
func local(t *testing.T, p *peer, o Options) *wire.Surface {
	t.Helper()
	var starts []*pipe
	s := Surface(context.Background(), Stdio(p.start(&starts), o), o)
	for _, l := range starts {
		select {
		case <-l.end:
		default:
			t.Error("a server still runs")
		}
	}
	return saved(t, s)
}

func remote(t *testing.T, url string, o Options, credentials ...net.Credential) *wire.Surface {
	t.Helper()
	d, err := net.New(net.Options{Named: url, Limits: o.Limits, UserAgent: "mcpassay/0", Credentials: credentials})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	return saved(t, Surface(context.Background(), HTTP(d, url, o), o))
}

// saved is a surface as it is judged: written and read again. Both must be the same.
func saved(t *testing.T, s *wire.Surface) *wire.Surface {
	t.Helper()
	text := s.Encode()
	again, err := wire.ReadSurface("surface.json", text, limits.Default)
	if err != nil {
		t.Fatalf("the surface can not be read again: %v\n%.2000s", err, text)
	}
	if string(again.Encode()) != string(text) {
		t.Errorf("written again it differs:\n%.2000s\n%.2000s", text, again.Encode())
	}
	return again
}

// names are the names of the tools in a surface.
func names(s *wire.Surface) string {
	var all []string
	for _, page := range s.PageNodes(wire.Tools) {
		for tool := range page.Get("tools").Children() {
			all = append(all, tool.Get("name").Text())
		}
	}
	return strings.Join(all, " ")
}

func faults(s *wire.Surface) string {
	var all []string
	for _, f := range s.Faults {
		all = append(all, string(f.Kind))
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}

func gaps(s *wire.Surface) string {
	var all []string
	for _, g := range s.Gaps {
		all = append(all, g.Part+":"+string(g.Cause))
	}
	return strings.Join(all, " ")
}

func expect(t *testing.T, s *wire.Surface, era, toolNames, wantFaults, wantGaps string) {
	t.Helper()
	if s.Protocol.Era != era || names(s) != toolNames || faults(s) != wantFaults || gaps(s) != wantGaps {
		t.Errorf("era %q, tools %q, faults %q, gaps %q\nwant %q, %q, %q, %q\n%v %v", s.Protocol.Era, names(s), faults(s), gaps(s), era, toolNames, wantFaults, wantGaps, s.Faults, s.Gaps)
	}
}
