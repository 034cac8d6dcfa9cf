package lock

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/model/client"
)

// Held is a lock that was found on a machine.
type Held struct {
	*File
	// Places are the folders by which its launches are written.
	Places Places
	// Own says that it is the user's own, which speaks for whatever folder.
	Own bool

	byLaunch map[string][]*Server
}

// Cover is what the locks of a machine say of one server.
type Cover struct {
	// Lock and Entry hold it; both are nil where no lock does.
	Lock  *Held
	Entry *Server
	// Standing is what the approvals of the entry come to, Why are those that say so.
	Standing Standing
	Why      []Approval
}

// Covering looks for the entry that launches exactly what s does, whatever it is called: an approved one before any other,
// else the first. A launch that hangs on the folder it runs in is that of a project's lock only where the lock lies in
// that folder or above it.
//
// Source: warden-doctor section 3, whose match left out folder, transport, variables and headers.
func Covering(all []*Held, s *client.Server, today time.Time) (best Cover) {
	hangs, folder := s.OfItsFolder(), s.Folder()
	for _, h := range all {
		l, err := LaunchOf(s, h.Places)
		if err != nil || hangs && !h.Own && !inside(folder, filepath.ToSlash(h.Places.Project)) {
			continue
		}
		for _, e := range h.launching(l) {
			at, why := h.Standing(e, today)
			if best.Entry == nil || at == Approved && best.Standing != Approved {
				best = Cover{Lock: h, Entry: e, Standing: at, Why: why}
			}
		}
	}
	return best
}

// SpeaksOf says whether the lock is where s would be pinned by its name: the user's own for a file of the user, for a
// project's file one in its folder or above.
func (h *Held) SpeaksOf(s *client.Server) bool {
	if s.File.Project == "" {
		return h.Own
	}
	return !h.Own && inside(s.File.Project, filepath.ToSlash(h.Places.Project))
}

// launching are the servers of the lock with that launch.
func (h *Held) launching(l Launch) []*Server {
	if h.byLaunch == nil {
		h.byLaunch = map[string][]*Server{}
		for _, s := range h.Servers {
			key := s.Launch.Key()
			h.byLaunch[key] = append(h.byLaunch[key], s)
		}
	}
	return h.byLaunch[l.Key()]
}

// inside says whether a folder is the other one or lies below it. Both are absolute, with slashes; "" is no folder.
func inside(folder, other string) bool {
	return folder != "" && (folder == other || strings.HasPrefix(folder, strings.TrimSuffix(other, "/")+"/"))
}

// Key is the launch as a text that no other launch has, cheaper than its digest.
func (l Launch) Key() string {
	var b strings.Builder
	word := func(s string) {
		b.WriteString(strconv.Itoa(len(s)))
		b.WriteByte(':')
		b.WriteString(s)
	}
	list := func(all []string) {
		b.WriteString(strconv.Itoa(len(all)))
		for _, s := range all {
			b.WriteByte(' ')
			word(s)
		}
		b.WriteByte(';')
	}
	list([]string{l.Transport, l.Command, l.Cwd, l.URL})
	list(l.Args)
	list(l.Env)
	list(l.Headers)
	for _, name := range slices.Sorted(maps.Keys(l.Values)) {
		word(name)
		word(l.Values[name])
	}
	return b.String()
}
