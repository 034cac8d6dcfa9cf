package client

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Guard is our own wrapper around an entry's command: "mcpassay guard run --server NAME -- COMMAND ARGS". Such an entry is read as
// the command that stands within, whoever looks at it; what is written in the file stands here.
type Guard struct {
	Program Str
	// Words are all words behind the program, Flags those of them that are the guard's own.
	Words, Flags []Str
}

// Names of the flags of guard run that say how an entry was written before: its command where that was not a plain string in
// double quotes, and that it had no arguments.
const (
	GuardWritten = "--written"
	GuardBare    = "--bare"
)

// guarded makes of an entry that starts our guard the one that the guard starts.
func (s *Server) guarded() {
	if !strings.Contains(s.Command.Value, "mcpassay") || len(s.Args) < 4 || s.Args[0].Value != "guard" || s.Args[1].Value != "run" {
		return
	}
	dash := slices.IndexFunc(s.Args, func(a Str) bool { return a.Value == "--" })
	if !NamedAsGuard(s.Command.Value) || dash < 0 || dash+1 == len(s.Args) {
		return
	}
	s.rare().Guard = &Guard{Program: s.Command, Words: s.Args, Flags: s.Args[2:dash]}
	s.Command, s.Args = s.Args[dash+1], s.Args[dash+2:]
}

// NamedAsGuard says whether a program's path has the name by which a guarded entry is known.
func NamedAsGuard(path string) bool {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	return strings.TrimSuffix(base, ".exe") == "mcpassay"
}

// Serves says whether a command is our guard that stands for many servers, which are named elsewhere.
func Serves(argv []string) bool {
	return len(argv) > 2 && NamedAsGuard(argv[0]) && argv[1] == "guard" && argv[2] == "serve"
}

// Wrap are the edits that put the guard, a program of that path, in front of the entry's command. Unwrap takes back just those.
func (s *Server) Wrap(program string) ([]finding.Edit, error) {
	switch {
	case s.Rare.Guard != nil:
		return nil, errors.New("it is guarded already")
	case Serves(s.Argv()):
		return nil, errors.New("it is a guard, and each of its servers stands behind it")
	case s.Transport != Stdio || !s.Command.Set():
		return nil, errors.New("the guard stands in front of commands, and it has none: mcpassay guard run --upstream URL guards an address by hand")
	case s.Node.Shared() || s.Command.Node.Shared():
		return nil, errors.New("the entry is written once and used in several places")
	}
	line := []string{"guard", "run", "--server", s.Name}
	quoted := func(words ...string) (out []string) {
		for _, w := range words {
			out = append(out, source.Quote(w))
		}
		return out
	}
	if s.ArrayCommand {
		words := slices.Concat([]string{program}, line, []string{"--"})
		return []finding.Edit{s.Command.Node.Parent().Prepend(quoted(words...)...)}, nil
	}
	if raw := string(s.Command.Node.Raw()); raw != source.Quote(s.Command.Value) {
		if strings.ContainsAny(raw, "\r\n") {
			return nil, errors.New("its command is written on several lines")
		}
		line = append(line, GuardWritten, raw)
	}
	holder := s.Command.Node.Parent()
	args := holder.Get("args")
	tail := []string{"--", s.Command.Value}
	edits := []finding.Edit{s.Command.Node.Replace(source.Quote(program))}
	switch {
	case !args.Valid():
		words := quoted(slices.Concat(line, []string{GuardBare}, tail)...)
		return append(edits, holder.Insert("args", "["+strings.Join(words, ", ")+"]")), nil
	case args.Kind() != source.Array:
		return nil, fmt.Errorf("its arguments are %s", args.Kind())
	case args.Shared() || args.Len() != len(s.Args):
		return nil, errors.New("its arguments are not a list of strings that is its own")
	}
	return append(edits, args.Prepend(quoted(slices.Concat(line, tail)...)...)), nil
}

// Unwrap are the edits that take the guard away again: to the byte what Wrap found, whatever else of the file has changed since.
func (s *Server) Unwrap() ([]finding.Edit, error) {
	g := s.Rare.Guard
	switch {
	case g == nil:
		return nil, errors.New("it is not guarded")
	case s.Node.Shared() || g.Program.Node.Shared():
		return nil, errors.New("the entry is written once and used in several places")
	}
	between := func(from, to int) finding.Edit { return finding.Edit{Offset: from, Length: to - from} }
	first := g.Words[0].Node
	if s.ArrayCommand {
		return []finding.Edit{between(g.Program.Node.Span().Start, s.Command.Node.Span().Start)}, nil
	}
	written, bare := source.Quote(s.Command.Value), false
	for i, f := range g.Flags {
		switch {
		case f.Value == GuardWritten && i+1 < len(g.Flags):
			written = g.Flags[i+1].Value
		case f.Value == GuardBare:
			bare = true
		}
	}
	edits := []finding.Edit{g.Program.Node.Replace(written)}
	args := first.Parent()
	last := g.Words[len(g.Words)-1].Node
	switch {
	case bare && len(s.Args) == 0:
		start := args.KeySpan().Start
		for c := range args.Parent().Children() {
			if at := c.KeySpan().Start; at > start {
				return append(edits, between(start, at)), nil
			}
		}
		return append(edits, args.Remove()), nil
	case len(s.Args) > 0:
		return append(edits, between(first.Span().Start, s.Args[0].Node.Span().Start)), nil
	}
	return append(edits, between(first.Span().Start, last.Span().End)), nil
}
