package rule

import (
	"strconv"
	"time"

	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
)

// Machine is what doctor looks at: every config file that was read, and the locks that can be relied on.
type Machine struct {
	Files []*client.File
	Locks []*lock.Held
	// Today decides what has expired.
	Today time.Time

	covers map[*client.Server]lock.Cover
	used   map[*lock.Server]bool
}

// Starts says whether a client starts or reaches the entry, so that it can be pinned: it is neither switched off nor hidden
// behind another, and names a command or a URL.
func Starts(s *client.Server) bool {
	off := s.Hidden || s.Disabled || s.Shadowed != nil || s.Twin != nil || s.File.Dead()
	return !off && (s.Command.Value != "" || s.URL.Value != "")
}

// Cover is what the locks say of an entry, looked up once.
func (m *Machine) Cover(s *client.Server) lock.Cover {
	if c, ok := m.covers[s]; ok || len(m.Locks) == 0 {
		return c
	}
	if m.covers == nil {
		m.covers = map[*client.Server]lock.Cover{}
	}
	c := lock.Covering(m.Locks, s, m.Today)
	m.covers[s] = c
	return c
}

// Was is the entry of that name in a lock that speaks of s, whose launch nothing on this machine has any more: what s was before
// its config changed.
func (m *Machine) Was(s *client.Server) (*lock.Held, *lock.Server) {
	for _, h := range m.Locks {
		if e := h.Get(s.Display()); e != nil && h.SpeaksOf(s) && !m.Used(e) {
			return h, e
		}
	}
	return nil, nil
}

// Used says whether something on this machine is started as the entry of a lock says.
func (m *Machine) Used(e *lock.Server) bool {
	if m.used == nil {
		m.used = map[*lock.Server]bool{}
		for _, f := range m.Files {
			for _, s := range f.Servers {
				if Starts(s) {
					m.used[m.Cover(s).Entry] = true
				}
			}
		}
	}
	return m.used[e]
}

// Alike are the entries that are started and for which pick answers true, those of one launch together, in the order of the
// files. A launch that hangs on its folder is another one in each.
func (m *Machine) Alike(pick func(*client.Server) bool) (all [][]*client.Server) {
	at := map[string]int{}
	for _, f := range m.Files {
		for _, s := range f.Servers {
			if !Starts(s) || !pick(s) {
				continue
			}
			l, _ := lock.LaunchOf(s, lock.Places{}) // one with a secret has a launch too
			key := l.Key()
			if s.OfItsFolder() {
				key = strconv.Quote(s.Folder()) + key
			}
			i, ok := at[key]
			if !ok {
				i = len(all)
				at[key] = i
				all = append(all, nil)
			}
			all[i] = append(all[i], s)
		}
	}
	return all
}
