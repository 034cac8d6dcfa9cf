package net

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// bodyReader is the body of an answer: bounded, decoded, with the credentials masked. Its layers, from the socket up:
// the pause between two reads, the decoder with its ratio, the size, the mask.
type bodyReader struct {
	door   *Door
	raw    io.ReadCloser
	ctx    context.Context
	stop   context.CancelCauseFunc
	cancel context.CancelFunc
	lasts  bool          // it may pause, whatever it is
	idle   time.Duration // 0 for what may pause
	packed int           // bytes from the socket
	top    io.Reader
	echoed atomic.Bool
}

// decode puts the layers together, for at most max bytes.
func (b *bodyReader) decode(h wire.Header, max int, secrets [][]byte) (faults []wire.Fault) {
	if h.MediaType() != wire.MediaEvents && !b.lasts {
		b.idle = b.door.lim.IdleTime
	}
	packed := readFunc(b.fromSocket)
	plain := io.Reader(packed)
	if coding := strings.ToLower(strings.TrimSpace(strings.Join(h["content-encoding"], ","))); coding != "" && coding != "identity" {
		faults = append(faults, wire.Fault{Kind: wire.Compressed, Detail: coding})
		plain = &inflater{body: b, coding: coding, packed: packed}
	}
	b.top = &sized{r: plain, rest: max, max: max}
	if len(secrets) > 0 {
		b.top = &masker{r: b.top, secrets: secrets, found: func() { b.echoed.Store(true) }}
	}
	return faults
}

func (b *bodyReader) Read(p []byte) (int, error) {
	n, err := b.top.Read(p)
	if err != nil && err != io.EOF {
		err = b.door.explain(b.ctx, err)
	}
	return n, err
}

// Close ends the request, read or not.
func (b *bodyReader) Close() error {
	b.stop(nil)
	b.cancel()
	b.raw.Close() // which fails where the context has ended the connection, and then it is closed
	return nil
}

// late are the faults of the body.
func (b *bodyReader) late() []wire.Fault {
	if b.echoed.Load() {
		return []wire.Fault{{Kind: wire.CredentialEchoed, Detail: "in the body"}}
	}
	return nil
}

type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// fromSocket reads, and ends the request where no byte comes for too long.
func (b *bodyReader) fromSocket(p []byte) (int, error) {
	if b.idle > 0 {
		timer := time.AfterFunc(b.idle, func() {
			b.stop(&wire.Failure{Cause: wire.CauseTimeout, Detail: fmt.Sprintf("no byte of the answer for %v", b.idle)})
		})
		defer timer.Stop()
	}
	n, err := b.raw.Read(p)
	b.packed += n
	return n, err
}

// sized ends with a failure where there is more than max bytes.
type sized struct {
	r         io.Reader
	rest, max int
}

func (s *sized) Read(p []byte) (int, error) {
	if len(p) > s.rest+1 {
		p = p[:s.rest+1]
	}
	n, err := s.r.Read(p)
	if n > s.rest {
		n, s.rest = s.rest, 0
		return n, &wire.Failure{Cause: wire.CauseTooLarge, Detail: fmt.Sprintf("a body of more than %d bytes", s.max)}
	}
	s.rest -= n
	return n, err
}

// inflater decodes a body that should not have been compressed.
type inflater struct {
	body   *bodyReader
	coding string
	packed io.Reader
	plain  io.Reader
	out    int
}

func (f *inflater) Read(p []byte) (n int, err error) {
	if f.plain == nil {
		switch f.coding {
		case "gzip", "x-gzip":
			f.plain, err = gzip.NewReader(f.packed)
		case "deflate":
			f.plain, err = zlib.NewReader(f.packed)
		default:
			return 0, &wire.Failure{Cause: wire.CauseEncoded, Detail: "the body is encoded as " + f.coding}
		}
		if err != nil {
			f.plain = nil
			return 0, f.damaged(err)
		}
	}
	n, err = f.plain.Read(p)
	f.out += n
	if f.out > limits.KiB && f.out/f.body.door.lim.InflateRatio > f.body.packed {
		return 0, &wire.Failure{Cause: wire.CauseTooLarge, Detail: fmt.Sprintf("a body that inflates more than %d times", f.body.door.lim.InflateRatio)}
	}
	if err != nil && err != io.EOF {
		err = f.damaged(err)
	}
	return n, err
}

// damaged keeps what the connection has to say, and names what the decoder says.
func (f *inflater) damaged(err error) error {
	if f.body.ctx.Err() != nil || err == io.ErrUnexpectedEOF || err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return &wire.Failure{Cause: wire.CauseEncoded, Detail: "the body is no " + f.coding}
}

// masker overwrites secrets, byte by byte, so that the length stays. It holds bytes back only while they may be the start
// of a secret.
type masker struct {
	r       io.Reader
	secrets [][]byte
	found   func()
	buf     []byte // read and not given out
	ready   int    // bytes at the start of buf that may be given out
	err     error
}

func (m *masker) Read(p []byte) (int, error) {
	for m.ready == 0 {
		if m.err != nil {
			if len(m.buf) == 0 {
				return 0, m.err
			}
			m.ready = len(m.buf) // a start without its end
			break
		}
		have := len(m.buf)
		m.buf = append(m.buf, make([]byte, max(len(p), bytes.MinRead))...)
		n, err := m.r.Read(m.buf[have:])
		m.buf, m.err = m.buf[:have+n], err
		m.ready = len(m.buf)
		if wire.Hide(m.buf, m.secrets) {
			m.found()
		}
		for _, s := range m.secrets {
			m.ready = min(m.ready, len(m.buf)-started(m.buf, s))
		}
	}
	n := copy(p, m.buf[:m.ready])
	m.buf, m.ready = m.buf[n:], m.ready-n
	return n, nil
}

// started is how many bytes at the end of text are the start of a secret.
func started(text, secret []byte) int {
	for n := min(len(secret)-1, len(text)); n > 0; n-- {
		if bytes.HasPrefix(secret, text[len(text)-n:]) {
			return n
		}
	}
	return 0
}
