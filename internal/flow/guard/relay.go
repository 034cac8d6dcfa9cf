package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// Ends are the streams of a session on stdio.
type Ends struct {
	ClientIn  io.Reader // what the client writes
	ClientOut io.Writer // what it reads
	ServerIn  io.WriteCloser
	ServerOut io.Reader
}

// Relay moves the lines of one session. A line that is let through is written as it was read, with its line end; while one side
// does not read, the other is not read from: nothing is queued.
type Relay struct {
	Judge  Judge
	Limits limits.Set
	// Saw is told of every frame that was more than let through, nil for nobody. It is called from both directions.
	Saw func(from Side, size int, r Result)
}

// ErrClientGone says that the client reads no more.
var ErrClientGone = errors.New("the client reads no more")

// Run moves lines until the server's output ends (nil), until the client can not be written to (ErrClientGone), or a read fails.
// When the client's output ends, so does the server's input; what the server still writes is moved on. Run may return while the
// client is still being read from.
func (r *Relay) Run(e Ends) error {
	client, server := &sink{w: e.ClientOut}, &sink{w: e.ServerIn}
	go func() {
		up := pump{Relay: r, from: Client, in: e.ClientIn, to: server, back: client}
		_ = up.run() // a server that reads no more has ended, or is about to: its output says so
		_ = e.ServerIn.Close()
	}()
	down := pump{Relay: r, from: Server, in: e.ServerOut, to: client, back: server}
	if err := down.run(); client.gone() {
		return ErrClientGone
	} else {
		return err
	}
}

// sink is one side's input. Lines are written whole.
type sink struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

func (s *sink) write(parts ...[]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range parts {
		if s.err == nil && len(b) > 0 {
			_, s.err = s.w.Write(b)
		}
	}
	return s.err
}

func (s *sink) gone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

// pump moves the lines of one side.
type pump struct {
	*Relay
	from     Side
	in       io.Reader
	to, back *sink
}

var newline = []byte{'\n'}

func (p *pump) run() error {
	small := p.Limits.GuardBuffer
	buf := make([]byte, small)
	have, seen := 0, 0 // bytes in buf; those of them that hold no line end
	for {
		n, err := p.in.Read(buf[have:])
		have += n
		clear, next := 0, 0 // buf[clear:next] are lines that are let through and not written yet
		for {
			i := bytes.IndexByte(buf[seen:have], '\n')
			if i < 0 {
				break
			}
			end := seen + i + 1
			same, werr := p.line(buf[next:end], buf[clear:next])
			if werr != nil {
				return werr
			}
			if !same {
				clear = end
			}
			next, seen = end, end
		}
		if werr := p.to.write(buf[clear:next]); werr != nil {
			return werr
		}
		if next > 0 {
			have = copy(buf, buf[next:have])
		}
		seen = have
		switch {
		case err != nil:
			if have > 0 { // the last line lacks its end
				same, werr := p.line(buf[:have], nil)
				if same {
					werr = p.to.write(buf[:have])
				}
				if werr != nil {
					return werr
				}
			}
			return eof(err)
		case have == len(buf) && have > p.Limits.GuardFrame:
			rest, err := p.tooLarge(buf[:have])
			if err != nil {
				return eof(err)
			}
			p.in = &again{rest, p.in}
			buf, have, seen = make([]byte, small), 0, 0
		case have == len(buf):
			more := make([]byte, min(max(2*len(buf), p.Limits.GuardLargeBuffer), p.Limits.GuardFrame+1))
			copy(more, buf)
			buf = more
		case have < small/2 && len(buf) > small && next > 0 && next <= small: // a large frame is over
			less := make([]byte, small)
			copy(less, buf[:have])
			buf = less
		}
	}
}

// eof is nil for the end of a stream.
func eof(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// again reads what was read once more.
type again struct {
	have []byte
	in   io.Reader
}

func (a *again) Read(b []byte) (int, error) {
	if len(a.have) == 0 {
		return a.in.Read(b)
	}
	n := copy(b, a.have)
	a.have = a.have[n:]
	return n, nil
}

// line judges one line. same says that it is to be written as it is, behind the lines before it that are not written yet, which
// is left to the caller; otherwise both are done here.
func (p *pump) line(line, before []byte) (same bool, err error) {
	body, _ := bytes.CutSuffix(line, newline)
	body, _ = bytes.CutSuffix(body, []byte{'\r'})
	if len(bytes.TrimSpace(body)) == 0 {
		return true, nil
	}
	res := p.Judge.Frame(p.from, body)
	if p.Saw != nil && res.Action != Pass {
		p.Saw(p.from, len(line), res)
	}
	if same = sameBytes(res.Forward, body); same && res.Reply == nil {
		return true, nil
	}
	if err = p.to.write(before); err == nil {
		switch {
		case same:
			err = p.to.write(line)
		case res.Forward != nil:
			err = p.to.write(res.Forward, newline)
		}
	}
	if res.Reply != nil { // whoever waits for it is not to hang on the other side
		_ = p.back.write(res.Reply, newline)
	}
	return false, err
}

func sameBytes(a, b []byte) bool { return len(a) > 0 && len(a) == len(b) && &a[0] == &b[0] }

// tooLarge skips a line of which the beginning was read, tells who waits for it, and gives what was read behind it.
func (p *pump) tooLarge(begun []byte) (rest []byte, err error) {
	var m member
	size := len(begun)
	m.write(begun)
	b := make([]byte, p.Limits.GuardBuffer)
	for {
		var n int
		n, err = p.in.Read(b)
		if i := bytes.IndexByte(b[:n], '\n'); i >= 0 {
			m.write(b[:i])
			size, rest, err = size+i, b[i+1:n], nil
			break
		}
		m.write(b[:n])
		if size += n; err != nil {
			break
		}
	}
	res := Result{Action: Block}
	if id := m.id(); id != nil {
		answer := refuse(id, "traffic/frame-too-large", "a frame of more than the guard reads", "ask for less at once: a page, or a range")
		switch {
		case m.method:
			res.Reply = answer
			_ = p.back.write(answer, newline)
		case p.from == Server: // in place of a result
			res.Forward = answer
			if werr := p.to.write(answer, newline); werr != nil {
				return nil, werr
			}
		}
	}
	if p.Saw != nil {
		p.Saw(p.from, size, res)
	}
	return rest, err
}

// CodeBlocked is the code of a JSON-RPC error in place of what was stopped (implementation-defined: JSON-RPC 2.0, 5.1).
const CodeBlocked = -32099

// refuse is the error that stands for a frame. It quotes nothing of it.
func refuse(id []byte, rule, reason, hint string) []byte {
	type data struct {
		Rule string `json:"rule"`
		Hint string `json:"hint,omitempty"`
	}
	type failure struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    data   `json:"data"`
	}
	raw, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   failure         `json:"error"`
	}{"2.0", id, failure{CodeBlocked, "mcpassay stopped this: " + reason, data{rule, hint}}})
	if err != nil {
		panic(err) // an id that is no JSON: whoever calls has read it
	}
	return raw
}
