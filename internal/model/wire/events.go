package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// Event is one event of an event stream.
type Event struct {
	// Name is its type, "" for a plain message.
	Name string
	// Data is its data lines, joined by line feeds. It is the event's own.
	Data []byte
}

// Events reads an event stream as the WHATWG HTML standard says (section 9.2.6): lines end with LF, CR or CRLF, one byte
// order mark may precede them, a line without a colon is a field without a value, and an event that the stream's end
// cuts short is not delivered. Lines, events and the stream are bounded.
type Events struct {
	r        *bufio.Reader
	lim      limits.Set
	max      int
	total    int
	line     []byte
	begun    bool
	afterCR  bool // the line before ended with CR: an LF right behind it belongs to it
	lastID   string
	retry    time.Duration
	hasRetry bool
}

// NewEvents reads a stream of at most max bytes.
func NewEvents(r io.Reader, max int, lim limits.Set) *Events {
	return &Events{r: bufio.NewReader(r), lim: lim, max: max}
}

// LastID is the id to resume behind: that of the last event, or of a block without data.
func (e *Events) LastID() string { return e.lastID }

// Retry is the pause before a reconnect that the stream asked for, within the limit.
func (e *Events) Retry() (time.Duration, bool) { return e.retry, e.hasRetry }

// Next waits for an event. Its error is io.EOF at the end of the stream, a *Failure where a limit is crossed, or what
// the reader said. It does not wait for a byte behind the line end that completes an event.
func (e *Events) Next() (Event, error) {
	var event Event
	id, hasData := e.lastID, false
	for {
		line, err := e.nextLine()
		if err != nil {
			return Event{}, err
		}
		if len(line) == 0 {
			e.lastID = id
			if hasData {
				event.Data = event.Data[:len(event.Data)-1]
				return event, nil
			}
			event.Name = ""
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			if len(event.Data)+len(value)+1 > e.lim.EventBytes+1 {
				return Event{}, &Failure{Cause: CauseTooLarge, Detail: fmt.Sprintf("an event of more than %d bytes", e.lim.EventBytes)}
			}
			event.Data = append(append(event.Data, value...), '\n')
			hasData = true
		case "event":
			event.Name = string(value[:min(len(value), e.lim.DetailBytes)])
		case "id":
			if bytes.IndexByte(value, 0) < 0 && len(value) <= e.lim.CursorBytes {
				id = string(value)
			}
		case "retry":
			e.setRetry(value)
		}
	}
}

// setRetry takes a number of milliseconds: ASCII digits alone.
func (e *Events) setRetry(value []byte) {
	for _, c := range value {
		if c < '0' || c > '9' {
			return
		}
	}
	if len(value) == 0 {
		return
	}
	e.hasRetry, e.retry = true, e.lim.StreamRetryWait
	if ms, err := strconv.Atoi(string(value)); err == nil && ms < int(e.lim.StreamRetryWait/time.Millisecond) {
		e.retry = time.Duration(ms) * time.Millisecond
	}
}

// nextLine is the next line without its end. It stays valid until the next call.
func (e *Events) nextLine() ([]byte, error) {
	e.line = e.line[:0]
	for {
		if _, err := e.r.Peek(1); err != nil {
			return nil, err
		}
		chunk, _ := e.r.Peek(e.r.Buffered())
		if e.afterCR {
			e.afterCR = false
			if chunk[0] == '\n' {
				if err := e.take(1); err != nil {
					return nil, err
				}
				continue
			}
		}
		part, end := chunk, bytes.IndexByte(chunk, '\n')
		if end >= 0 {
			part = chunk[:end]
		}
		if cr := bytes.IndexByte(part, '\r'); cr >= 0 {
			part, end = chunk[:cr], cr
		}
		if len(e.line)+len(part) > e.lim.EventLineBytes {
			return nil, &Failure{Cause: CauseTooLarge, Detail: fmt.Sprintf("a line of more than %d bytes in an event stream", e.lim.EventLineBytes)}
		}
		e.line = append(e.line, part...)
		if end < 0 {
			if err := e.take(len(chunk)); err != nil {
				return nil, err
			}
			continue
		}
		e.afterCR = chunk[end] == '\r'
		if err := e.take(end + 1); err != nil {
			return nil, err
		}
		if !e.begun {
			e.begun = true
			e.line = bytes.TrimPrefix(e.line, []byte("\xEF\xBB\xBF"))
		}
		return e.line, nil
	}
}

// take drops bytes that were looked at.
func (e *Events) take(n int) error {
	if e.total += n; e.total > e.max {
		return &Failure{Cause: CauseTooLarge, Detail: fmt.Sprintf("an event stream of more than %d bytes", e.max)}
	}
	_, err := e.r.Discard(n)
	return err
}
