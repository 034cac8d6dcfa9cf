package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Messages are the lines of a reader that are not blank, each without its end, until it ends or ctx does. buffer is how many bytes are
// read at once, most how many of a line are kept.
func Messages(ctx context.Context, in io.Reader, buffer, most int) <-chan []byte {
	lines := make(chan []byte)
	go func() { // a reader can not be interrupted: it is left behind when ctx ends
		defer close(lines)
		r := bufio.NewReaderSize(in, buffer)
		for {
			line, err := readLine(r, most)
			if line = bytes.TrimRight(line, "\r"); len(bytes.TrimSpace(line)) > 0 {
				select {
				case lines <- line:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// Lines speaks with one client over a reader and a writer, a message a line, until the reader ends or ctx does. Cheap
// answers come in the order of their questions; a call that takes long holds up none of them. Its error is that of a writer
// that no longer takes anything.
func (s *Server) Lines(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &client{server: s, out: out, stop: cancel, running: map[string]context.CancelFunc{}, slots: make(chan struct{}, s.lim.ServeLines)}
	lines := Messages(ctx, in, s.lim.ChildBuffer, s.lim.AskedBytes)
	for {
		select {
		case line, ok := <-lines:
			if ok {
				c.take(ctx, line)
				continue
			}
		case <-ctx.Done():
		}
		break
	}
	done := make(chan struct{})
	go func() { c.wait.Wait(); close(done) }()
	select { // what was asked before the input ended is answered, within reason
	case <-done:
	case <-ctx.Done():
	case <-time.After(s.lim.ServeEnd):
	}
	cancel(nil)
	<-done
	var broken *writeError
	if errors.As(context.Cause(ctx), &broken) {
		return broken.error
	}
	return nil
}

// writeError is that of the writer.
type writeError struct{ error }

// readLine reads to the next line end, which it leaves out. Of a line over max bytes it keeps one byte more than that.
func readLine(r *bufio.Reader, max int) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		end := err == nil
		if end {
			part = part[:len(part)-1]
		}
		line = append(line, part[:min(len(part), max+1-len(line))]...)
		if end || !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// client is the one at the other end of the lines.
type client struct {
	server *Server
	stop   context.CancelCauseFunc
	wait   sync.WaitGroup
	slots  chan struct{}

	// revision and agent are what its initialize said, modern that it spoke as clients do who say it with every message.
	// Only take writes and reads them.
	revision, agent string
	modern          bool

	mu      sync.Mutex // of out and running
	out     io.Writer
	running map[string]context.CancelFunc // calls at hand, by id
}

// take answers one line.
func (c *client) take(ctx context.Context, line []byte) {
	lim := c.server.lim
	if len(line) > lim.AskedBytes {
		c.write(failure(noID, faulty(wire.CodeInvalidRequest, "the line is too long"))...)
		return
	}
	messages, batch := read(line, lim)
	who := Caller{Lane: MCP, Agent: c.agent}
	if batch {
		if f := batchable(c.revision); f != nil {
			c.write(failure(noID, f)...)
			return
		}
		c.run(ctx, noID, func(ctx context.Context) { c.write(c.server.several(ctx, who, messages, nil)) })
		return
	}
	m := &messages[0]
	switch {
	case m.kind == wire.Response && m.fault == nil: // an error in answer to it could go round for ever
		return
	case m.kind == wire.Notification && m.method == "notifications/cancelled":
		c.cancel(string(m.params.Get("requestId").Raw()))
		return
	case m.method == "initialize":
		c.revision, _ = m.params.Get("protocolVersion").Str()
		info := m.params.Get("clientInfo")
		c.agent = text.Safe(info.Get("name").Text()+" "+info.Get("version").Text(), lim.ShownRunes)
	}
	if e, f := eraOf(m, nil, lim); e.modern {
		c.modern = c.modern || f == nil
	} else if c.modern && c.revision == "" && m.kind == wire.Request && m.fault == nil { // it forgot, and we do not guess
		m.fault = missingMeta(wire.MetaVersion)
	}
	if k := c.server.skills[m.params.Get("name").Text()]; m.fault == nil && m.kind == wire.Request && m.method == "tools/call" && k != nil && k.Slow {
		c.run(ctx, m.id, func(ctx context.Context) {
			a := c.server.answer(ctx, who, m, nil)
			if ctx.Err() == nil { // who cancelled wants no answer
				c.write(a.parts...)
			}
		})
		return
	}
	if a := c.server.answer(ctx, who, m, nil); a.parts != nil {
		for _, n := range a.notices {
			c.write(n)
		}
		c.write(a.parts...)
	}
}

// run does work beside the reading of lines, once there is room.
func (c *client) run(ctx context.Context, id string, work func(context.Context)) {
	c.slots <- struct{}{}
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	if id != noID && c.running[id] == nil {
		c.running[id] = cancel
	}
	c.mu.Unlock()
	c.wait.Go(func() {
		defer func() {
			c.mu.Lock()
			delete(c.running, id)
			c.mu.Unlock()
			cancel()
			<-c.slots
		}()
		work(ctx)
	})
}

func (c *client) cancel(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.running[id]; cancel != nil {
		cancel()
	}
}

// write writes one line. A writer that fails ends the loop.
func (c *client) write(parts ...[]byte) {
	line := append(bytes.Join(parts, nil), '\n')
	if len(line) == 1 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.out.Write(line); err != nil {
		c.stop(&writeError{err})
	}
}
