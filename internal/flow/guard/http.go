package guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Network is the way to the server. It follows no redirect, and its errors are a *wire.Failure.
type Network interface {
	Send(ctx context.Context, r *wire.HTTPRequest) (*wire.HTTPResponse, error)
}

// Holding is what the frames of one session are held to.
type Holding struct {
	Session *Session
	// Saw is told of every frame that was more than let through, nil for nobody.
	Saw func(from Side, size int, r Result)
}

// HTTPOptions are what a guard over Streamable HTTP is made of.
type HTTPOptions struct {
	Network Network
	// URL is the endpoint of the server.
	URL string
	// Open begins a session. Where it fails, the session is refused.
	Open func() (*Holding, error)
	// Shared is what is held to that belongs to no session: all of the era without them.
	Shared *Holding
	// Private says that the Authorization of callers is for the guard, and not for the server.
	Private bool
	Now     func() time.Time
	Limits  limits.Set
}

// HTTP stands between clients and a server that speak Streamable HTTP (2025-03-26 to 2025-11-25, and 2026-07-28): a POST with one
// message that JSON or a stream of events answers, a GET that listens, a DELETE that ends a session. It may be used by many at once.
type HTTP struct {
	opt HTTPOptions
	lim limits.Set

	mu       sync.Mutex
	sessions map[string]*kept
	opening  int // sessions that are asked for and not there yet
}

// kept is one session.
type kept struct {
	*Holding
	used  time.Time
	users int // requests at hand
}

// NewHTTP makes a guard.
func NewHTTP(o HTTPOptions) *HTTP {
	return &HTTP{opt: o, lim: o.Limits, sessions: map[string]*kept{}}
}

// Endpoint is the path at which it answers.
const Endpoint = "/mcp"

// lane is what one exchange is judged by.
type lane struct {
	*Holding
	exchange *Exchange // nil within a session
	id       string    // of the session, "" for none
	fresh    bool      // the answer may begin a session
	leave    func()
	request  *wire.Asked
	ids      []string // of the requests that wait for an answer, as they are written
}

// frame judges a frame.
func (l *lane) frame(from Side, raw []byte) (r Result) {
	if l.exchange != nil {
		r = l.Session.Apart(l.exchange, from, raw)
	} else {
		r = l.Session.Frame(from, raw)
	}
	l.saw(from, len(raw), r)
	return r
}

func (l *lane) saw(from Side, size int, r Result) {
	if l.Saw != nil && r.Action != Pass {
		l.Saw(from, size, r)
	}
}

// stopped tells of what is no frame at all, and goes no further.
func (l *lane) stopped(from Side, size int, e traffic.Event, why string) {
	_, found := l.Session.Event(from, e, why)
	l.saw(from, size, Result{Action: Block, Findings: found})
}

// Handle answers one request. It is a wire.Handler.
func (h *HTTP) Handle(ctx context.Context, r *wire.Asked) *wire.Answer {
	if r.Path != Endpoint {
		return failed(404, nil, codeRefused, "the guard answers at "+Endpoint)
	}
	var ids []string
	begins := false
	switch r.Verb {
	case "POST":
		if a := h.readable(r); a != nil {
			return a
		}
		waiting, asks := idsOf(r.Body, h.lim.GuardedBatch)
		if asks {
			ids = waiting
		}
		if len(r.Header["mcp-session-id"]) == 0 || len(r.Header["mcp-method"]) > 0 {
			f := wire.ParseFrame(r.Body, h.lim) // what can not be read is refused where it is judged
			if !mirrored(&f, r.Header) {
				return failed(400, ids, wire.CodeHeaderMismatch, "Mcp-Method or Mcp-Name says something else than the body")
			}
			begins = f.Method == "initialize"
		}
	case "GET", "DELETE":
		if len(r.Body) > 0 {
			return failed(400, nil, codeRefused, r.Verb+" has no body")
		}
	default:
		a := failed(405, nil, codeRefused, "the endpoint answers POST, GET and DELETE")
		a.Header = append(a.Header, [2]string{"allow", "POST, GET, DELETE"})
		return a
	}
	l, a := h.lane(r, ids, begins)
	if a != nil {
		return a
	}
	if r.Verb == "POST" {
		a = h.post(ctx, l)
	} else {
		a = h.ask(ctx, l, nil, nil)
	}
	if a.Follow == nil {
		l.leave()
	}
	return a
}

// readable refuses what the server might read in another way than the guard does.
func (h *HTTP) readable(r *wire.Asked) *wire.Answer {
	switch coding := r.Header.Get("content-encoding"); {
	case len(r.Header["content-type"]) != 1 || r.Header.MediaType() != wire.MediaJSON || !utf8Body(r.Header):
		return failed(415, nil, codeRefused, "the body must be application/json in UTF-8")
	case coding != "" && !strings.EqualFold(coding, "identity"):
		return failed(415, nil, codeRefused, "the body must not be compressed")
	case len(bytes.TrimSpace(r.Body)) == 0:
		return failed(400, nil, wire.CodeParse, "the body holds no message")
	}
	return nil
}

// mirrored says that what the header repeats of a body is what the body says: who goes by the one and who goes by the other do the same.
func mirrored(f *wire.Frame, header wire.Header) bool {
	for _, said := range header["mcp-method"] {
		if said != f.Method {
			return false
		}
	}
	named := header["mcp-name"]
	if len(named) == 0 {
		return true
	}
	name, ok := f.Node.Get("params").Get(wire.NamedBy(f.Method)).Str()
	return !ok || len(named) == 1 && wire.FieldText(named[0]) == name
}

// utf8Body says that the type of a body names no other character set.
func utf8Body(h wire.Header) bool {
	_, parameters, err := mime.ParseMediaType(h.Get("content-type"))
	set := parameters["charset"]
	return err == nil && (set == "" || strings.EqualFold(set, "utf-8") || strings.EqualFold(set, "utf8"))
}

// lane is what a request is judged by. What is not known is refused: a session that the guard did not see begin is begun again.
func (h *HTTP) lane(r *wire.Asked, ids []string, begins bool) (*lane, *wire.Answer) {
	l := &lane{request: r, ids: ids, leave: func() {}}
	given := r.Header["mcp-session-id"]
	modern := r.Header.Get("mcp-protocol-version") >= wire.Modern // which knows no sessions
	switch {
	case len(given) > 1:
		return nil, failed(400, ids, codeRefused, "Mcp-Session-Id was sent more than once")
	case len(given) == 1 && given[0] != "" && !modern:
		h.mu.Lock()
		defer h.mu.Unlock()
		k := h.sessions[given[0]]
		if k == nil {
			return nil, failed(404, ids, codeNoSession, "the session is not known to the guard: begin another")
		}
		k.users++
		k.used = h.opt.Now()
		l.Holding, l.id = k.Holding, given[0]
		l.leave = sync.OnceFunc(func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			k.users--
			k.used = h.opt.Now()
		})
		return l, nil
	case begins && !modern:
		if !h.reserve() {
			a := failed(503, ids, codeRefused, fmt.Sprintf("%d sessions are open, and no more are kept: end one", h.lim.GuardSessions))
			a.Header = append(a.Header, [2]string{"retry-after", strconv.Itoa(int(h.lim.GuardSessionIdle / time.Second))})
			return nil, a
		}
		l.leave = sync.OnceFunc(func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.opening--
		})
		holding, err := h.opt.Open()
		if err != nil {
			l.leave()
			return nil, failed(500, ids, Blocked, "mcpassay can not hold the server to anything: "+text.Line(err.Error(), h.lim.ShownRunes))
		}
		l.Holding, l.fresh = holding, true
		return l, nil
	}
	l.Holding, l.exchange = h.opt.Shared, new(Exchange)
	return l, nil
}

// reserve keeps room for one more session.
func (h *HTTP) reserve() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.sessions)+h.opening >= h.lim.GuardSessions {
		oldest := ""
		for id, k := range h.sessions {
			if k.users == 0 && (oldest == "" || k.used.Before(h.sessions[oldest].used)) {
				oldest = id
			}
		}
		if oldest == "" || h.opt.Now().Sub(h.sessions[oldest].used) < h.lim.GuardSessionIdle {
			return false
		}
		delete(h.sessions, oldest)
	}
	h.opening++
	return true
}

// keep keeps the session that an answer begins. Where the server gives an id that another has, both are held to one.
func (h *HTTP) keep(l *lane, id string) bool {
	if len(id) > h.lim.GuardSessionID || strings.ContainsFunc(id, func(c rune) bool { return c <= ' ' || c > '~' }) { // 2025-03-26, Session Management
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sessions[id] == nil {
		h.sessions[id] = &kept{Holding: l.Holding, used: h.opt.Now()}
	}
	l.id = id
	return true
}

// post judges the message of a client and sends on what is left of it.
func (h *HTTP) post(ctx context.Context, l *lane) *wire.Answer {
	r := l.frame(Client, l.request.Body)
	switch {
	case r.Forward != nil:
		var back []byte
		if len(r.Reply) > 0 { // a batch of which a part goes on
			back = r.Reply
		}
		return h.ask(ctx, l, r.Forward, back)
	case len(l.ids) == 0 && r.Reply != nil:
		return wire.JSON(400, r.Reply)
	case r.Reply != nil: // with another status clients would read no more than that
		return wire.JSON(200, r.Reply)
	}
	return failed(400, nil, Blocked, "mcpassay blocked this message")
}

// ask sends a request on and makes an answer of what comes. back is what is answered already, nil for nothing.
func (h *HTTP) ask(ctx context.Context, l *lane, body, back []byte) *wire.Answer {
	resp, err := h.opt.Network.Send(ctx, &wire.HTTPRequest{Verb: l.request.Verb, URL: h.opt.URL, Header: h.passed(l), Body: body, Want: wire.Relayed})
	if err != nil {
		return h.unreached(l, err)
	}
	a := h.answer(ctx, l, resp, back)
	if a.Follow == nil {
		resp.Body.Close()
	}
	return a
}

// unreached is the answer where the server gave none.
func (h *HTTP) unreached(l *lane, err error) *wire.Answer {
	status, why := 502, "the server can not be asked"
	var f *wire.Failure
	if errors.As(err, &f) {
		switch f.Cause {
		case wire.CauseRefused, wire.CauseUnreachable, wire.CauseUnresolved:
			why += ": " + text.Line(f.Detail, h.lim.ShownRunes)
		case wire.CauseTimeout:
			status, why = 504, "the server gave no answer in time"
		default: // what was said of it may quote the server
			why = "what the server answered can not be used (" + string(f.Cause) + ")"
		}
	}
	return failed(status, l.ids, codeRefused, why)
}

// answer is what the client gets for an answer of the server, whose body it reads or leaves to Follow.
func (h *HTTP) answer(ctx context.Context, l *lane, resp *wire.HTTPResponse, back []byte) *wire.Answer {
	for _, f := range resp.Faults {
		switch f.Kind {
		case wire.Redirect:
			return failed(502, l.ids, codeRefused, "the server sends its callers elsewhere, and the guard does not follow: name the other URL with --upstream")
		case wire.Compressed:
			return failed(502, l.ids, codeRefused, "the server compresses what it was asked to send plain")
		}
	}
	if resp.Status == 404 && l.id != "" || resp.Status < 300 && l.request.Verb == "DELETE" {
		h.mu.Lock()
		delete(h.sessions, l.id)
		h.mu.Unlock()
	}
	if id := resp.Header.Get("mcp-session-id"); l.fresh && resp.Status < 300 && id != "" && !h.keep(l, id) {
		return failed(502, l.ids, codeRefused, "the server gives the session an id that may not be one")
	}
	if len(resp.Header["content-type"]) > 1 {
		return failed(502, l.ids, codeRefused, "the server says of its answer that it is of two types")
	}
	header := h.returned(l, resp.Header)
	media := resp.Header.MediaType()
	if resp.Status < 300 && media == wire.MediaEvents && utf8Body(resp.Header) && l.request.Verb != "DELETE" {
		a := &wire.Answer{Status: resp.Status, Header: header}
		if back != nil {
			a.Body = [][]byte{message(back)}
		}
		a.Follow = func(ctx context.Context, write func([]byte) error) error {
			defer l.leave()
			defer resp.Body.Close()
			defer context.AfterFunc(ctx, func() { resp.Body.Close() })()
			return h.follow(ctx, l, resp.Body, write)
		}
		return a
	}
	if resp.Status < 300 && media == wire.MediaEvents {
		return failed(502, l.ids, codeRefused, "the server answers with a stream of events where none belongs, or in another character set")
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		var f *wire.Failure
		if errors.As(err, &f) && f.Cause == wire.CauseTooLarge && resp.Status < 300 {
			l.stopped(Server, h.lim.GuardedFrame, traffic.TooLarge, "an answer of more than the guard reads")
			return h.blocked(l, tooLarge)
		}
		if resp.Status < 300 {
			return h.unreached(l, err)
		}
		raw = nil
	}
	rpc := media == wire.MediaJSON && utf8Body(resp.Header) && bytes.Contains(raw, []byte(`"jsonrpc"`))
	switch {
	case rpc || resp.Status < 300 && len(l.ids) > 0 && media == wire.MediaJSON && utf8Body(resp.Header):
		return h.whole(ctx, l, resp.Status, header, raw, back)
	case resp.Status >= 400:
		a := failed(resp.Status, l.ids, codeRefused, fmt.Sprintf("the server answered with HTTP %d", resp.Status))
		a.Header = append(bare(header), a.Header...)
		return a
	case len(l.ids) > 0:
		return failed(502, l.ids, codeRefused, fmt.Sprintf("the server answered with HTTP %d, and neither JSON nor a stream of events", resp.Status))
	}
	return &wire.Answer{Status: resp.Status, Header: bare(header)} // whatever it wrote beside, nobody waits for
}

// bare is a header without the type of a body.
func bare(header [][2]string) [][2]string {
	return slices.DeleteFunc(slices.Clone(header), func(f [2]string) bool { return f[0] == "content-type" })
}

// whole judges an answer that is one body.
func (h *HTTP) whole(ctx context.Context, l *lane, status int, header [][2]string, raw, back []byte) *wire.Answer {
	r, ok := h.judged(ctx, l, raw)
	if !ok || r.Forward == nil {
		why := refusal{rule: "traffic/malformed-frame"}
		if len(r.Findings) > 0 {
			why.rule = r.Findings[0].Rule
		}
		return h.blocked(l, why)
	}
	if back == nil {
		return &wire.Answer{Status: status, Header: header, Body: [][]byte{r.Forward}}
	}
	return &wire.Answer{Status: 200, Header: append(bare(header), [2]string{"content-type", wire.MediaEvents}), Body: [][]byte{message(back), message(r.Forward)}}
}

// blocked is the answer to all who wait for one that was stopped.
func (h *HTTP) blocked(l *lane, why refusal) *wire.Answer {
	switch len(l.ids) {
	case 0:
		return wire.JSON(502, l.Session.refusal("", why))
	case 1:
		return wire.JSON(200, l.Session.refusal(l.ids[0], why))
	}
	return wire.JSON(200, l.Session.refusals(l.ids, why.rule))
}

// judged judges what a server sent, and tells it of what was stopped. ok is false for what is no message: on stdio that is a banner,
// here it could be an address that a client takes for another endpoint (2024-11-05).
func (h *HTTP) judged(ctx context.Context, l *lane, raw []byte) (r Result, ok bool) {
	if first := bytes.TrimLeft(raw, " \t\r\n"); len(first) == 0 || first[0] != '{' && first[0] != '[' {
		l.stopped(Server, len(raw), traffic.Malformed, "no message")
		return Result{}, false
	}
	r = l.frame(Server, raw)
	if r.Reply != nil {
		h.reply(ctx, l, r.Reply)
	}
	return r, true
}

// reply tells the server that a request of its own was stopped, so that it does not wait.
func (h *HTTP) reply(ctx context.Context, l *lane, body []byte) {
	ctx, cancel := context.WithTimeout(ctx, h.lim.GuardReply)
	defer cancel()
	header := slices.DeleteFunc(h.passed(l), func(f [2]string) bool {
		return slices.Contains([]string{"accept", "content-type", "last-event-id", "mcp-method", "mcp-name"}, f[0])
	})
	header = append(header, [2]string{"content-type", wire.MediaJSON}, [2]string{"accept", wire.MediaJSON + ", " + wire.MediaEvents})
	if resp, err := h.opt.Network.Send(ctx, &wire.HTTPRequest{Verb: "POST", URL: h.opt.URL, Header: header, Body: body, Want: wire.Relayed}); err == nil {
		resp.Body.Close()
	}
}

// follow moves the events of a stream on, one by one. While the client does not read, the server is not read from.
func (h *HTTP) follow(ctx context.Context, l *lane, in io.Reader, write func([]byte) error) error {
	s := events{in: in, lim: h.lim}
	for {
		e, err := s.next()
		if err != nil {
			return eof(err)
		}
		if out := h.event(ctx, l, e); len(out) > 0 {
			if err := write(out); err != nil {
				return err
			}
		}
	}
}

// event is what becomes of one event, nil for nothing.
func (h *HTTP) event(ctx context.Context, l *lane, e event) []byte {
	switch {
	case e.over:
		l.stopped(Server, e.size, traffic.TooLarge, "an event of more than the guard reads")
		switch {
		case e.id == nil:
			return nil
		case e.asks:
			h.reply(ctx, l, tooLarge.error(string(e.id)))
			return nil
		}
		return message(tooLarge.error(string(e.id)))
	case e.odd != "":
		l.stopped(Server, len(e.raw), traffic.Malformed, e.odd)
		return e.with(h.instead(l, e.data))
	case !e.has || len(bytes.TrimSpace(e.data)) == 0: // a comment, or where to resume
		return e.raw
	}
	r, ok := h.judged(ctx, l, e.data)
	switch {
	case !ok:
		return e.with(nil)
	case sameBytes(r.Forward, e.data):
		return e.raw
	}
	return e.with(r.Forward)
}

// instead is the error that stands for an event which can not be read in one way, nil where nobody waits for it.
func (h *HTTP) instead(l *lane, data []byte) []byte {
	ids, asks := idsOf(data, h.lim.GuardedBatch)
	if asks || len(ids) == 0 {
		return nil
	}
	return l.Session.refusals(ids, "traffic/malformed-frame")
}

// tooLarge is why a frame over the limit goes no further.
var tooLarge = refusal{"traffic/frame-too-large", "a frame of more than the guard reads", "ask for less at once: a page, or a range"}

// Over answers a request whose body is over the limit, as far as it can be made out who waits.
func (h *HTTP) Over(r *wire.Asked, begun []byte, rest io.Reader) *wire.Answer {
	var m member
	m.write(begun)
	size, buf := len(begun), make([]byte, h.lim.GuardBuffer)
	for {
		n, err := rest.Read(buf)
		m.write(buf[:n])
		if size += n; err != nil {
			break
		}
	}
	l := &lane{Holding: h.opt.Shared}
	l.stopped(Client, size, traffic.TooLarge, "a body of more than the guard reads")
	id := "null"
	if m.method && m.id() != nil {
		id = string(m.id())
	}
	return wire.JSON(413, tooLarge.error(id))
}

// passed is the header that goes on to the server: what the client gave, without what is about its connection to the guard, its browser,
// or the guard.
func (h *HTTP) passed(l *lane) (all [][2]string) {
	given := l.request.Header
	var named []string // by the client, as belonging to the connection
	for _, field := range given["connection"] {
		for name := range strings.SplitSeq(field, ",") {
			named = append(named, strings.ToLower(strings.TrimSpace(name)))
		}
	}
	names := make([]string, 0, len(given))
	for name := range given {
		switch {
		case slices.Contains(here, name), slices.Contains(named, name), strings.HasPrefix(name, "proxy-"), strings.HasPrefix(name, "sec-"), strings.HasPrefix(name, "x-forwarded-"):
		case name == "authorization" && h.opt.Private:
		case name == "mcp-session-id" && l.id == "":
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range given[name] {
			all = append(all, [2]string{name, value})
		}
	}
	return all
}

// here are the fields that end at the guard.
var here = []string{"host", "origin", "referer", "cookie", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "expect", "content-length",
	"accept-encoding", "content-encoding", "user-agent", "forwarded", "via"}

// returned is the header that goes back to the client: what MCP gives a meaning.
func (h *HTTP) returned(l *lane, given wire.Header) (all [][2]string) {
	for _, name := range []string{"allow", "cache-control", "content-type", "retry-after", "www-authenticate", "x-accel-buffering"} {
		for _, value := range given[name] {
			all = append(all, [2]string{name, value})
		}
	}
	names := make([]string, 0, len(given))
	for name := range given {
		if strings.HasPrefix(name, "mcp-") && (name != "mcp-session-id" || l.id != "" && len(given[name]) == 1 && given[name][0] == l.id) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range given[name] {
			all = append(all, [2]string{name, value})
		}
	}
	return all
}

// The codes of errors that stand for what could not be sent on. The second is what official servers answer where a session is over.
const (
	codeRefused   = -32098
	codeNoSession = -32001
)

// failed is an error for all who wait, or for nobody in particular.
func failed(status int, ids []string, code int, why string) *wire.Answer {
	one := func(id string) []byte {
		return []byte(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + strconv.Itoa(code) + `,"message":` + source.Quote("mcpassay guard: "+why) + `}}`)
	}
	switch len(ids) {
	case 0:
		return wire.JSON(status, one("null"))
	case 1:
		return wire.JSON(status, one(ids[0]))
	}
	var all [][]byte
	for _, id := range ids {
		all = append(all, one(id))
	}
	return wire.JSON(status, array(all))
}
