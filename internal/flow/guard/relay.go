package guard

import (
	"bytes"
	"errors"
	"io"
	"math"
	"sync"
	"time"

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

	timer   *time.Timer
	freeing sync.WaitGroup
	moved   chan struct{} // something that waited does so no more
	step    sync.Mutex    // held while a server's frame is judged, until what it sets free is on its way
}

// never is longer than any relay runs: a timer that is not set yet.
const never = math.MaxInt64

// ErrClientGone says that the client reads no more.
var ErrClientGone = errors.New("the client reads no more")

// Run moves lines until the server's output ends (nil), until the client can not be written to (ErrClientGone), or a read fails.
// When the client's output ends, so does the server's input; what the server still writes is moved on. Run may return while the
// client is still being read from.
func (r *Relay) Run(e Ends) error {
	client, server := &sink{w: e.ClientOut}, &sink{w: e.ServerIn}
	up := &pump{Relay: r, from: Client, in: e.ClientIn, to: server, back: client}
	r.moved = make(chan struct{}, 1)
	ended := make(chan struct{})
	if p, ok := r.Judge.(Patient); ok {
		r.timer = time.AfterFunc(never, func() { up.overdue(p.Overdue(false)) })
		r.timer.Stop()
		defer r.timer.Stop()
	}
	go func() {
		_ = up.run() // a server that reads no more has ended, or is about to: its output says so
		up.last(ended)
		_ = e.ServerIn.Close()
	}()
	defer close(ended)
	down := pump{Relay: r, from: Server, in: e.ServerOut, to: client, back: server}
	if err := down.run(); client.gone() {
		return ErrClientGone
	} else {
		return err
	}
}

// last lets the calls of a client that says no more go on that still can, before the server's input is closed.
func (p *pump) last(ended <-chan struct{}) {
	judge, ok := p.Judge.(Patient)
	if !ok {
		return
	}
	p.overdue(judge.Overdue(true))
	for p.held(judge) {
		select {
		case <-p.moved:
		case <-ended:
			return
		}
	}
	written := make(chan struct{})
	go func() { p.freeing.Wait(); close(written) }()
	select {
	case <-written:
	case <-ended:
	case <-time.After(p.Limits.GuardList): // a server that does not read is not waited for
	}
}

// overdue moves what is said of calls that waited in vain.
func (p *pump) overdue(res Result) {
	if p.Saw != nil && res.Action != Pass {
		p.Saw(p.from, 0, res)
	}
	p.also(res)
}

// held says whether anything waits, once what is being judged is.
func (p *pump) held(j Patient) bool {
	p.step.Lock()
	defer p.step.Unlock()
	return j.Held() > 0
}

// late moves to the server what its own frame has set free. Another does it: it may read no more before it is read from.
func (p *pump) late(res Result) {
	var all [][]byte
	for _, f := range res.Freed {
		if f.To == Server && p.from == Server {
			all = append(all, f.Raw, newline)
		}
	}
	if len(all) > 0 {
		p.freeing.Go(func() { _ = p.back.write(all...) })
	}
}

// also moves the rest of what goes out beside a frame, and sees to it that nothing waits for ever.
func (p *pump) also(res Result) {
	if p.timer != nil && res.Wait > 0 {
		p.timer.Reset(res.Wait)
	}
	if len(res.Freed) == 0 {
		return
	}
	select {
	case p.moved <- struct{}{}:
	default:
	}
	for _, f := range res.Freed {
		if p.Saw != nil && f.Action != Pass {
			p.Saw(Client, len(f.Raw), Result{Action: f.Action, Findings: f.Findings})
		}
		switch {
		case f.To != p.from:
			_ = p.to.write(f.Raw, newline)
		case f.To == Client:
			_ = p.back.write(f.Raw, newline)
		}
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
		case have == len(buf) && have > p.Limits.GuardedFrame:
			rest, err := p.tooLarge(buf[:have])
			if err != nil {
				return eof(err)
			}
			p.in = &again{rest, p.in}
			buf, have, seen = make([]byte, small), 0, 0
		case have == len(buf):
			more := make([]byte, min(max(2*len(buf), p.Limits.GuardLargeBuffer), p.Limits.GuardedFrame+1))
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
	freeing := p.from == Server && p.timer != nil
	if freeing {
		p.step.Lock()
	}
	res := p.Judge.Frame(p.from, body)
	if res.Wait > 0 || len(res.Freed) > 0 {
		p.late(res)
		defer p.also(res)
	}
	if freeing {
		p.step.Unlock()
	}
	if p.Saw != nil && res.Action != Pass {
		p.Saw(p.from, len(line), res)
	}
	if same = sameBytes(res.Forward, body); same && res.Reply == nil && len(res.Freed) == 0 {
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
		answer := refusal{"traffic/frame-too-large", "a frame of more than the guard reads", "ask for less at once: a page, or a range"}.error(string(id))
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
