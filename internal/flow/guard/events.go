package guard

import (
	"bytes"
	"io"
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// events reads an event stream (WHATWG HTML, section 9.2.6) event by event, each as the bytes that came. Nothing is read ahead of
// what was asked for but what one read brings.
type events struct {
	in         io.Reader
	lim        limits.Set
	buf        []byte
	have, from int // bytes in buf; where the event at hand begins
	seen       int // where the next line begins that was not looked at
	begun      bool
	err        error
}

// event is one of them, with the empty line behind it.
type event struct {
	raw []byte
	// data is what its data lines hold, joined by line feeds; has says that there is one.
	data []byte
	has  bool
	// odd says why readers may take it for different things, "" where they do not.
	odd string
	// over says that it was larger than a frame may be, and is not there; size is what it had, and id and asks what could be made out.
	over bool
	size int
	id   []byte
	asks bool
}

var mark = []byte("\xEF\xBB\xBF")

// next is the next event. It lasts until the one after. An event that the end of the stream cuts short is given too: some readers take
// it for whole.
func (e *events) next() (event, error) {
	if e.buf == nil {
		e.buf = make([]byte, e.lim.GuardBuffer)
	}
	for {
		for {
			i := bytes.IndexByte(e.buf[e.seen:e.have], '\n')
			if i < 0 {
				break
			}
			line := e.buf[e.seen : e.seen+i]
			e.seen += i + 1
			if len(line) == 0 || len(line) == 1 && line[0] == '\r' {
				raw := e.buf[e.from:e.seen]
				if len(raw) > e.lim.GuardedFrame {
					return e.skip()
				}
				e.from = e.seen
				return e.read(raw), nil
			}
		}
		if e.have-e.from > e.lim.GuardedFrame {
			return e.skip()
		}
		if e.err != nil {
			raw := e.buf[e.from:e.have]
			e.from, e.seen = e.have, e.have
			if len(raw) > 0 && e.err == io.EOF {
				return e.read(raw), nil
			}
			return event{}, e.err
		}
		e.room()
		n, err := e.in.Read(e.buf[e.have:])
		e.have, e.err = e.have+n, err
	}
}

// room makes room behind what was read: what was given out goes first.
func (e *events) room() {
	size := len(e.buf)
	kept := e.have - e.from
	switch small := e.lim.GuardBuffer; {
	case kept == size:
		size = min(max(2*size, e.lim.GuardLargeBuffer), e.lim.GuardedFrame+e.lim.GuardBuffer)
	case kept < small/2 && size > small:
		size = small // a large event is over
	case e.from == 0:
		return
	}
	buf := e.buf
	if size != len(buf) {
		buf = make([]byte, size)
	}
	copy(buf, e.buf[e.from:e.have])
	e.buf, e.have, e.seen, e.from = buf, kept, e.seen-e.from, 0
}

// skip leaves out an event that is too large, and makes out whom it is for.
func (e *events) skip() (event, error) {
	s := skimmed{}
	out := event{over: true}
	for {
		part := e.buf[e.from:e.have]
		end := s.write(part)
		if end >= 0 {
			e.from += end
			e.seen = e.from
			out.size += end
			break
		}
		out.size += len(part)
		e.from, e.seen, e.have = 0, 0, 0
		if e.err != nil {
			break
		}
		var n int
		n, e.err = e.in.Read(e.buf)
		e.have = n
	}
	e.begun = true
	out.id, out.asks = s.id(), s.method
	return out, nil
}

// skimmed goes through the data lines of an event that nobody keeps.
type skimmed struct {
	member
	column int
	ends   int  // carriage returns in the line at hand
	other  bool // the line at hand is none of data
}

// write is where the event ends behind its empty line, -1 for not yet.
func (s *skimmed) write(b []byte) int {
	const field = "data:"
	for i, c := range b {
		switch {
		case c == '\n' && s.column == 0 && s.ends < 2:
			return i + 1
		case c == '\n':
			s.column, s.ends, s.other = 0, 0, false
		case c == '\r':
			s.ends++
		case s.column < len(field):
			s.other = s.other || field[s.column] != c
			s.column++
		default:
			if s.column++; !s.other {
				s.step(c)
			}
		}
	}
	return -1
}

// read takes an event apart.
func (e *events) read(raw []byte) event {
	out := event{raw: raw}
	several := false
	for line := range bytes.Lines(raw) {
		line = ended(line)
		if !e.begun {
			line = bytes.TrimPrefix(line, mark)
			e.begun = true
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.IndexByte(line, '\r') >= 0 { // an end of a line to some
			out.odd = "a carriage return within a line"
		}
		if string(name) != "data" {
			if strings.EqualFold(string(bytes.TrimSpace(name)), "data") {
				out.odd = "a field that some take for data"
			}
			continue
		}
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case !out.has:
			out.data, out.has = value, true
		case !several:
			several = true
			out.data = bytes.Clone(out.data)
			fallthrough
		default:
			out.data = append(append(out.data, '\n'), value...)
		}
	}
	return out
}

func ended(line []byte) []byte {
	line, _ = bytes.CutSuffix(line, newline)
	line, _ = bytes.CutSuffix(line, []byte{'\r'})
	return line
}

// with is the event with other data, nil for none: then what is left of it says where to resume, or is nothing.
func (e event) with(data []byte) []byte {
	var out []byte
	kept := false
	for line := range bytes.Lines(e.raw) {
		name, value, _ := bytes.Cut(ended(bytes.TrimPrefix(line, mark)), []byte(":"))
		switch field := string(name); {
		case field == "data" && data != nil:
			kept = true
			out = append(out, dataLines(data)...)
			data = nil
		case field == "data", bytes.IndexByte(value, '\r') >= 0:
		case field == "id" || field == "retry":
			kept = true
			out = append(out, line...)
		case field == "event":
			out = append(out, line...)
		}
	}
	if !kept {
		return nil
	}
	return append(out, '\n')
}

// dataLines are the data lines of an event that holds data.
func dataLines(data []byte) (out []byte) {
	for line := range bytes.SplitSeq(data, newline) {
		out = append(append(append(out, "data: "...), line...), '\n')
	}
	return out
}

// message is an event of our own.
func message(data []byte) []byte {
	return append(append([]byte("event: message\n"), dataLines(data)...), '\n')
}
