package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/guard"
	"github.com/mcpassay/mcpassay/internal/flow/talk"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// conn is one process of a server. The server's goroutine writes to it, one of its own reads, and another gives answers to what the
// server asks: it may ask before it answers.
type conn struct {
	s     *server
	lines talk.Lines
	since time.Time
	// modern says that it is spoken to without a handshake; hello is what it said of itself first. withheld is why its tools are
	// not offered. They are set before anybody else has the connection.
	modern   bool
	hello    source.Node
	withheld *blockedError

	writing sync.Mutex
	answers chan func() // to what the server asks

	heard, asked atomic.Int64 // when it said something last, and when it was asked last, in ns since 1970

	mu   sync.Mutex
	open map[int64]*pending // requests that wait for their answers
	over bool               // it has ended: nobody waits any more
	// theirs counts the requests of the server that the client was given and has not answered.
	theirs int

	once  sync.Once
	why   error         // of its end, nil where we ended it
	ended chan struct{} // closed when it is to end
	gone  chan struct{} // closed when it has ended, and nobody waits for it any more
	// counted is closed when its end was noted.
	counted chan struct{}
}

// pending is a request that waits for its answer.
type pending struct {
	// answer gets the response, or why there is none. It is called once.
	answer func(f *wire.Frame, err error)
	// token is the client's own for news of progress, as it is written; "" for none.
	token string
}

// blockedError is an answer that the guard stopped.
type blockedError struct{ why string }

func (e *blockedError) Error() string { return e.why }

// end ends the process, for a reason or, with nil, because we want it to.
func (c *conn) end(why error) {
	c.once.Do(func() {
		c.why = why
		close(c.ended)
		go func() {
			c.mu.Lock()
			left := c.open
			c.open, c.over = nil, true
			c.mu.Unlock()
			for _, p := range left {
				p.answer(nil, down("%s ended before it answered", c.s.Name))
			}
			c.s.g.withdraw(c)
			_ = c.lines.Close()
			close(c.gone)
		}()
	})
}

// ending says that it is to end, or has ended.
func (c *conn) ending() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

func (c *conn) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open)+c.theirs > 0
}

// put keeps a request, and gives it an id of ours. false says that there is no room, or that the process has ended.
func (c *conn) put(p *pending) (int64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || len(c.open) >= c.s.g.lim.GatewayCalls {
		return 0, false
	}
	id := c.s.last.Add(1)
	c.open[id] = p
	return id, true
}

// take gives the request of an id and forgets it; nil for none.
func (c *conn) take(id int64) *pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.open[id]
	delete(c.open, id)
	return p
}

// send has a frame judged and writes what is let through. back is what its sender gets in its place, nil for nothing.
func (c *conn) send(raw []byte) (back []byte, err error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	res := c.s.Judge.Frame(guard.Client, raw)
	c.s.saw(guard.Client, len(raw), res)
	if res.Forward == nil {
		return res.Reply, nil
	}
	if err = c.write(res.Forward); err != nil {
		c.end(err)
	}
	return res.Reply, err
}

func (c *conn) write(line []byte) error {
	if bytes.ContainsAny(line, "\r\n") { // between two parts of the message: no string holds one
		line = bytes.Map(func(r rune) rune {
			if r == '\n' || r == '\r' {
				return ' '
			}
			return r
		}, line)
	}
	return c.lines.WriteLine(line)
}

// request asks the server something of our own. members are those of the parameters. The answer's result stays readable.
func (c *conn) request(ctx context.Context, method, members string) (source.Node, error) {
	type answer struct {
		f   *wire.Frame
		err error
	}
	got := make(chan answer, 1)
	id, ok := c.put(&pending{answer: func(f *wire.Frame, err error) { got <- answer{f, err} }})
	if !ok {
		return source.Node{}, down("%s has ended, or too much is asked of it", c.s.Name)
	}
	raw := `{"jsonrpc":"2.0","id":` + strconv.FormatInt(id, 10) + `,"method":"` + method + `"`
	if members != "" {
		raw += `,"params":{` + members + `}`
	}
	back, err := c.send([]byte(raw + "}"))
	if err != nil || back != nil {
		c.take(id)
		if err == nil {
			f := wire.ParseFrame(back, c.s.g.lim)
			e, _ := f.Error()
			err = &blockedError{e.Message}
		}
		return source.Node{}, err
	}
	select {
	case a := <-got:
		if a.err != nil {
			return source.Node{}, a.err
		}
		if e, failed := a.f.Error(); failed {
			said := text.Safe(e.Message, c.s.g.lim.ShownRunes)
			if e.Code == guard.Blocked && e.Data.Get("rule").Valid() {
				return source.Node{}, &blockedError{said}
			}
			return source.Node{}, &answerError{e.Code, method, said}
		}
		return a.f.Result(), nil
	case <-ctx.Done():
		c.take(id)
		_, _ = c.send([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + strconv.FormatInt(id, 10) + `}}`))
		return source.Node{}, context.Cause(ctx)
	}
}

// answerError is an error that a server answers with.
type answerError struct {
	code         int
	method, said string
}

func (e *answerError) Error() string {
	return e.method + " is answered with error " + strconv.Itoa(e.code) + ": " + e.said
}

// handshake finds out which era the server speaks, and begins. Where a lock says, that one is tried first; else the one with a
// handshake, which servers that do not know it refuse.
func (c *conn) handshake(ctx context.Context) (err error) {
	revision, first := wire.LegacyBest, (*conn).initialize
	then := (*conn).discover
	if l := c.s.Locked; l != nil && l.Protocol.Era == wire.EraModern {
		first, then = then, first
	} else if l != nil && slices.Contains(wire.Legacy(), l.Protocol.Revision) {
		revision = l.Protocol.Revision
	}
	err = first(c, ctx, revision)
	if refused := (*answerError)(nil); errors.As(err, &refused) {
		if other := then(c, ctx, revision); other == nil {
			err = nil
		}
	}
	return err
}

func (c *conn) initialize(ctx context.Context, revision string) error {
	capabilities, info := c.s.g.introduction()
	result, err := c.request(ctx, "initialize", `"protocolVersion":"`+revision+`","capabilities":`+capabilities+`,"clientInfo":`+info)
	if err != nil {
		return err
	}
	if v := result.Get("protocolVersion").Text(); !slices.Contains(wire.Legacy(), v) {
		return errors.New("it answers with version " + text.Safe(v, c.s.g.lim.ShownRunes))
	}
	c.hello = result
	if _, err = c.send([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)); err != nil {
		return err
	}
	if level := c.s.g.logging(); level != "" && c.can("logging") {
		_, err = c.request(ctx, "logging/setLevel", `"level":`+level)
		if refused := (*answerError)(nil); errors.As(err, &refused) {
			err = nil
		}
	}
	return err
}

func (c *conn) discover(ctx context.Context, _ string) error {
	result, err := c.request(ctx, "server/discover", c.meta())
	if err != nil {
		return err
	}
	for v := range result.Get("supportedVersions").Children() {
		if v.Text() == wire.Modern {
			c.modern, c.hello = true, result
			return c.subscribe()
		}
	}
	return errors.New("it speaks no version that is known here")
}

// subscribe asks a server without sessions for the news that the others send by themselves. Its answer comes when it ends.
func (c *conn) subscribe() error {
	id, ok := c.put(&pending{answer: func(*wire.Frame, error) {}})
	if !ok {
		return nil
	}
	c.mu.Lock()
	delete(c.open, id) // nobody waits for it
	c.mu.Unlock()
	_, err := c.send([]byte(`{"jsonrpc":"2.0","id":` + strconv.FormatInt(id, 10) + `,"method":"subscriptions/listen","params":{` +
		`"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true},` + c.meta() + `}}`))
	return err
}

// meta is what each of our own requests says of us in the era without a handshake.
func (c *conn) meta() string {
	_, info := c.s.g.introduction()
	return `"_meta":{"` + wire.MetaVersion + `":"` + wire.Modern + `","` + wire.MetaClient + `":` + info + `,"` + wire.MetaCapabilities + `":{}}`
}

// can says whether the server announces a capability.
func (c *conn) can(capability string) bool {
	n := c.hello.Get("capabilities").Get(capability)
	yes, isBool := n.Bool()
	return n.Valid() && n.Kind() != source.Null && (yes || !isBool)
}

// read takes what the server says until it ends.
func (c *conn) read() {
	for {
		line, err := c.lines.ReadLine(c.s.g.ctx)
		if err != nil && (len(line) == 0 || !errors.Is(err, io.ErrUnexpectedEOF)) {
			if c.s.g.ctx.Err() != nil && errors.Is(err, context.Canceled) {
				c.end(nil)
			} else {
				c.end(c.lastWords(err))
			}
			return
		}
		c.heard.Store(time.Now().UnixNano())
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 {
			c.judged(line)
		}
	}
}

// fence ends one server where what it said, or is told, makes us fail: the others go on.
func (c *conn) fence() {
	if e := recover(); e != nil {
		c.end(errors.New("what passed could not be handled"))
	}
}

// lastWords say why there is no more.
func (c *conn) lastWords(err error) error {
	why := "it ended"
	if failure := (*wire.Failure)(nil); errors.As(err, &failure) {
		why = failure.Detail
	} else if !errors.Is(err, io.EOF) {
		why += ": " + err.Error()
	}
	if said := bytes.TrimSpace(c.lines.Stderr()); len(said) > 0 {
		why += "; it said: " + wire.Excerpt(said[bytes.LastIndexByte(said, '\n')+1:], c.s.g.lim)
	}
	return errors.New(why)
}

// judged has a frame of the server judged, and does with it what is left of it.
func (c *conn) judged(line []byte) {
	defer c.fence()
	res := c.s.Judge.Frame(guard.Server, line)
	c.s.saw(guard.Server, len(line), res)
	if res.Reply != nil {
		c.reply(res.Reply)
	}
	if res.Forward == nil {
		return
	}
	f := wire.ParseFrame(res.Forward, c.s.g.lim)
	if f.Kind != wire.Batch {
		c.take1(&f)
		return
	}
	for part := range f.Parts() {
		alone := wire.ParseFrame(part.Raw, c.s.g.lim)
		c.take1(&alone)
	}
}

// later has an answer given behind those before it. It waits for nothing: where a server reads none of so many, it gets no more.
func (c *conn) later(answer func()) {
	select {
	case c.answers <- answer:
	default:
	}
}

// answering gives the answers until the process has ended.
func (c *conn) answering() {
	defer c.fence()
	for {
		select {
		case answer := <-c.answers:
			answer()
		case <-c.gone:
			return
		}
	}
}

// reply writes a line that was judged, from the goroutine that reads.
func (c *conn) reply(line []byte) {
	c.later(func() {
		c.writing.Lock()
		defer c.writing.Unlock()
		if err := c.write(line); err != nil {
			c.end(err)
		}
	})
}

// answerOurselves has an answer of ours to a request of the server judged and written.
func (c *conn) answerOurselves(id, member string) {
	c.later(func() { _, _ = c.send([]byte(`{"jsonrpc":"2.0","id":` + id + `,` + member + `}`)) })
}

// take1 does with one message of the server what it is for.
func (c *conn) take1(f *wire.Frame) {
	switch f.Kind {
	case wire.Response:
		if id, ok := ours(f.ID); ok {
			if p := c.take(id); p != nil {
				p.answer(f, nil)
			}
		}
	case wire.Request:
		if f.Method == "ping" {
			c.answerOurselves(f.ID, `"result":{}`)
		} else if !c.s.g.inquire(c, f) {
			c.answerOurselves(f.ID, `"error":{"code":-32601,"message":"the client has no such method, or too much is asked of it"}`)
		}
	case wire.Notification:
		c.news(f)
	}
}

// ours is an id of ours as a server may write it: 1 and 1.0 are one, and 1.5 is none.
func ours(written string) (int64, bool) {
	f, err := strconv.ParseFloat(written, 64)
	id := int64(f)
	return id, err == nil && float64(id) == f
}

// news passes a notification of the server on.
func (c *conn) news(f *wire.Frame) {
	params := f.Node.Get("params")
	switch f.Method {
	case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed":
		for _, k := range wire.Lists() {
			if strings.HasPrefix(f.Method, "notifications/"+k.Capability()+"/") {
				c.s.forget(k)
				if k != wire.Templates {
					c.s.g.changed(k)
				}
			}
		}
	case "notifications/progress":
		id, ok := ours(string(params.Get("progressToken").Raw()))
		c.mu.Lock()
		p := c.open[id]
		c.mu.Unlock()
		if ok && p != nil && p.token != "" {
			c.s.g.tell(f, params.Get("progressToken").Replace(p.token))
		}
	case "notifications/message":
		logger := params.Get("logger")
		switch {
		case logger.Kind() == source.String:
			c.s.g.tell(f, logger.Replace(source.Quote(c.s.word+"/"+logger.Text())))
		case params.Kind() == source.Object && !logger.Valid():
			c.s.g.tell(f, params.Insert("logger", source.Quote(c.s.word)))
		}
	case "notifications/resources/updated":
		if uri, ok := params.Get("uri").Str(); ok {
			c.s.g.tell(f, params.Get("uri").Replace(source.Quote(c.s.uri(uri))))
		}
	case "notifications/elicitation/complete":
		c.s.g.tell(f)
	case "notifications/cancelled":
		c.s.g.recant(c, f)
	}
}

// forward passes a request of a client on. edits make its names the server's own.
func (c *conn) forward(a *ask, edits []finding.Edit) {
	c.asked.Store(time.Now().UnixNano())
	if c.withheld != nil && a.m.Method == "tools/call" {
		a.fail(c.withheld)
		return
	}
	p := &pending{answer: func(f *wire.Frame, err error) {
		if err != nil {
			a.fail(err)
			return
		}
		a.respond(c.s, f)
	}}
	meta := a.m.Params.Get("_meta")
	if token := meta.Get("progressToken"); token.Kind() == source.String || token.Kind() == source.Number {
		p.token = string(token.Raw())
	}
	id, ok := c.put(p)
	if !ok {
		a.fail(down("too much is asked of %s at once", c.s.Name))
		return
	}
	written := strconv.FormatInt(id, 10)
	edits = append(edits, a.m.Node.Get("id").Replace(written))
	if p.token != "" {
		edits = append(edits, meta.Get("progressToken").Replace(written))
	}
	if c.modern && !a.m.Modern {
		_, info := c.s.g.introduction()
		const version = `"` + wire.Modern + `","` + wire.MetaClient + `":`
		value := version + info + `,"` + wire.MetaCapabilities + `":{}`
		switch {
		case meta.Kind() == source.Object:
			edits = append(edits, meta.Insert(wire.MetaVersion, value))
		case a.m.Params.Kind() == source.Object:
			edits = append(edits, a.m.Params.Insert("_meta", `{"`+wire.MetaVersion+`":`+value+`}`))
		}
	}
	raw, err := source.Apply(a.m.Node.Doc().Raw, edits)
	if err == nil && !a.at(c, id) { // it was taken back meanwhile
		c.take(id)
		return
	}
	var back []byte
	if err == nil {
		back, err = c.send(raw)
	}
	if err == nil && back == nil {
		return
	}
	if c.take(id) == nil {
		return // its answer, or the end of the server, was there before
	}
	if err != nil {
		a.fail(down("%s takes nothing: %s", c.s.Name, err))
		return
	}
	f := wire.ParseFrame(back, c.s.g.lim)
	a.respond(c.s, &f)
}

// cancel takes a request back that the client waits for no more.
func (c *conn) cancel(id int64, reason source.Node) {
	if c.take(id) == nil {
		return
	}
	params := `"requestId":` + strconv.FormatInt(id, 10)
	if reason.Kind() == source.String {
		params += `,"reason":` + string(reason.Raw())
	}
	c.s.submit(job{do: func(now *conn) {
		if now == c {
			_, _ = c.send([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{` + params + `}}`))
		}
	}})
}
