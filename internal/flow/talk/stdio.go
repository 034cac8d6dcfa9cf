package talk

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Lines is a local server: its standard input and output, line by line. One goroutine reads, one writes. ReadLine gives a
// line without its end, io.EOF where there is no more, and a *wire.Failure where a line is too long.
type Lines interface {
	WriteLine(line []byte) error
	ReadLine(ctx context.Context) ([]byte, error)
	Close() error
	// Stderr is the end of what the server wrote to its standard error.
	Stderr() []byte
}

// Stdio is a server that start starts. Each era of the protocol gets one of its own, so start may be called twice at the
// same time. What it starts lasts until Close, or until the context ends.
func Stdio(start func(context.Context) (Lines, error), o Options) Server {
	return Server{Transport: wire.Stdio, Apart: true, Dial: func(ctx context.Context) (Conn, error) {
		lines, err := start(ctx)
		var failure *wire.Failure
		switch {
		case errors.As(err, &failure):
			return nil, failure
		case err != nil:
			return nil, &wire.Failure{Cause: wire.CauseEnded, Detail: "the server can not be started: " + err.Error()}
		}
		return &stdio{desk: newDesk(o), lines: lines}, nil
	}}
}

type stdio struct {
	desk
	lines   Lines
	talked  bool // it has answered before
	writing chan error
}

func (c *stdio) Do(ctx context.Context, call Call) (*wire.Exchange, error) {
	limit := c.lim.RequestTime
	if !c.talked {
		limit = c.lim.StartTime
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &wire.Failure{Cause: wire.CauseTimeout, Detail: "no answer within " + limit.String()})
	defer cancel()
	id := c.id()
	ex := &wire.Exchange{Method: call.Method, Request: call.message(id)}
	err := c.write(ctx, ex.Request)
	if err == nil {
		err = c.read(ctx, &wait{desk: &c.desk, ex: ex, call: call, id: id})
	}
	c.talked = c.talked || err == nil
	return ex, err
}

func (c *stdio) Notify(ctx context.Context, call Call) (*wire.Exchange, error) {
	ex := &wire.Exchange{Method: call.Method, Request: call.message("")}
	ctx, cancel := context.WithTimeout(ctx, c.lim.RequestTime)
	defer cancel()
	c.ready = true
	return ex, c.write(ctx, ex.Request)
}

func (c *stdio) Listen(ctx context.Context, call Call) (*wire.Exchange, error) {
	w := &wait{desk: &c.desk, ex: &wire.Exchange{Method: call.Method}, call: call, news: true}
	if call.Method != "" {
		w.id = c.id()
		w.ex.Request = call.message(w.id)
		if err := c.write(ctx, w.ex.Request); err != nil {
			return w.ex, err
		}
	}
	return w.ex, heard(ctx, w, c.read(ctx, w))
}

// heard judges the end of a wait for news: that there was none in time is no failure, nor that the server knows no such
// thing; that it refuses is.
func heard(ctx context.Context, w *wait, err error) error {
	e, refused := w.ex.Reply.Error()
	switch {
	case refused && e.Code != wire.CodeMethodNotFound && len(w.ex.Changed) == 0:
		return rpcFailure(w.ex, e)
	case refused, ctx.Err() != nil:
		return nil
	}
	return err
}

// read takes lines until the answer is there.
func (c *stdio) read(ctx context.Context, w *wait) error {
	w.send = func(message []byte) { c.write(ctx, message) } // where it can not be written, nothing will be read
	for {
		line, err := c.lines.ReadLine(ctx)
		if err != nil {
			return c.ended(ctx, err)
		}
		if done, failure := w.take(bytes.TrimRight(line, "\r\n")); failure != nil {
			return failure
		} else if done {
			return nil
		}
	}
}

// write sends a line. A server that does not read its input can not hold us up; it gets nothing more.
func (c *stdio) write(ctx context.Context, line []byte) error {
	if c.writing != nil {
		return &wire.Failure{Cause: wire.CauseTimeout, Detail: "the server does not read its input"}
	}
	done := make(chan error, 1)
	go func() { done <- c.lines.WriteLine(line) }()
	select {
	case err := <-done:
		if err != nil {
			return c.ended(ctx, err)
		}
		return nil
	case <-ctx.Done():
		c.writing = done
		return &wire.Failure{Cause: wire.CauseTimeout, Detail: "the server does not read its input"}
	}
}

// ended says why there is no more.
func (c *stdio) ended(ctx context.Context, err error) error {
	var failure *wire.Failure
	switch {
	case errors.As(err, &failure):
		return failure
	case ctx.Err() != nil:
		return failureOf(ctx, err)
	}
	f := &wire.Failure{Cause: wire.CauseEnded, Detail: "the server ended"}
	if !errors.Is(err, io.EOF) {
		f.Detail += ": " + err.Error()
	}
	if said := bytes.TrimSpace(c.lines.Stderr()); len(said) > 0 {
		f.Detail += "; it said: " + wire.Excerpt(complaint(said), c.lim)
	}
	return f
}

// complaint is what of a standard error tells why a program ended: the first line that speaks of an error and the two
// behind it, down to a stack, else the last line. Runtimes and package managers end with their version, or with the name
// of a log.
func complaint(said []byte) []byte {
	var lines [][]byte
	for line := range bytes.Lines(said) {
		line = bytes.TrimRight(line, " \r\n")
		stack := len(line) == 0 || line[0] == ' ' || line[0] == '\t'
		if len(lines) == 3 || stack && len(lines) > 0 {
			break
		}
		if !stack && (len(lines) > 0 || bytes.Contains(bytes.ToLower(line), []byte("error"))) {
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 {
		return bytes.Join(lines, []byte("; "))
	}
	return said[bytes.LastIndexByte(said, '\n')+1:]
}

func (c *stdio) Close() error { return c.lines.Close() }
