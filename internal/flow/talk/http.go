package talk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Door is the network. Its errors, and those of the bodies that it gives, are *wire.Failure.
type Door interface {
	Send(ctx context.Context, r *wire.HTTPRequest) (*wire.HTTPResponse, error)
}

// HTTP is a server behind a URL: Streamable HTTP of either era, or where that URL does not know it, HTTP+SSE.
func HTTP(door Door, at string, o Options) Server {
	return Server{Transport: wire.HTTP, Old: SSE(door, at, o).Dial, Dial: func(context.Context) (Conn, error) {
		return &streamable{web: web{desk: newDesk(o), door: door}, url: at}, nil
	}}
}

// web is what both HTTP transports share.
type web struct {
	desk
	door Door
}

// open sends a request and notes its answer in the exchange. The body is the caller's to close.
func (c *web) open(ctx context.Context, w *wait, r *wire.HTTPRequest) (*wire.HTTPResponse, error) {
	resp, err := c.door.Send(ctx, r)
	if err != nil {
		return nil, err
	}
	w.ex.Verb, w.ex.Status, w.ex.Certificate, w.ex.Header = r.Verb, resp.Status, resp.Certificate, wire.Header{}
	for _, name := range wire.KeptHeaders() {
		if v, ok := resp.Header[name]; ok {
			w.ex.Header[name] = v
		}
	}
	w.ex.Session = resp.Header.Get("mcp-session-id")
	for _, f := range resp.Faults {
		w.fault(f)
	}
	return resp, nil
}

// close ends an answer and notes what the door saw in it.
func (c *web) close(w *wait, resp *wire.HTTPResponse) {
	resp.Body.Close()
	for _, f := range resp.Late() {
		w.fault(f)
	}
}

// body reads an answer that is no event stream. Where it holds no response to the request, the failure says why.
func (c *web) body(w *wait, resp *wire.HTTPResponse) error {
	text, err := io.ReadAll(resp.Body)
	if w.ex.Text = text; err != nil {
		return err
	}
	redirects := resp.Status >= 300 && resp.Status <= 399 // with a page for people
	if !redirects && (wire.LooksLikeHTML(text) || resp.Header.MediaType() == "text/html") {
		w.fault(wire.Fault{Kind: wire.HTML, Status: resp.Status, Detail: wire.Excerpt(bytes.Join(bytes.Fields(text), []byte(" ")), c.lim)})
		return unanswered(resp, "a web page", c)
	}
	if resp.Status < 200 || resp.Status > 299 {
		// HTTP has said no; only what is certainly JSON-RPC says more.
		if f := wire.ParseFrame(text, c.lim); f.Kind != wire.Response || f.Node.Get("jsonrpc").Text() != "2.0" {
			return unanswered(resp, wire.Excerpt(text, c.lim), c)
		}
	}
	w.alone = true
	done, failure := w.take(text)
	if failure != nil {
		return failure
	}
	if media := resp.Header.MediaType(); len(text) > 0 && media != wire.MediaJSON {
		w.fault(wire.Fault{Kind: wire.BadContentType, Detail: media, Status: resp.Status})
	}
	if !done {
		w.fault(wire.Fault{Kind: wire.NoReply, Status: resp.Status})
		return unanswered(resp, "an answer to something else, or none", c)
	}
	w.ex.Text = nil
	return nil
}

// unanswered is the failure of an answer without a response.
func unanswered(resp *wire.HTTPResponse, what string, c *web) *wire.Failure {
	f := &wire.Failure{Cause: wire.CauseAnswer, Status: resp.Status, Detail: "HTTP " + strconv.Itoa(resp.Status)}
	if what != "" {
		f.Detail += ": " + what
	}
	switch {
	case resp.Status >= 300 && resp.Status <= 399:
		f.Cause = wire.CauseRedirect
		for _, fault := range resp.Faults {
			if fault.Kind == wire.Redirect {
				f.Target = fault.Target
				f.Detail = fmt.Sprintf("HTTP %d leads to %s, which is not followed", resp.Status, fault.Target)
			}
		}
	case resp.Status == statusUnauthorized || resp.Status == statusForbidden:
		f.Cause = wire.CauseAuth
		if ask := resp.Header.Get("www-authenticate"); ask != "" {
			f.Detail += "; it asks for " + wire.Excerpt([]byte(ask), c.lim)
		}
	case resp.Status < 200 || resp.Status > 299:
		f.Cause = wire.CauseStatus
	}
	return f
}

// RetryAfter reads the field of that name (RFC 9110, section 10.2.3), 0 for none.
func RetryAfter(h wire.Header) time.Duration {
	text := strings.TrimSpace(h.Get("retry-after"))
	if n, err := strconv.ParseInt(text, 10, 32); err == nil && n > 0 {
		return time.Duration(n) * time.Second
	}
	if at, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// streamable is Streamable HTTP (2025-03-26 and later). A session begins with initialize, so the modern era has none.
type streamable struct {
	web
	url     string
	session string
	version string
}

func (c *streamable) request(call Call, body []byte) *wire.HTTPRequest {
	r := &wire.HTTPRequest{Verb: "POST", URL: c.url, Body: body, Want: call.Want, Header: call.header()}
	r.Header = append(r.Header, [2]string{"Content-Type", wire.MediaJSON}, [2]string{"Accept", wire.MediaJSON + ", " + wire.MediaEvents})
	if c.session != "" {
		r.Header = append(r.Header, [2]string{"Mcp-Session-Id", c.session})
	}
	return r
}

func (c *streamable) Do(ctx context.Context, call Call) (*wire.Exchange, error) {
	if call.Method == "initialize" {
		c.session, c.ready = "", false
	}
	c.version = call.Version
	w := c.wait(ctx, call)
	w.id = c.id()
	w.ex.Request, w.ex.InSession = call.message(w.id), c.session != ""
	return w.ex, c.answer(ctx, w, c.request(call, w.ex.Request))
}

func (c *streamable) wait(ctx context.Context, call Call) *wait {
	return &wait{desk: &c.desk, ex: &wire.Exchange{Method: call.Method}, call: call, send: func(message []byte) {
		if resp, err := c.door.Send(ctx, c.request(Call{Version: call.Version}, message)); err == nil {
			resp.Body.Close() // 202, or the server does not want to know
		}
	}}
}

// answer waits for the response to a request in whatever form it comes.
func (c *streamable) answer(ctx context.Context, w *wait, r *wire.HTTPRequest) error {
	resp, err := c.open(ctx, w, r)
	if err != nil {
		return err
	}
	if w.call.Method == "initialize" {
		c.begin(w)
	}
	if resp.Header.MediaType() != wire.MediaEvents || resp.Status != statusOK {
		defer c.close(w, resp)
		return c.body(w, resp)
	}
	return c.stream(ctx, w, resp)
}

// begin keeps the id of a new session (2025-03-26: visible ASCII).
func (c *streamable) begin(w *wait) {
	if c.session = w.ex.Session; !Sendable(c.session, c.lim) {
		w.fault(wire.Fault{Kind: wire.BadSession})
		c.session = ""
	}
}

// Sendable says that the id of a session can be sent back.
func Sendable(id string, lim limits.Set) bool {
	return len(id) <= lim.SessionBytes && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r >= 0x7F })
}

// stream reads an event stream, and where it breaks off takes it up again behind the last event that had an id. From
// 2026-07-28 on events have none.
func (c *streamable) stream(ctx context.Context, w *wait, resp *wire.HTTPResponse) error {
	for tries := 0; ; tries++ {
		events := wire.NewEvents(resp.Body, c.lim.StreamBytes, c.lim)
		err := w.drain(events)
		c.close(w, resp)
		var failure *wire.Failure
		if errors.As(err, &failure) && failure.Cause != wire.CauseBroken || err == nil {
			return err
		}
		id := events.LastID()
		if w.call.Modern || id == "" || tries == c.lim.StreamRetries || w.id == "" {
			w.fault(wire.Fault{Kind: wire.NoReply, Status: resp.Status})
			return &wire.Failure{Cause: wire.CauseBroken, Detail: "the event stream ended before the answer", Status: resp.Status}
		}
		pause, asked := events.Retry()
		if !asked {
			pause = c.lim.RetryWait
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		r := c.get(w.call)
		r.Header = append(r.Header, [2]string{"Last-Event-ID", id})
		if resp, err = c.door.Send(ctx, r); err != nil {
			return err
		}
		if resp.Status != statusOK || resp.Header.MediaType() != wire.MediaEvents {
			resp.Body.Close()
			w.fault(wire.Fault{Kind: wire.NoReply, Status: resp.Status})
			return &wire.Failure{Cause: wire.CauseBroken, Detail: "the event stream ended before the answer and can not be taken up again", Status: resp.Status}
		}
	}
}

// get asks for the server's own stream.
func (c *streamable) get(call Call) *wire.HTTPRequest {
	r := &wire.HTTPRequest{Verb: "GET", URL: c.url, Header: append(Call{Version: call.Version}.header(), [2]string{"Accept", wire.MediaEvents})}
	if c.session != "" {
		r.Header = append(r.Header, [2]string{"Mcp-Session-Id", c.session})
	}
	return r
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return failureOf(ctx, ctx.Err())
	}
}

func (c *streamable) Notify(ctx context.Context, call Call) (*wire.Exchange, error) {
	w := c.wait(ctx, call)
	w.ex.Request = call.message("")
	c.ready = true
	return w.ex, c.notify(ctx, w, c.request(call, w.ex.Request))
}

// notify sends what has no response (2025-03-26: 202 and no body).
func (c *web) notify(ctx context.Context, w *wait, r *wire.HTTPRequest) error {
	resp, err := c.open(ctx, w, r)
	if err != nil {
		return err
	}
	defer c.close(w, resp)
	if resp.Status < 200 || resp.Status > 299 {
		text, _ := io.ReadAll(resp.Body) // as far as it goes
		return unanswered(resp, wire.Excerpt(text, c.lim), c)
	}
	if w.id == "" && resp.Status != statusAccepted {
		w.fault(wire.Fault{Kind: wire.NotificationAnswered, Status: resp.Status})
	}
	return nil
}

func (c *streamable) Listen(ctx context.Context, call Call) (*wire.Exchange, error) {
	w := c.wait(ctx, call)
	w.news = true
	r := c.get(call)
	if call.Method != "" {
		w.id = c.id()
		w.ex.Request = call.message(w.id)
		r = c.request(call, w.ex.Request)
	}
	r.Want = wire.Stream
	resp, err := c.open(ctx, w, r)
	switch {
	case err != nil:
	case resp.Header.MediaType() == wire.MediaEvents && resp.Status == statusOK:
		err = w.drain(wire.NewEvents(resp.Body, c.lim.StreamBytes, c.lim))
		c.close(w, resp)
		if errors.Is(err, io.EOF) {
			err = &wire.Failure{Cause: wire.CauseBroken, Detail: "the event stream ended"}
		}
	case call.Method == "" && slices.Contains([]int{statusNotAllowed, statusNotAcceptable, statusNotFound}, resp.Status): // no client hears news here
		c.close(w, resp)
	default:
		err = c.body(w, resp)
		c.close(w, resp)
	}
	return w.ex, heard(ctx, w, err)
}

// Close ends the session (2025-03-26: DELETE; a server may refuse).
func (c *streamable) Close() error {
	if c.session == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.lim.CloseTime)
	defer cancel()
	r := c.get(Call{Version: c.version})
	r.Verb, c.session = "DELETE", ""
	resp, err := c.door.Send(ctx, r)
	if err == nil {
		err = resp.Body.Close()
	}
	return err
}
