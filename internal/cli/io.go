package cli

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/term"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
)

// IO is everything a run takes from the process that it runs in. Tests make their own.
type IO struct {
	In       io.Reader
	Out, Err io.Writer
	// Getenv answers an environment variable, Environ lists them.
	Getenv  func(string) string
	Environ func() []string
	// Cwd and Home are absolute folders; either is "" where there is none.
	Cwd, Home string
	// Platform is a GOOS.
	Platform string
	Now      func() time.Time
	// Terminal says that Out is one; Width is its columns, 0 when unknown.
	Terminal bool
	Width    int
	// ErrTerminal says that Err is one: only there progress is shown. InTerminal says that In is one: only there somebody answers.
	ErrTerminal, InTerminal bool
	// ReadSecret reads a line of the terminal that is not shown; nil where there is none.
	ReadSecret func() ([]byte, error)
	// Browse opens a URL in the user's browser; nil where that can not be.
	Browse func(url string) error
}

// OS is the real process.
func OS() IO {
	cwd, _ := os.Getwd()
	home, _ := os.UserHomeDir()
	if !filepath.IsAbs(home) { // it would mean another folder in each working folder
		home = ""
	}
	s := IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Environ: os.Environ,
		Cwd: cwd, Home: home, Platform: runtime.GOOS, Now: time.Now}
	s.Browse = func(url string) error { return proc.Browse(url, os.Environ()) }
	s.InTerminal = term.IsTerminal(int(os.Stdin.Fd()))
	s.ReadSecret = func() ([]byte, error) { return term.ReadPassword(int(os.Stdin.Fd())) }
	s.ErrTerminal = term.IsTerminal(int(os.Stderr.Fd()))
	if fd := int(os.Stdout.Fd()); term.IsTerminal(fd) {
		s.Terminal = true
		s.Width, _, _ = term.GetSize(fd)
	}
	return s
}

// colour says whether to colour results: flag, then NO_COLOR, then FORCE_COLOR or CLICOLOR_FORCE, then the terminal.
func (s IO) colour(flag string) bool {
	set := func(name string) bool { v := s.Getenv(name); return v != "" && v != "0" }
	switch {
	case flag == "always":
		return true
	case flag == "never", s.Getenv("NO_COLOR") != "":
		return false
	case set("FORCE_COLOR"), set("CLICOLOR_FORCE"):
		return true
	}
	return s.Terminal && s.Getenv("TERM") != "dumb"
}
