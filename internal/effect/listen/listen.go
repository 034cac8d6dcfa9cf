// Package listen is the one door that others come in by: an HTTP/1.1 server whose every part is bounded in bytes, time and
// number. It reads a request whole, hands it to a handler that knows nothing of sockets, and writes the answer.
package listen

import (
	"context"
	"errors"
	"io"
	"log"
	stdnet "net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Options is what answers.
type Options struct {
	// Admit refuses a request by its header, before any of its body is read; nil lets it in.
	Admit func(*wire.Asked) *wire.Answer
	// Handle answers one that was let in.
	Handle wire.Handler
	// Over answers one whose body is over its limit: begun is what was read of it, and rest the rest, within ServeBodyTime. Where it
	// is nil such a body is thrown away, and Handle told.
	Over func(r *wire.Asked, begun []byte, rest io.Reader) *wire.Answer
	// Public is the origin that callers know us by, "" for the Host that each names.
	Public string
	Limits limits.Set
}

// Door is an open address.
type Door struct {
	opt      Options
	listener stdnet.Listener
	held     *held
	ending   context.Context // ends when no more is served
}

// Open listens on an address. It answers nobody before Serve.
func Open(ctx context.Context, address string, opt Options) (*Door, error) {
	var config stdnet.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &Door{opt: opt, listener: l, held: newHeld(opt.Limits.AskedHeld)}, nil
}

// Address is where it listens: the port is known where none was named.
func (d *Door) Address() netip.AddrPort {
	return d.listener.Addr().(*stdnet.TCPAddr).AddrPort()
}

// Loopback says whether an address to listen on is this machine alone. A name is resolved by nobody: only localhost is known.
func Loopback(address string) bool {
	host, _, err := stdnet.SplitHostPort(address)
	if err != nil {
		return false
	}
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// Serve answers until ctx ends; then what is at hand has ServeEnd to be answered.
func (d *Door) Serve(ctx context.Context) error {
	lim := d.opt.Limits
	d.ending = ctx
	answering, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	server := &http.Server{
		Handler:           d,
		ReadHeaderTimeout: lim.ServeHeaderTime,
		IdleTimeout:       lim.ServeIdle,
		MaxHeaderBytes:    lim.AskedHeader,
		ErrorLog:          log.New(io.Discard, "", 0), // a stranger's bytes would stand in it
		BaseContext:       func(stdnet.Listener) context.Context { return answering },
		Protocols:         new(http.Protocols),
	}
	server.Protocols.SetHTTP1(true)
	done := make(chan error, 1)
	go func() { done <- server.Serve(&few{d.listener, make(chan struct{}, lim.ServeConns)}) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), lim.ServeEnd)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		stop()
		return server.Close()
	}
	return nil
}

// ServeHTTP reads one request, has it answered and writes the answer.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked := d.asked(r)
	if a := d.opt.Admit(asked); a != nil {
		d.drain(w, r)
		d.write(w, r, a)
		return
	}
	give, err := d.body(w, r, asked)
	defer give()
	if err == nil && asked.Cut && d.opt.Over != nil {
		over := d.opt.Over(asked, asked.Body, r.Body)
		asked.Body = nil
		w.Header().Set("connection", "close")
		d.write(w, r, over)
		return
	}
	if err != nil {
		w.Header().Set("connection", "close")
		status := http.StatusRequestTimeout
		if errors.Is(err, errBusy) {
			status = http.StatusTooManyRequests
			w.Header().Set("retry-after", strconv.Itoa(int(d.opt.Limits.ServeBodyTime/time.Second)))
		}
		d.write(w, r, &wire.Answer{Status: status})
		return
	}
	d.write(w, r, d.opt.Handle(r.Context(), asked))
}

// asked is the request without its body.
func (d *Door) asked(r *http.Request) *wire.Asked {
	a := &wire.Asked{Verb: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: make(wire.Header, len(r.Header)+1), Base: d.opt.Public}
	for name, values := range r.Header {
		a.Header[strings.ToLower(name)] = values
	}
	a.Header["host"] = []string{r.Host}
	if a.Base == "" {
		a.Base = "http://" + r.Host
	}
	if from, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		a.From = from.Addr().Unmap().String()
	}
	return a
}

// errBusy says that the bodies of other requests fill the room that there is.
var errBusy = errors.New("too many bodies at once")

// body reads the body, within its limit, its time, and the room that all bodies share. give gives the room back.
func (d *Door) body(w http.ResponseWriter, r *http.Request, asked *wire.Asked) (give func(), err error) {
	lim := d.opt.Limits
	room := 0
	give = func() { d.held.give(room) }
	if r.Body == nil || r.Body == http.NoBody {
		return give, nil
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(lim.ServeBodyTime))
	var body []byte
	for {
		if len(body) == cap(body) {
			step := max(lim.HeldStep, cap(body))
			if body == nil && r.ContentLength >= 0 {
				step = int(min(r.ContentLength, int64(lim.AskedBytes))) + 1 // one more than it will hold, to see its end
			}
			if step = min(step, lim.AskedBytes+1-len(body)); step <= 0 || r.ContentLength > int64(lim.AskedBytes) {
				if asked.Cut = true; d.opt.Over != nil {
					break
				}
				_, _ = io.CopyN(io.Discard, r.Body, lim.AskedDrain) // so that its sender reads the answer
				body = nil
				break
			}
			if !d.held.take(step) {
				_ = control.SetReadDeadline(time.Now()) // nobody will read the rest
				return give, errBusy
			}
			room += step
			body = append(make([]byte, 0, len(body)+step), body...)
		}
		n, err := r.Body.Read(body[len(body):cap(body)])
		if body = body[:len(body)+n]; err == io.EOF {
			break
		} else if err != nil {
			return give, err
		}
	}
	if len(body) > lim.AskedBytes {
		asked.Cut = true
		if d.opt.Over == nil {
			body = nil
		}
	}
	if asked.Body = body; asked.Cut && d.opt.Over != nil {
		return give, nil // the rest is still to be read, within the time
	}
	return give, control.SetReadDeadline(time.Time{}) // else it would end the watch for a caller who goes
}

// drain throws a body away that nobody will read, within reason, so that its sender reads the answer.
func (d *Door) drain(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(d.opt.Limits.ServeBodyTime))
	_, _ = io.CopyN(io.Discard, r.Body, d.opt.Limits.AskedDrain)
}

// write writes an answer.
func (d *Door) write(w http.ResponseWriter, r *http.Request, a *wire.Answer) {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(d.opt.Limits.ServeWriteTime))
	length := 0
	for _, part := range a.Body {
		length += len(part)
	}
	h := w.Header()
	for _, field := range a.Header {
		h.Add(field[0], field[1])
	}
	if a.Follow == nil {
		h.Set("content-length", strconv.Itoa(length))
	}
	w.WriteHeader(a.Status)
	var err error
	for _, part := range a.Body {
		if _, err = w.Write(part); err != nil {
			break
		}
	}
	if a.Follow != nil {
		d.follow(control, w, r, a, err)
	}
}

// follow writes what comes behind the body. A caller who reads nothing for ServeStall is taken for gone; who makes the answer is asked
// even where it can not be written any more, and then told so at once: it has things to close.
func (d *Door) follow(control *http.ResponseController, w http.ResponseWriter, r *http.Request, a *wire.Answer, err error) {
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	defer context.AfterFunc(d.ending, stop)()
	write := func(piece []byte) error {
		_ = control.SetWriteDeadline(time.Now().Add(d.opt.Limits.ServeStall))
		if _, err := w.Write(piece); err != nil {
			return err
		}
		return control.Flush()
	}
	if err == nil {
		err = control.Flush() // the header does not wait for the first piece
	}
	if err != nil {
		stop()
	}
	err = a.Follow(ctx, write)
	if err != nil && d.ending.Err() == nil {
		panic(http.ErrAbortHandler)
	}
}

// held counts the bytes of all bodies at hand.
type held struct {
	mu   sync.Mutex
	free int
}

func newHeld(free int) *held { return &held{free: free} }

func (h *held) take(n int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n > h.free {
		return false
	}
	h.free -= n
	return true
}

func (h *held) give(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.free += n
}

// few is a listener that has so many connections open and no more: the next waits in the system's queue.
type few struct {
	stdnet.Listener
	slots chan struct{}
}

func (f *few) Accept() (stdnet.Conn, error) {
	f.slots <- struct{}{}
	c, err := f.Listener.Accept()
	if err != nil {
		<-f.slots
		return nil, err
	}
	return &counted{Conn: c, leave: sync.OnceFunc(func() { <-f.slots })}, nil
}

// counted is a connection that gives its slot back when it is closed.
type counted struct {
	stdnet.Conn
	leave func()
}

// CloseWrite lets the server end its half first, so that what it wrote last is read.
func (c *counted) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
