// Package launch reads launch lines: given the argv that an MCP client would run, it says what that
// runs: through which wrappers and shells, with which package runner, which packages and how firmly
// each is pinned, which container with which privileges, and whether code is fetched and run at once.
//
// It is a grammar, not a search: only the word in the package's place is a package, a shell script is
// split as its shell would split it, and what a flag takes as its value comes from a table per runner.
// Nothing is run, opened or looked up. Input is hostile: work is linear in its length, nesting is
// bounded by limits.Default.LaunchDepth and the commands of scripts by LaunchCommands, and that something was left
// unread for that is said in Line.Truncated.
package launch

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// Line is what one command does. Indexes count the words of the argv that was given to Parse; they are
// -1 for what stands inside a script.
type Line struct {
	// Argv is the command as given; of a command in a script, its words without the leading
	// assignments and without redirections.
	Argv []string
	// Wrappers are the commands that run another, outermost first: "cmd /c", "sh -c", "env", "sudo".
	Wrappers []string
	// Runner is the package runner or interpreter in one spelling ("npx", "npm exec", "bunx", "pnpm dlx",
	// "uv tool run", "docker run", "node", "python"), or "".
	Runner string
	// Package is what is run, nil when nothing that is fetched could be named. It is one of Packages.
	Package *Package
	// Packages are all that are fetched: -p, --package and --with ones, and those of every command of a script.
	Packages []Package
	// Script says that argv or a wrapper carried a shell script; ScriptArg is where, -1 if none.
	Script    bool
	ScriptArg int
	// FetchRun are the places where code is downloaded and run in one go.
	FetchRun []Fetch
	// Env are the variables that the line itself sets: env K=V, docker -e, a shell prefix.
	Env []Assignment
	// Docker is set for docker, podman, nerdctl and finch run.
	Docker *Docker
	// Program is the base name of the real command, in lower case and without .cmd, .exe and .ps1.
	Program string
	// Rest are the words after the package, or after the program when there is none.
	Rest []string
	// Truncated says that a limit was met, of nesting or of commands: what lies beyond was not read.
	Truncated bool

	prog word
	rest []word
	// argv and the state of Parse, in memory that the next one uses again
	words  []word
	reader *reader
}

// Pin says how firmly a package is pinned.
type Pin uint8

// The pins. Exact is one version by name, Digest and Commit one content. A Tag is a name that its
// publisher moves (latest, a dist-tag, :stable), Branch a git source without a full commit.
const (
	None Pin = iota
	Exact
	Range
	Tag
	Digest
	Commit
	Branch
)

// Floating says whether the same line can run other code tomorrow.
func (p Pin) Floating() bool { return p != Exact && p != Digest && p != Commit }

// String gives the pin's name in lower case.
func (p Pin) String() string {
	names := [...]string{"none", "exact", "range", "tag", "digest", "commit", "branch"}
	if int(p) < len(names) {
		return names[p]
	}
	return "unknown"
}

// Package is one thing that a line fetches to run.
type Package struct {
	// Ecosystem is npm, pypi, oci, go, nuget, jsr, url or git.
	Ecosystem string
	// Name is the package without its version: "@scope/name", "ghcr.io/owner/image", "github.com/owner/repo".
	Name string
	// Spec is the package as written, version included.
	Spec string
	// Version is the version, range, tag, digest or git ref in Spec, "" if none.
	Version string
	Pin     Pin
	// Arg is the word that Spec stands in; Start and End are Spec's bytes in it, both 0 if quoting changed them.
	Arg, Start, End int
}

// Fetch is code that is downloaded and run in one go.
type Fetch struct {
	// How names the form in fixed words, never the input's: "curl | sh", "bash <(curl)", "iex (irm)".
	How string
	// Arg is the word to point at: the script, or the word that runs what was fetched.
	Arg int
}

// Assignment is a variable that the line sets for what it runs.
type Assignment struct {
	Name, Value string
	// Inherit is true where only the name is given and the value comes from outside (docker -e NAME).
	Inherit bool
	// Arg is the word that it stands in; Start and End are the bytes of Value in it, both 0 if quoting changed them.
	Arg, Start, End int
}

// Parse makes l what argv runs, and uses the memory of what l held before. The line keeps argv, which must not be
// changed after that. A lone word that holds a whole command line ("npx -y pkg") is read as the clients that use a
// shell would.
func (l *Line) Parse(argv []string) {
	n := 0
	for _, a := range argv {
		n += len(a) + 1
	}
	r := l.reader
	if r == nil {
		r = new(reader)
	}
	*r = reader{left: n * limits.Default.LaunchRereads, packages: l.Packages[:0]}
	ws := l.words[:0]
	for i, a := range argv {
		ws = append(ws, word{text: a, arg: i, q: -1})
	}
	rest := l.Rest[:0]
	if len(argv) > 0 && commandLine(argv[0]) {
		*l = r.phrase(ws)
	} else {
		*l = r.command(ws)
	}
	l.Argv, l.Rest, l.words, l.reader = argv, rest, ws, r
	l.finish(r)
}

// ParseShell splits a script into its simple commands, those inside $(…), `…`, <(…) and ( … ) first, and
// says what each runs. The script is POSIX shell, or cmd.exe's when it starts with a drive path.
func ParseShell(script string) []Line {
	r := &reader{left: len(script) * limits.Default.LaunchRereads}
	lines := r.script(script, dialectOf(script))
	for i := range lines {
		lines[i].finish(r)
	}
	if lines == nil && r.cut {
		lines = []Line{{ScriptArg: -1, Truncated: true}}
	}
	return lines
}

// dialectOf tells cmd.exe's scripts by a drive path in command position, which no POSIX shell can run.
func dialectOf(script string) dialect {
	s := strings.TrimLeft(script, " \t\"")
	if DrivePath(s) && s[2] == '\\' {
		return cmdexe
	}
	return posix
}

// commandLine says whether a command holds its arguments too: it has blanks, and its first word is a
// program that this package knows (so "C:\Program Files\x.exe" stays one path).
func commandLine(s string) bool {
	i := strings.IndexAny(s, " \t\n")
	if i <= 0 {
		return false
	}
	return RunsOthers(s[:i])
}

// RunsOthers says whether a program runs what its arguments name: a package, a command, a file of code, what is fetched from
// somewhere.
func RunsOthers(word string) bool {
	name := program(word)
	if _, ok := families()[name]; ok {
		return true
	}
	_, wraps := wrappers()[name]
	return wraps || isShell(name) || name == "cmd" || isPower(name) || interpreter(name) != "" || isFetcher(name)
}

// phrase reads an argv whose first word is a command line; the other words are its further arguments.
func (r *reader) phrase(ws []word) Line {
	x := r.lexer(ws[0].text, posix)
	if x == nil {
		return r.command(ws)
	}
	x.at = func(pos int) (int, int) { return 0, pos }
	x.list(0)
	if len(x.cmds) == 1 && len(x.cmds[0].assigns) == 0 {
		return r.command(append(slices.Clip(x.cmds[0].words), ws[1:]...))
	}
	l := Line{ScriptArg: -1}
	l.nest("", r.lines(x), 0)
	return l
}

// reader is the state of one Parse: what may still be read, and what the script did so far.
type reader struct {
	left  int // bytes that may still be lexed: nested scripts are read again, a bounded number of times
	depth int
	// commands counts those of all scripts.
	commands int
	cut      bool
	tainted  map[string]string // variable -> what filled it from the network
	// packages is memory for the packages of the first command.
	packages []Package
}

// enter goes one level deeper, or says that it is deep enough.
func (r *reader) enter() bool {
	if r.depth >= limits.Default.LaunchDepth {
		r.cut = true
		return false
	}
	r.depth++
	return true
}

func (r *reader) leave() { r.depth-- }

// full says that no further command is read.
func (r *reader) full() bool {
	if r.commands < limits.Default.LaunchCommands {
		return false
	}
	r.cut = true
	return true
}

// lexer starts on a script, or gives nil when the reader's bounds are met.
func (r *reader) lexer(s string, d dialect) *lexer {
	if len(s) > r.left {
		r.cut = true
		return nil
	}
	r.left -= len(s)
	return &lexer{r: r, s: s, d: d}
}

// script reads a nested script and says what each of its commands does.
func (r *reader) script(s string, d dialect) []Line {
	x := r.lexer(s, d)
	if x == nil || !r.enter() {
		return nil
	}
	defer r.leave()
	x.list(0)
	return r.lines(x)
}

// lines says what each command of a script that was split does.
func (r *reader) lines(x *lexer) []Line {
	f := newFetches(r, x)
	for i, c := range x.cmds {
		f.assignment(c)
		l := r.command(c.words)
		l.Argv = texts(nil, c.words)
		for _, w := range c.assigns {
			l.assign(w)
		}
		if c.here != "" && isShell(l.Program) && len(l.rest) == 0 {
			l.nest(l.Program+" <<", r.script(c.here, posix), -1)
		}
		f.lines = append(f.lines, l)
		f.look(i)
	}
	return f.lines
}

// nest makes l the line that runs a script: the script's main command is what l runs, and everything
// that any of its commands fetches counts.
func (l *Line) nest(how string, lines []Line, arg int) {
	if how != "" {
		l.Wrappers = append(l.Wrappers, how)
	}
	l.Script = true
	if l.ScriptArg < 0 {
		l.ScriptArg = arg
	}
	for i := range lines {
		n := &lines[i]
		l.add(n)
		for _, f := range n.FetchRun {
			if strings.HasPrefix(f.How, "$(") && how != "" {
				f.How = how + " " + f.How
			}
			if f.Arg < 0 {
				f.Arg = arg
			}
			l.fetch(f)
		}
	}
	if m := mainLine(lines); m != nil {
		l.become(m)
		l.rest, l.prog.lo, l.prog.hi = bare(l.rest), 0, foreign
	}
}

// bare drops the substitutions of words that came from another script than the one they are used in.
func bare(ws []word) []word {
	if !slices.ContainsFunc(ws, func(w word) bool { return w.lo != w.hi }) {
		return ws
	}
	ws = slices.Clone(ws)
	for i := range ws {
		ws[i].lo, ws[i].hi = 0, 0
	}
	return ws
}

// add takes over what n fetches and sets, but not what it is.
func (l *Line) add(n *Line) {
	l.Packages = append(l.Packages, n.Packages...)
	l.Env = append(l.Env, n.Env...)
	if l.Docker == nil {
		l.Docker = n.Docker
	}
}

// become makes n's command the one that l is about.
func (l *Line) become(n *Line) {
	l.Wrappers = append(l.Wrappers, n.Wrappers...)
	l.Runner, l.Program, l.prog, l.rest = n.Runner, n.Program, n.prog, n.rest
	l.Package = n.Package
	if n.Docker != nil {
		l.Docker = n.Docker
	}
}

// mainLine is the command that a script is about: the last that runs a package, else the last with a
// runner, else the last that is not shell bookkeeping.
func mainLine(lines []Line) *Line {
	var best *Line
	rank := 0
	for i := range lines {
		n := 1
		switch l := &lines[i]; {
		case l.Package != nil:
			n = 4
		case l.Runner != "":
			n = 3
		case l.Program != "" && !bookkeeping(l.Program):
			n = 2
		case l.Program == "":
			n = 0
		}
		if n >= rank && n > 0 {
			best, rank = &lines[i], n
		}
	}
	return best
}

// bookkeeping are the commands that a script prepares with: it is not about them.
func bookkeeping(name string) bool {
	switch name {
	case "cd", "export", "set", "source", ".", "echo", "mkdir", "test", "[", "[[", "true", "unset", "umask", "pushd",
		"popd", "chmod", "sleep", "printf", "ulimit", "trap", "setlocal", "title":
		return true
	}
	return false
}

// fetch records f unless its form is known already: forms are few, so this stays linear.
func (l *Line) fetch(f Fetch) {
	same := func(g Fetch) bool { return g.How == f.How }
	if !slices.ContainsFunc(l.FetchRun, same) {
		l.FetchRun = append(l.FetchRun, f)
	}
}

func (l *Line) assign(w word) {
	k := strings.IndexByte(w.text, '=')
	if k < 0 {
		l.Env = append(l.Env, Assignment{Name: w.text, Inherit: true, Arg: w.arg})
		return
	}
	v := w.from(k + 1)
	start, end := v.span()
	name := strings.TrimSuffix(w.text[:k], "+")
	l.Env = append(l.Env, Assignment{Name: name, Value: v.text, Arg: w.arg, Start: start, End: end})
}

func (l *Line) finish(r *reader) {
	l.Rest = texts(l.Rest[:0], l.rest)
	l.Truncated = r.cut
	if l.Package == nil && len(l.Packages) > 0 {
		l.Package = &l.Packages[0]
		return
	}
	for i := range l.Packages {
		if l.Package != nil && l.Packages[i] == *l.Package {
			l.Package = &l.Packages[i]
			return
		}
	}
}

func texts(out []string, ws []word) []string {
	for _, w := range ws {
		out = append(out, w.text)
	}
	return out
}

// program is the base name of a command in lower case, without the suffixes that Windows adds.
func program(s string) string {
	if i := strings.LastIndexAny(s, `/\`); i >= 0 {
		s = s[i+1:]
	}
	s = strings.ToLower(s)
	for _, suffix := range [...]string{".cmd", ".exe", ".ps1"} {
		if t, ok := strings.CutSuffix(s, suffix); ok && t != "" {
			return t
		}
	}
	return s
}
