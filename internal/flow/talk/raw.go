package talk

import (
	"context"
	"errors"
	"io"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Raw is one message as it is: bytes and headers that no client would send, to see what a server makes of them.
type Raw struct {
	// HTTP is the request. On stdio only its body counts, which is the line.
	HTTP wire.HTTPRequest
	// Method is what faults name, Version the revision that the message claims, "" for none.
	Method, Version string
	Modern          bool
	// ID is that of the message, as JSON, "" for none. An error without an id, or with null, answers it too.
	ID string
	// AnyID says that a server may well answer under another id.
	AnyID bool
	// Expect is what of an answer ends the wait.
	Expect Expect
	// Behind is a request that is sent right behind a line on stdio, nil for none. Its answer ends the wait: what is not said
	// by then will not be.
	Behind *Call
}

// Expect is what ends the wait for an answer.
type Expect uint8

// What is expected: the response, no response (a notification), any text (no JSON-RPC), or the first message of a stream.
const (
	Reply Expect = iota
	Nothing
	Text
	First
)

// Rawer sends messages as they are. An exchange comes back with every error, as of Conn.
type Rawer interface {
	Raw(ctx context.Context, r Raw) (*wire.Exchange, error)
	Close() error
}

// RawHTTP sends over HTTP. Messages may be sent at the same time: each is by itself.
func RawHTTP(door Door, o Options) Rawer { return rawHTTP{door, o} }

type rawHTTP struct {
	door Door
	o    Options
}

func (c rawHTTP) Close() error { return nil }

func (c rawHTTP) Raw(ctx context.Context, r Raw) (*wire.Exchange, error) {
	one := web{desk: newDesk(c.o), door: c.door}
	w := one.raw(r)
	w.send = func([]byte) {} // a server that asks before it answers is not answered
	w.alone = true
	limit := c.o.Limits.RequestTime
	if r.Expect == First {
		limit = c.o.Limits.ListenTime
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &wire.Failure{Cause: wire.CauseTimeout, Detail: "no answer within " + limit.String()})
	defer cancel()
	if r.Expect == Nothing {
		return w.ex, one.notify(ctx, w, &r.HTTP)
	}
	resp, err := one.open(ctx, w, &r.HTTP)
	if err != nil {
		return w.ex, err
	}
	defer one.close(w, resp)
	stream := resp.Header.MediaType() == wire.MediaEvents && resp.Status == statusOK
	switch {
	case r.Expect == Text && stream: // which need not end
		return w.ex, nil
	case r.Expect == Text:
		w.ex.Text, err = io.ReadAll(resp.Body)
		return w.ex, err
	case !stream:
		return w.ex, one.body(w, resp)
	}
	if err = w.drain(wire.NewEvents(resp.Body, c.o.Limits.StreamBytes, c.o.Limits)); errors.Is(err, io.EOF) {
		w.fault(wire.Fault{Kind: wire.NoReply, Status: resp.Status})
		err = &wire.Failure{Cause: wire.CauseBroken, Detail: "the event stream ended before the answer", Status: resp.Status}
	}
	return w.ex, err
}

// raw is the wait for the answer to a message.
func (d *desk) raw(r Raw) *wait {
	if r.ID != "" {
		d.asked[r.ID] = false
	}
	return &wait{desk: d, id: r.ID, anyID: r.AnyID, first: r.Expect == First, call: Call{Method: r.Method, Version: r.Version, Modern: r.Modern},
		ex: &wire.Exchange{Method: r.Method, Request: r.HTTP.Body}}
}

// RawSSE sends over the transport of 2024-11-05, whose stream it opens first.
func RawSSE(ctx context.Context, door Door, at string, o Options) (Rawer, *wire.Failure) {
	conn, err := SSE(door, at, o).Dial(ctx)
	if err != nil {
		return nil, failureOf(ctx, err)
	}
	return conn.(*oldSSE), nil
}

// Raw posts a message where the stream said. An answer to the post that is no success is the answer.
func (c *oldSSE) Raw(ctx context.Context, r Raw) (*wire.Exchange, error) {
	w := c.wait(ctx, Call{Method: r.Method, Version: r.Version})
	w.id, w.anyID, w.ex.Request = r.ID, r.AnyID, r.HTTP.Body
	if r.ID != "" {
		c.asked[r.ID] = false
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.lim.RequestTime, &wire.Failure{Cause: wire.CauseTimeout, Detail: "no answer within " + c.lim.RequestTime.String()})
	defer cancel()
	if r.HTTP.Verb != "POST" {
		return rawHTTP{c.door, Options{Limits: c.lim, Secrets: c.secrets}}.Raw(ctx, r)
	}
	m := r.HTTP
	m.URL = c.post
	resp, err := c.open(ctx, w, &m)
	if err != nil {
		return w.ex, err
	}
	if resp.Status < 200 || resp.Status > 299 {
		defer c.close(w, resp)
		return w.ex, c.body(w, resp)
	}
	c.close(w, resp)
	if r.Expect == Nothing {
		c.ready = true
		return w.ex, nil
	}
	w.alone = true
	return w.ex, c.read(ctx, w)
}

// RawStdio starts a server and sends it lines.
func RawStdio(ctx context.Context, start func(context.Context) (Lines, error), o Options) (Rawer, *wire.Failure) {
	conn, err := Stdio(start, o).Dial(ctx)
	if err != nil {
		return nil, failureOf(ctx, err)
	}
	return conn.(*stdio), nil
}

// Raw sends a line, and the request behind it. The reply is that to the line; whether the server lives on is whether the
// request was answered, which no error says.
func (c *stdio) Raw(ctx context.Context, r Raw) (*wire.Exchange, error) {
	limit := c.lim.RequestTime
	if !c.talked {
		limit = c.lim.StartTime
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &wire.Failure{Cause: wire.CauseTimeout, Detail: "no answer within " + limit.String()})
	defer cancel()
	w := c.desk.raw(r)
	w.alone = r.Behind != nil
	if err := c.write(ctx, r.HTTP.Body); err != nil || r.Expect == Nothing {
		c.ready = true
		return w.ex, err
	}
	if r.Behind == nil {
		err := c.read(ctx, w)
		c.talked = c.talked || err == nil
		return w.ex, err
	}
	id := c.id()
	if err := c.write(ctx, r.Behind.message(id)); err != nil {
		return w.ex, err
	}
	w.behind = id
	if err := c.read(ctx, w); err != nil {
		return w.ex, err
	}
	if w.behind = ""; w.ex.Reply == nil { // a server may look at two lines at the same time
		quiet, cancel := context.WithTimeout(ctx, c.lim.QuietTime)
		defer cancel()
		_ = c.read(quiet, w)
	}
	return w.ex, nil
}
