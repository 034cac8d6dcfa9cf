package guard

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// learn keeps what a message that goes on to the client says of the session: which tools there are, and what came before the model.
func (s *Session) learn(m *traffic.Message, was request) {
	if m.Cards != nil {
		s.tools(m.Cards)
	}
	if m.Kind != wire.Response || !m.Node.Get("result").Valid() {
		return
	}
	switch m.Method {
	case "tools/call":
		t := s.memory.Tools[was.tool]
		if t.Holds == card.Strong || was.secrets {
			s.memory.Private = first(s.memory.Private, was.tool)
		}
		if t.Brings == card.Strong {
			s.memory.Untrusted = first(s.memory.Untrusted, was.tool)
		}
	case "resources/read":
		for n := range m.Node.Get("result").Get("contents").Children() {
			scheme, _, _ := strings.Cut(n.Get("uri").Text(), ":")
			switch strings.ToLower(scheme) {
			case "file":
				s.memory.Private = first(s.memory.Private, "a file")
			case "http", "https":
				s.memory.Untrusted = first(s.memory.Untrusted, "a page of the web")
			}
		}
	}
}

// first keeps what was there first.
func first(was, now string) string {
	if was != "" {
		return was
	}
	return now
}

// room says whether the tools of a list can all be remembered.
func (s *Session) room(f *card.File) bool {
	n := len(s.memory.Tools)
	for _, one := range f.Servers {
		for c := range one.Of(card.Tool) {
			if _, known := s.memory.Tools[c.Name]; !known {
				n++
			}
		}
	}
	return n <= s.lim.GuardedTools
}

// tools remembers what the tools of a list can do.
func (s *Session) tools(f *card.File) {
	for _, one := range f.Servers {
		for c := range one.Of(card.Tool) {
			if s.memory.Tools == nil {
				s.memory.Tools = map[string]traffic.Tool{}
			}
			does := c.Does()
			s.memory.Tools[strings.Clone(c.Name)] = traffic.Tool{Holds: does.Holds(), Brings: does.Brings(), Leaks: does.Leaks()}
		}
	}
}
