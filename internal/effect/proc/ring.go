package proc

import "sync"

// ring keeps the last bytes that were written to it.
type ring struct {
	mu    sync.Mutex
	limit int
	buf   []byte
	at    int // where the next byte goes, once buf is full
}

func (r *ring) write(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(p) > r.limit {
		p = p[len(p)-r.limit:]
	}
	if room := r.limit - len(r.buf); room > 0 {
		n := min(room, len(p))
		r.buf = append(r.buf, p[:n]...)
		p = p[n:]
	}
	for len(p) > 0 {
		n := copy(r.buf[r.at:], p)
		p = p[n:]
		r.at = (r.at + n) % r.limit
	}
}

// bytes gives them in the order in which they were written.
func (r *ring) bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append(append(make([]byte, 0, len(r.buf)), r.buf[r.at:]...), r.buf[:r.at]...)
}
