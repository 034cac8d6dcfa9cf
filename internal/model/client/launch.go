package client

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/model/launch"
)

// Launch is one command that the client runs for an entry: its launch line, or one of its further commands.
type Launch struct {
	launch.Line
	server *Server
	run    Str
}

// Launches are the commands of an entry: the launch line first, if there is one, then those of Runs, of which each may
// hold several. They are read once and kept until Forget.
func (s *Server) Launches() []*Launch {
	d := s.shared()
	if d.launchesDone {
		return d.launches
	}
	d.launchesDone = true
	if s.Command.Value != "" {
		// The memory of the last entry's line is used again.
		if cap(d.launches) == 0 {
			d.launches = append(d.launches, new(Launch))
		}
		d.launches = d.launches[:1]
		l := d.launches[0]
		l.server, l.run = s, Str{}
		l.Line.Parse(s.words())
	}
	for _, r := range s.Runs {
		for _, l := range launch.ParseShell(r.Value) {
			d.launches = append(d.launches, &Launch{Line: l, server: s, run: r})
		}
	}
	return d.launches
}

// Unread says that a launch line that was looked at went beyond the limits of the grammar.
func (s *Server) Unread() bool {
	return s.derived != nil && slices.ContainsFunc(s.derived.launches, func(l *Launch) bool { return l.Truncated })
}

// Line is the launch line as the grammar reads it; ok is false for an entry without a command.
func (s *Server) Line() (line *launch.Line, ok bool) {
	if s.Command.Value == "" {
		return nil, false
	}
	return &s.Launches()[0].Line, true
}

// Word is the string behind an index of the line: the whole command where the index is in a script (-1).
func (l *Launch) Word(arg int) Str {
	switch {
	case l.run.Set():
		return l.run
	case arg < 0:
		return l.server.Command
	}
	return l.server.Word(arg)
}

// Main says that the line is the one that starts the server.
func (l *Launch) Main() bool { return !l.run.Set() }
