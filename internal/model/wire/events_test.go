package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func readEvents(r io.Reader, max int, lim limits.Set) (events []Event, e *Events, err error) {
	e = NewEvents(r, max, lim)
	for {
		event, err := e.Next()
		if err != nil {
			return events, e, err
		}
		events = append(events, event)
	}
}

func TestAnEventStreamIsReadAsBrowsersReadIt(t *testing.T) {
	for _, c := range []struct{ name, in, want, lastID string }{
		{"line feeds", "data: a\n\ndata: b\n\n", "|a / |b", ""},
		{"carriage returns", "data: a\r\rdata: b\r\r", "|a / |b", ""},
		{"both", "data: a\r\n\r\ndata: b\r\n\r\n", "|a / |b", ""},
		{"mixed", "data: a\r\ndata: b\n\rdata: c\n\n", "|a\nb / |c", ""},
		{"a byte order mark", "\xEF\xBB\xBFdata: a\n\n", "|a", ""},
		{"a second byte order mark", "\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\n", "", ""},
		{"comments", ": ping\n:\ndata: a\n: b\n\n", "|a", ""},
		{"several data lines", "data: a\ndata:\ndata:  c\n\n", "|a\n\n c", ""},
		{"no space", "data:a\n\n", "|a", ""},
		{"a tab is text", "data:\ta\n\n", "|\ta", ""},
		{"a line without a colon", "data\n\nnonsense\n\n", "|", ""},
		{"a colon in the value", "data: a:b\n\n", "|a:b", ""},
		{"a type", "event: endpoint\ndata: /m\n\ndata: x\n\n", "endpoint|/m / |x", ""},
		{"a type without data", "event: e\n\ndata: x\n\n", "|x", ""},
		{"unknown fields", "foo: 1\nData: 2\n\ndata: x\n\n", "|x", ""},
		{"an id", "id: 7\ndata: x\n\n", "|x", "7"},
		{"an id without data", "id: 7\n\n", "", "7"},
		{"an id with a NUL", "id: 7\n\nid: a\x00b\n\n", "", "7"},
		{"an id taken back", "id: 7\n\nid\n\n", "", ""},
		{"a priming event", "id: 7\ndata: \n\n", "|", "7"},
		{"a last event that was cut", "data: a\n\nid: 9\ndata: b\n", "|a", ""},
		{"a last line that was cut", "data: a\n\ndata: b", "|a", ""},
		{"nothing", "", "", ""},
		{"bad bytes stay", "data: \xFF\n\n", "|\xFF", ""},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
			events, e, err := readEvents(r, limits.Default.StreamBytes, limits.Default)
			var got []string
			for _, event := range events {
				got = append(got, event.Name+"|"+string(event.Data))
			}
			if err != io.EOF || strings.Join(got, " / ") != c.want || e.LastID() != c.lastID {
				t.Errorf("%s: %q, id %q, %v; want %q, %q", c.name, got, e.LastID(), err, c.want, c.lastID)
			}
		}
	}
}

func TestRetryIsANumberWithinTheLimit(t *testing.T) {
	for in, want := range map[string]time.Duration{"1500": 1500 * time.Millisecond, "0": 0, "60000": 5 * time.Second,
		"99999999999999999999": 5 * time.Second, "1.5": -1, "-1": -1, "": -1, " 7": -1} {
		_, e, _ := readEvents(strings.NewReader("retry: "+in+"\n"), limits.Default.StreamBytes, limits.Default)
		got, ok := e.Retry()
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("retry %q: %v, want %v", in, got, want)
		}
	}
}

// An event is there once its empty line is: a server may send nothing more for minutes.
func TestAnEventIsNotHeldBackForTheNextByte(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\r", "\r\n\r\n"} {
		r, w := io.Pipe()
		go io.WriteString(w, "data: a"+end)
		done := make(chan Event)
		go func() {
			event, _ := NewEvents(r, limits.Default.StreamBytes, limits.Default).Next()
			done <- event
		}()
		select {
		case event := <-done:
			if string(event.Data) != "a" {
				t.Errorf("after %q: %q", end, event.Data)
			}
		case <-time.After(5 * time.Second):
			t.Errorf("after %q nothing came", end)
		}
		w.Close()
	}
}

// endless is a stream that never ends its line.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	e.read += len(p)
	return len(p), nil
}

func TestLinesEventsAndStreamsAreBounded(t *testing.T) {
	lim := limits.Default
	line := "data: " + strings.Repeat("x", limits.MiB) + "\n\n"
	if events, _, err := readEvents(strings.NewReader(line), lim.StreamBytes, lim); err != io.EOF || len(events) != 1 {
		t.Errorf("a line of 1 MiB: %d events, %v", len(events), err)
	}
	long := &endless{}
	var failure *Failure
	if _, _, err := readEvents(long, lim.StreamBytes, lim); !errors.As(err, &failure) || failure.Cause != CauseTooLarge {
		t.Errorf("a line without an end: %v", err)
	}
	if long.read > lim.EventLineBytes+64*limits.KiB {
		t.Errorf("%d bytes of it were read", long.read)
	}
	lim.EventBytes = 100
	if events, _, err := readEvents(strings.NewReader("data: "+strings.Repeat("x", 100)+"\n\n"), lim.StreamBytes, lim); err != io.EOF || len(events) != 1 {
		t.Errorf("an event at the limit: %v", err)
	}
	many := strings.Repeat("data: "+strings.Repeat("x", 40)+"\n", 5)
	if _, _, err := readEvents(strings.NewReader(many), lim.StreamBytes, lim); !errors.As(err, &failure) || failure.Cause != CauseTooLarge {
		t.Errorf("an event over the limit: %v", err)
	}
	if _, _, err := readEvents(strings.NewReader(strings.Repeat(":\n", 1000)), 1000, lim); !errors.As(err, &failure) || failure.Cause != CauseTooLarge {
		t.Errorf("a stream over the limit: %v", err)
	}
}

// plainEvents is the standard's text, written down without a bound or a reader.
func plainEvents(text string) (events []string) {
	text = strings.TrimPrefix(text, "\xEF\xBB\xBF")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	end := strings.LastIndex(text, "\n")
	if end < 0 {
		return nil
	}
	var name string
	var data []string
	for _, line := range strings.Split(text[:end], "\n") {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if data != nil {
				events = append(events, name+"|"+strings.Join(data, "\n"))
			}
			name, data = "", nil
		case field == "data":
			data = append(data, value)
		case field == "event":
			name = value
		}
	}
	return events
}

func FuzzEvents(f *testing.F) {
	for _, s := range []string{"data: a\r\n\r\nid: 1\nevent: e\ndata: b\rdata\r\r", "\xEF\xBB\xBF:c\n\ndata:\n\n", "retry: 5\n\n", "\n\rdata: x\n\r"} {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, in []byte, chunk uint8) {
		lim := limits.Default
		lim.DetailBytes = len(in) + 1
		whole, a, errA := readEvents(bytes.NewReader(in), lim.StreamBytes, lim)
		parts, b, errB := readEvents(&chunks{in, int(chunk) + 1}, lim.StreamBytes, lim)
		if errA != io.EOF || errB != io.EOF || len(whole) != len(parts) || a.LastID() != b.LastID() {
			t.Fatalf("%d events, %v; in parts %d events, %v", len(whole), errA, len(parts), errB)
		}
		want := plainEvents(string(in))
		if len(want) != len(whole) {
			t.Fatalf("%d events, want %d", len(whole), len(want))
		}
		for i := range whole {
			got := whole[i].Name + "|" + string(whole[i].Data)
			if got != want[i] || got != parts[i].Name+"|"+string(parts[i].Data) {
				t.Fatalf("event %d: %q, want %q", i, got, want[i])
			}
		}
	})
}

type chunks struct {
	rest []byte
	size int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.size)], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
