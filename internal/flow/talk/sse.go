package talk

import (
	"context"
	"errors"
	"io"
	"net/url"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// SSE is a server with the transport of 2024-11-05: a GET opens a stream whose first event says where to post, and all
// answers come on that stream.
func SSE(door Door, at string, o Options) Server {
	return Server{Transport: wire.SSE, Legacy: true, Dial: func(ctx context.Context) (Conn, error) {
		c := &oldSSE{web: web{desk: newDesk(o), door: door}, events: make(chan []byte, o.Limits.StreamAhead)}
		ctx, c.cancel = context.WithCancel(ctx)
		if err := c.connect(ctx, at); err != nil {
			c.cancel()
			return nil, err
		}
		return c, nil
	}}
}

type oldSSE struct {
	web
	cancel context.CancelFunc
	post   string
	first  wire.Exchange // of the stream itself, until a request takes its faults over
	events chan []byte
	broken error // why there are no more events, once the channel is closed
}

// connect opens the stream and waits for the endpoint. It must be of the stream's own origin: a credential goes there.
func (c *oldSSE) connect(ctx context.Context, at string) error {
	waiting, cancel := context.WithTimeoutCause(ctx, c.lim.RequestTime,
		&wire.Failure{Cause: wire.CauseTimeout, Detail: "no endpoint event within " + c.lim.RequestTime.String()})
	defer cancel()
	w := &wait{desk: &c.desk, ex: &c.first}
	resp, err := c.open(ctx, w, &wire.HTTPRequest{Verb: "GET", URL: at, Want: wire.Stream, Header: [][2]string{{"Accept", wire.MediaEvents}}})
	if err != nil {
		return err
	}
	if resp.Status != statusOK || resp.Header.MediaType() != wire.MediaEvents {
		defer c.close(w, resp)
		return unanswered(resp, "no event stream", &c.web)
	}
	endpoint := make(chan string)
	go c.pump(ctx, resp, endpoint)
	select {
	case <-waiting.Done():
		return failureOf(waiting, waiting.Err())
	case where, ok := <-endpoint:
		if !ok {
			return &wire.Failure{Cause: wire.CauseAnswer, Detail: "the event stream begins without an endpoint"}
		}
		return c.aim(at, where)
	}
}

// aim takes the URL to post to.
func (c *oldSSE) aim(at, where string) error {
	base, err := url.Parse(at)
	if err != nil {
		return &wire.Failure{Cause: wire.CauseRefused, Detail: "the URL can not be read"}
	}
	to, err := base.Parse(where)
	if err != nil {
		return &wire.Failure{Cause: wire.CauseAnswer, Detail: "the endpoint is no URL"}
	}
	mine, _ := wire.Origin(base)
	if theirs, ok := wire.Origin(to); !ok || theirs != mine {
		return &wire.Failure{Cause: wire.CauseRefused, Detail: "the endpoint is on another origin: " + wire.ShownURL(to), Target: wire.ShownURL(to)}
	}
	c.post = to.String()
	return nil
}

// pump hands the events of the stream on, the first one as the endpoint.
func (c *oldSSE) pump(ctx context.Context, resp *wire.HTTPResponse, endpoint chan<- string) {
	defer resp.Body.Close()
	events := wire.NewEvents(resp.Body, c.lim.SurfaceBytes, c.lim)
	event, err := events.Next()
	if err != nil || event.Name != "endpoint" {
		close(endpoint)
		return
	}
	select {
	case endpoint <- string(event.Data):
	case <-ctx.Done():
		return
	}
	defer close(c.events)
	for {
		event, err := events.Next()
		if err != nil {
			c.broken = err
			return
		}
		if event.Name != "" && event.Name != "message" {
			continue
		}
		select {
		case c.events <- event.Data:
		case <-ctx.Done():
			c.broken = ctx.Err()
			return
		}
	}
}

// read takes events until the answer is there.
func (c *oldSSE) read(ctx context.Context, w *wait) error {
	for {
		select {
		case <-ctx.Done():
			return failureOf(ctx, ctx.Err())
		case data, ok := <-c.events:
			if !ok {
				if errors.Is(c.broken, io.EOF) {
					return &wire.Failure{Cause: wire.CauseEnded, Detail: "the event stream ended before the answer"}
				}
				return failureOf(ctx, c.broken)
			}
			if done, failure := w.take(data); failure != nil {
				return failure
			} else if done {
				return nil
			}
		}
	}
}

func (c *oldSSE) message(body []byte) *wire.HTTPRequest {
	return &wire.HTTPRequest{Verb: "POST", URL: c.post, Body: body, Header: [][2]string{{"Content-Type", wire.MediaJSON}}}
}

func (c *oldSSE) wait(ctx context.Context, call Call) *wait {
	w := &wait{desk: &c.desk, ex: &wire.Exchange{Method: call.Method, Faults: c.first.Faults}, call: call, send: func(message []byte) {
		if resp, err := c.door.Send(ctx, c.message(message)); err == nil {
			resp.Body.Close()
		}
	}}
	c.first.Faults = nil
	return w
}

func (c *oldSSE) Do(ctx context.Context, call Call) (*wire.Exchange, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.lim.RequestTime, &wire.Failure{Cause: wire.CauseTimeout, Detail: "no answer within " + c.lim.RequestTime.String()})
	defer cancel()
	w := c.wait(ctx, call)
	w.id = c.id()
	w.ex.Request = call.message(w.id)
	if err := c.notify(ctx, w, c.message(w.ex.Request)); err != nil {
		return w.ex, err
	}
	return w.ex, c.read(ctx, w)
}

func (c *oldSSE) Notify(ctx context.Context, call Call) (*wire.Exchange, error) {
	w := c.wait(ctx, call)
	w.ex.Request = call.message("")
	c.ready = true
	return w.ex, c.notify(ctx, w, c.message(w.ex.Request))
}

func (c *oldSSE) Listen(ctx context.Context, call Call) (*wire.Exchange, error) {
	w := c.wait(ctx, call)
	w.news = true
	return w.ex, heard(ctx, w, c.read(ctx, w))
}

func (c *oldSSE) Close() error {
	c.cancel()
	return nil
}
