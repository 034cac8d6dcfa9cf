package listen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	stdnet "net"
	"net/http"
	"strconv"
	"sync"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// Callback waits for a browser that an authorization server sends back (RFC 8252, section 7.3). It takes one answer: a GET
// of its one path, under its own address, that the one who waits knows for theirs. Whatever else comes is turned away and
// changes nothing.
type Callback struct {
	// RedirectURI is the URL that it answers on.
	RedirectURI string

	host   string
	server *http.Server
	lim    limits.Set
	ended  chan struct{}

	mu    sync.Mutex
	mine  func(url string) bool // nil while nothing is expected
	taken bool
	got   chan string
}

const callbackPath = "/callback"

// OpenCallback listens on a port of 127.0.0.1, on any that is free for 0.
func OpenCallback(port int, lim limits.Set) (*Callback, error) {
	l, err := stdnet.Listen("tcp4", stdnet.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("no port to wait on: %w", err)
	}
	host := l.Addr().String()
	c := &Callback{RedirectURI: "http://" + host + callbackPath, host: host, lim: lim, got: make(chan string, 1), ended: make(chan struct{})}
	c.server = &http.Server{Handler: c, ReadTimeout: lim.CallbackTime, WriteTimeout: lim.CallbackTime, MaxHeaderBytes: lim.HeaderBytes,
		ErrorLog: log.New(io.Discard, "", 0)}
	c.server.SetKeepAlivesEnabled(false)
	go func() {
		defer close(c.ended)
		_ = c.server.Serve(&bounded{Listener: l, room: make(chan struct{}, lim.CallbackConns)}) // until Close
	}()
	return c, nil
}

// Expect says which answer is taken. It comes before the browser is opened, which may be fast.
func (c *Callback) Expect(mine func(url string) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mine = mine
}

// Await waits for the answer that is expected, and gives its whole URL.
func (c *Callback) Await(ctx context.Context) (string, error) {
	select {
	case url := <-c.got:
		return url, nil
	case <-c.ended:
		return "", errors.New("the listener ended")
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// Close ends the listening; an answer that is being given is given to its end.
func (c *Callback) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), c.lim.CallbackTime)
	defer cancel()
	err := c.server.Shutdown(ctx)
	if err != nil {
		err = c.server.Close()
	}
	<-c.ended
	return err
}

func (c *Callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Host != c.host: // a name that was pointed at this machine
		page(w, http.StatusForbidden, "This address is not served here.")
	case r.URL.Path != callbackPath:
		page(w, http.StatusNotFound, "There is nothing here.")
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		page(w, http.StatusMethodNotAllowed, "There is nothing here.")
	default:
		status, text := c.take("http://" + c.host + r.URL.RequestURI())
		page(w, status, text)
	}
}

func (c *Callback) take(url string) (status int, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.taken:
		return http.StatusGone, "An answer has arrived already. You can close this page."
	case c.mine == nil || !c.mine(url):
		return http.StatusBadRequest, "This answers no question of mcpassay's. Nothing was changed."
	}
	c.taken = true
	c.got <- url
	return http.StatusOK, "The answer has arrived, and mcpassay says in its terminal what came of it. You can close this page."
}

// page answers with a page that holds no word of the request, runs nothing, loads nothing and tells nobody its URL.
func page(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>mcpassay</title>\n<p>%s</p>\n", text)
}

// bounded holds no more connections at once than there is room for.
type bounded struct {
	stdnet.Listener
	room chan struct{}
}

func (b *bounded) Accept() (stdnet.Conn, error) {
	for {
		conn, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case b.room <- struct{}{}:
			return &counted{Conn: conn, leave: sync.OnceFunc(func() { <-b.room })}, nil
		default: // one of many, which a browser is not
			_ = conn.Close()
		}
	}
}
