package gateway

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// peer is the client on stdio: it alone can be told and asked something.
type peer struct {
	g    *Gateway
	stop context.CancelCauseFunc
	wait sync.WaitGroup // what was asked and is not answered yet

	writing sync.Mutex
	out     io.Writer

	mu sync.Mutex // of what follows
	// revision is what was agreed on in the handshake, "" before it; capabilities and info are what the client said of itself there.
	revision           string
	capabilities, info string
	asks               map[string]*ask // by the client's ids
	listens            map[string][]wire.ListKind
	inquiries          map[string]inquiry // requests of servers that the client has, by our ids
	inquired           int
}

// inquiry is a request of a server that the client is to answer.
type inquiry struct {
	c         *conn
	id, token string // the server's own, as they are written
}

// Lines speaks with one client over a reader and a writer, a message a line, until the reader ends or ctx does. What was asked before
// the reader ended is answered, within limits.GuardDrain. The error is that of a writer that takes nothing more.
func (g *Gateway) Lines(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	p := &peer{g: g, stop: cancel, out: out, asks: map[string]*ask{}, listens: map[string][]wire.ListKind{}, inquiries: map[string]inquiry{}}
	g.mu.Lock()
	g.client = p
	g.mu.Unlock()
	lines := serve.Messages(ctx, in, g.lim.ChildBuffer, g.lim.GuardedFrame)
	for {
		select {
		case line, ok := <-lines:
			if ok {
				p.line(line)
				continue
			}
		case <-ctx.Done():
		}
		break
	}
	done := make(chan struct{})
	go func() { p.wait.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	case <-time.After(g.lim.GuardDrain):
	}
	cancel(nil)
	var broken *writeError
	if errors.As(context.Cause(ctx), &broken) {
		return broken.error
	}
	return nil
}

// writeError is that of the writer.
type writeError struct{ error }

// line does with one line what it is for.
func (p *peer) line(line []byte) {
	lim := p.g.lim
	if len(line) > lim.GuardedFrame {
		p.write(serve.Failure("null", wire.CodeInvalidRequest, "the line is too long", ""))
		return
	}
	messages, batch := serve.Read(line, nil, lim)
	if !batch {
		p.message(&messages[0], p.write)
		return
	}
	p.mu.Lock()
	refused := serve.Batchable(p.revision)
	p.mu.Unlock()
	if refused != nil {
		p.write(refused)
		return
	}
	p.wait.Go(func() {
		p.write(severally(messages, lim, func(m *serve.Message, answer func([]byte)) { p.message(m, answer) }))
	})
}

// message does with one message what it is for. answer takes the answer to a request, unless it is taken back.
func (p *peer) message(m *serve.Message, answer func([]byte)) {
	switch m.Kind {
	case wire.Notification:
		if m.Refusal != nil {
			answer(m.Refusal)
		} else {
			p.notice(m)
		}
	case wire.Response:
		if m.Refusal == nil { // an error in answer to it could go round for ever
			p.answered(m)
		}
	default:
		a := &ask{g: p.g, m: m, peer: p, reply: func(raw []byte, _ int) { answer(raw) }, forget: func() {}, over: func() {}}
		if m.Kind == wire.Request && m.Refusal == nil {
			p.mu.Lock()
			if p.asks[m.ID] != nil {
				p.mu.Unlock()
				answer(serve.Failure(m.ID, wire.CodeInvalidRequest, "the id is in use", ""))
				return
			}
			p.asks[m.ID] = a
			p.mu.Unlock()
			p.wait.Add(1)
			a.forget = func() {
				p.mu.Lock()
				delete(p.asks, m.ID)
				p.mu.Unlock()
			}
			a.over = func() {
				answer(nil) // which is none, for who waits for all of a batch
				p.wait.Done()
			}
		}
		p.g.take(a)
	}
}

// write writes one line. A writer that fails ends the loop.
func (p *peer) write(raw []byte) {
	if len(raw) == 0 {
		return
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	if _, err := p.out.Write(append(raw, '\n')); err != nil {
		p.stop(&writeError{err})
	}
}

// met keeps what the client says of itself in the handshake: the servers behind us are told it.
func (p *peer) met(params source.Node, revision string) {
	var can []string
	for n := range params.Get("capabilities").Children() {
		if slices.Contains([]string{"roots", "sampling", "elicitation"}, n.Key()) && n.Kind() == source.Object {
			can = append(can, source.Quote(n.Key())+":"+string(n.Raw()))
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revision, p.capabilities, p.info = revision, "{"+strings.Join(can, ",")+"}", string(params.Get("clientInfo").Raw())
}

// introduction is what servers are told of the client: what it can do, and who it is.
func (g *Gateway) introduction() (capabilities, info string) {
	g.mu.Lock()
	p := g.client
	g.mu.Unlock()
	capabilities, info = "{}", `{"name":"mcpassay","version":`+source.Quote(g.opt.Version)+`}`
	if p == nil {
		return capabilities, info
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.capabilities != "" {
		capabilities = p.capabilities
	}
	if p.info != "" {
		info = p.info
	}
	return capabilities, info
}

// notice takes a notification of the client.
func (p *peer) notice(m *serve.Message) {
	switch m.Method {
	case "notifications/cancelled":
		id := string(m.Params.Get("requestId").Raw())
		p.mu.Lock()
		a := p.asks[id]
		delete(p.listens, id)
		p.mu.Unlock()
		if a != nil && a.m.Method != "initialize" {
			a.cancel(m.Params.Get("reason"))
		}
	case "notifications/roots/list_changed":
		for _, s := range p.g.servers {
			s.submit(job{do: func(c *conn) {
				if c != nil && !c.modern {
					_, _ = c.send([]byte(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`))
				}
			}})
		}
	case "notifications/progress":
		token := m.Params.Get("progressToken")
		p.mu.Lock()
		q, ok := p.inquiries[string(token.Raw())]
		p.mu.Unlock()
		if ok && q.token != "" {
			q.c.pass(m, token.Replace(q.token))
		}
	}
}

// answered passes the client's answer on to the server that asked.
func (p *peer) answered(m *serve.Message) {
	p.mu.Lock()
	q, ok := p.inquiries[m.ID]
	delete(p.inquiries, m.ID)
	p.mu.Unlock()
	if !ok {
		return // the server has ended, or nobody asked
	}
	q.c.settled()
	q.c.pass(m, m.Node.Get("id").Replace(q.id))
}

// pass has an answer of the client, or news of it, judged and written.
func (c *conn) pass(m *serve.Message, edit finding.Edit) {
	raw, err := source.Apply(m.Node.Doc().Raw, []finding.Edit{edit})
	if err != nil {
		return
	}
	c.later(func() { _, _ = c.send(raw) })
}

// settled notes that a request of the server has an end.
func (c *conn) settled() {
	c.mu.Lock()
	c.theirs--
	c.mu.Unlock()
}

// inquire gives the client a request of a server. false says that it has no such method, or has too many of this server already.
func (g *Gateway) inquire(c *conn, f *wire.Frame) bool {
	g.mu.Lock()
	p := g.client
	g.mu.Unlock()
	capability, ok := map[string]string{"sampling/createMessage": `"sampling"`, "elicitation/create": `"elicitation"`, "roots/list": `"roots"`}[f.Method]
	if p == nil || !ok {
		return false
	}
	c.mu.Lock()
	room := c.theirs < g.lim.GatewayAsks && !c.over
	if room {
		c.theirs++
	}
	c.mu.Unlock()
	p.mu.Lock()
	able := strings.Contains(p.capabilities, capability+":")
	if !room || !able {
		p.mu.Unlock()
		if room {
			c.settled()
		}
		return false
	}
	p.inquired++
	id := `"mcpassay-` + strconv.Itoa(p.inquired) + `"`
	q := inquiry{c: c, id: f.ID}
	edits := []finding.Edit{f.Node.Get("id").Replace(id)}
	if token := f.Node.Get("params").Get("_meta").Get("progressToken"); token.Kind() == source.String || token.Kind() == source.Number {
		q.token = string(token.Raw())
		edits = append(edits, token.Replace(id))
	}
	p.inquiries[id] = q
	p.mu.Unlock()
	g.tell(f, edits...)
	return true
}

// recant takes a request back that a server has taken back.
func (g *Gateway) recant(c *conn, f *wire.Frame) {
	requested := f.Node.Get("params").Get("requestId")
	g.drop(func(q inquiry) bool { return q.c == c && q.id == string(requested.Raw()) }, func(id string) { g.tell(f, requested.Replace(id)) })
}

// withdraw takes all requests back of a process that has ended.
func (g *Gateway) withdraw(c *conn) {
	g.drop(func(q inquiry) bool { return q.c == c }, func(id string) {
		g.mu.Lock()
		p := g.client
		g.mu.Unlock()
		p.write([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"the server has ended"}}`))
	})
}

// drop forgets requests of servers, and tells of each.
func (g *Gateway) drop(which func(inquiry) bool, told func(id string)) {
	g.mu.Lock()
	p := g.client
	g.mu.Unlock()
	if p == nil {
		return
	}
	var ids []string
	p.mu.Lock()
	for id, q := range p.inquiries {
		if which(q) {
			ids = append(ids, id)
			delete(p.inquiries, id)
			q.c.settled()
		}
	}
	p.mu.Unlock()
	slices.Sort(ids)
	for _, id := range ids {
		told(id)
	}
}

// tell passes a message of a server on to the client, changed by edits.
func (g *Gateway) tell(f *wire.Frame, edits ...finding.Edit) {
	g.mu.Lock()
	p := g.client
	g.mu.Unlock()
	if p == nil {
		return
	}
	if raw, err := source.Apply(f.Node.Doc().Raw, edits); err == nil {
		p.write(raw)
	}
}

// changed tells the client that a list is another one.
func (g *Gateway) changed(k wire.ListKind) {
	g.mu.Lock()
	p := g.client
	g.mu.Unlock()
	if p == nil {
		return
	}
	head := `{"jsonrpc":"2.0","method":"notifications/` + k.Capability() + `/list_changed"`
	p.mu.Lock()
	var lines []string
	if p.revision != "" {
		lines = append(lines, head+"}")
	}
	for _, id := range slices.Sorted(maps.Keys(p.listens)) {
		if slices.ContainsFunc(p.listens[id], func(o wire.ListKind) bool { return o.Capability() == k.Capability() }) {
			lines = append(lines, head+`,"params":{"_meta":{"`+wire.MetaSubscription+`":`+id+`}}}`)
		}
	}
	p.mu.Unlock()
	for _, l := range lines {
		p.write([]byte(l))
	}
}

// listen begins a subscription: on stdio it lasts until it is taken back, over HTTP it ends at once.
func (g *Gateway) listen(a *ask) {
	wanted := a.m.Params.Get("notifications")
	if wanted.Kind() != source.Object {
		a.refuse(wire.CodeInvalidParams, "params lacks notifications")
		return
	}
	var kinds []wire.ListKind
	var granted []string
	if a.peer != nil {
		for _, k := range []wire.ListKind{wire.Tools, wire.Prompts, wire.Resources} {
			if yes, _ := wanted.Get(k.String() + "ListChanged").Bool(); yes {
				kinds = append(kinds, k)
				granted = append(granted, `"`+k.String()+`ListChanged":true`)
			}
		}
	}
	meta := `"_meta":{"` + wire.MetaSubscription + `":` + a.m.ID + `}`
	first := []byte(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{` + meta + `,"notifications":{` + strings.Join(granted, ",") + `}}}`)
	if a.peer == nil {
		a.notices = [][]byte{first}
		a.result(`{"resultType":"complete",` + meta + `}`)
		return
	}
	a.peer.mu.Lock()
	full := len(a.peer.listens) >= g.lim.GatewayAsks
	if !full {
		a.peer.listens[a.m.ID] = kinds
	}
	a.peer.mu.Unlock()
	if full {
		a.refuse(wire.CodeInternal, "mcpassay: too many subscriptions at once")
		return
	}
	a.peer.write(first)
	if !a.done.Swap(true) { // its answer would be its end
		a.forget()
		a.over()
	}
}
