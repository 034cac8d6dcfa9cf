package serve

import (
	"cmp"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Callers remembers who called what, in this process only, and counts probes. Of what a caller sent it keeps names of our own
// tools and how often, never an argument, and of a target a digest. It holds Limits.Callers callers, each for
// Limits.CallerTime after its last call; where there are more, the one that was silent longest is forgotten.
type Callers struct {
	lim limits.Set
	now func() time.Time

	mu      sync.Mutex
	known   map[caller]*seen
	probes  map[string]*bucket // by address
	targets map[[32]byte]*bucket
}

// caller tells callers apart.
type caller struct{ address, agent string }

type seen struct {
	last  time.Time
	tools map[string]int
}

// bucket counts what happened in one window of time.
type bucket struct {
	since time.Time
	count int
}

// NewCallers is a memory that holds nobody yet.
func NewCallers(now func() time.Time, lim limits.Set) *Callers {
	return &Callers{lim: lim, now: now, known: map[caller]*seen{}, probes: map[string]*bucket{}, targets: map[[32]byte]*bucket{}}
}

func keyOf(c Caller, lim limits.Set) caller {
	return caller{c.Address, text.Safe(c.Agent, lim.ShownRunes)}
}

// Saw notes a call of one of our tools.
func (m *Callers) Saw(c Caller, tool string) {
	key, now := keyOf(c, m.lim), m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.known[key]
	if s == nil || now.Sub(s.last) > m.lim.CallerTime {
		room(m.known, m.lim.Callers, func(s *seen) time.Time { return s.last })
		s = &seen{tools: map[string]int{}}
		m.known[key] = s
	}
	s.last = now
	s.tools[tool]++ // tools are ours: there are few
}

// room makes room for one more in a full map: the oldest goes.
func room[K comparable, V any](in map[K]V, most int, at func(V) time.Time) {
	if len(in) < most {
		return
	}
	var oldest K
	var when time.Time
	for k, v := range in {
		if t := at(v); when.IsZero() || t.Before(when) {
			oldest, when = k, t
		}
	}
	delete(in, oldest)
}

// called is a tool and how often a caller called it.
type called struct {
	Tool  string `json:"tool"`
	Count int    `json:"count"`
}

// Before is what a caller called in the last hour, most often first.
func (m *Callers) Before(c Caller) []called {
	key := keyOf(c, m.lim)
	m.mu.Lock()
	defer m.mu.Unlock()
	all := []called{}
	s := m.known[key]
	if s == nil || m.now().Sub(s.last) > m.lim.CallerTime {
		return all
	}
	for tool, n := range s.tools {
		all = append(all, called{tool, n})
	}
	slices.SortFunc(all, func(a, b called) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Tool, b.Tool)) })
	return all
}

// Left is how many probes an address has left, and when it has all of them again.
func (m *Callers) Left(address string) (left int, in time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.probes[network(address)]
	age := time.Duration(0)
	if b != nil {
		age = m.now().Sub(b.since)
	}
	if b == nil || age >= m.lim.ProbeWindow {
		return m.lim.CallerProbes, 0
	}
	return m.lim.CallerProbes - b.count, m.lim.ProbeWindow - age
}

// Probe takes one probe of a target from what a caller and the target have left. Where nothing is left, wait says for how
// long, and whose turn it was is in by.
func (m *Callers) Probe(address string, target [32]byte) (by string, wait time.Duration) {
	now := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	mine := take(m.probes, network(address), now, m.lim)
	if mine.count >= m.lim.CallerProbes { // and no target is noted, which would drive out another
		return "caller", m.lim.ProbeWindow - now.Sub(mine.since)
	}
	theirs := take(m.targets, target, now, m.lim)
	if theirs.count >= m.lim.TargetProbes {
		return "target", m.lim.ProbeWindow - now.Sub(theirs.since)
	}
	mine.count++
	theirs.count++
	return "", 0
}

// network is what probes are counted by: an IPv4 address, and the 64 bits of an IPv6 one that a caller does not choose.
func network(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil || a.Unmap().Is4() {
		return address
	}
	p, err := a.WithZone("").Prefix(64)
	if err != nil {
		return address
	}
	return p.String()
}

// take is the bucket of a key in the window that now is in. Where there is no room, one whose window is over goes, else the one
// that has been counted least: a limit that is reached is not forgotten because of many who have just come.
func take[K comparable](in map[K]*bucket, key K, now time.Time, lim limits.Set) *bucket {
	b := in[key]
	if b == nil || now.Sub(b.since) >= lim.ProbeWindow {
		if b == nil {
			room(in, lim.Callers, func(b *bucket) time.Time {
				if now.Sub(b.since) >= lim.ProbeWindow {
					return b.since
				}
				return now.Add(time.Duration(b.count))
			})
		}
		b = &bucket{since: now}
		in[key] = b
	}
	return b
}
