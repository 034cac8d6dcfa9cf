package files

import (
	"errors"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
)

// The paths of this file are those of goos, not of the machine that runs: what is said of a path on
// Windows is tested everywhere.

const windows = "windows"

// Exists says whether path leads to something, links followed. A link to nothing does not; a folder
// that may not be searched gives an error, for then nobody knows. A path that a config names goes
// through a DirCache, which keeps off other machines.
func Exists(path string) (bool, error) {
	_, err := stat(path, "")
	switch ReasonOf(err) {
	case "", NotRegular:
		return true, nil
	case Missing, DanglingLink, LinkLoop:
		return false, nil
	}
	return false, err
}

// DirCache remembers what Exists said: rules of many servers ask for the same few paths of a project.
// A path on another machine's share is never looked up: a config would make Windows send the user's
// credentials there. It is ready as it is, and safe for concurrent use.
type DirCache struct {
	mu    sync.Mutex
	known map[string]existence
}

type existence struct {
	yes bool
	err error
}

// Exists is the package's Exists, asked once a path.
func (c *DirCache) Exists(path string) (bool, error) {
	if runtime.GOOS == windows && share(path) != "" {
		return false, &Error{Path: path, Reason: Unreadable, Err: errors.New("on a network share")}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.known[path]
	if !ok {
		e.yes, e.err = Exists(path)
		if c.known == nil {
			c.known = make(map[string]existence)
		}
		c.known[path] = e
	}
	return e.yes, e.err
}

// StateDir is where the product keeps what it must remember on a machine (backups, approvals), or ""
// where goos names no such place: it is never guessed. env looks up a variable; home may be "".
func StateDir(goos string, env func(string) string, home string) string {
	const name = "mcpassay"
	switch goos {
	case windows:
		if local := env("LOCALAPPDATA"); local != "" {
			return strings.TrimRight(local, `\/`) + `\` + name
		}
		return ""
	case "darwin":
		if home != "" {
			return path.Join(home, "Library", "Application Support", name)
		}
		return ""
	}
	// The XDG base directory specification: a relative path is to be ignored.
	if state := env("XDG_STATE_HOME"); path.IsAbs(state) {
		return path.Join(state, name)
	}
	if home != "" {
		return path.Join(home, ".local", "state", name)
	}
	return ""
}

// LookPath says whether a process on goos whose folder is cwd finds the program name, going by files
// alone: nothing is run. pathEnv and pathExt are its PATH and, on Windows, PATHEXT. A program on a
// network share is not looked up and counts as found.
func LookPath(name, pathEnv, pathExt, cwd, goos string) bool {
	if name == "" {
		return false
	}
	if goos == windows {
		return lookPathWindows(name, pathEnv, pathExt, cwd)
	}
	if strings.Contains(name, "/") {
		return isProgram(under(cwd, name), goos)
	}
	if pathEnv == "" {
		return false
	}
	for dir := range strings.SplitSeq(pathEnv, ":") {
		// An empty entry is the process's own folder.
		if isProgram(under(cwd, path.Join(dir, name)), goos) {
			return true
		}
	}
	return false
}

func lookPathWindows(name, pathEnv, pathExt, cwd string) bool {
	if share(name) != "" {
		return true
	}
	if pathExt == "" {
		pathExt = ".COM;.EXE;.BAT;.CMD"
	}
	exts := strings.Split(pathExt, ";")
	names := make([]string, 0, 2*len(exts)+1)
	for _, ext := range exts {
		if ext == "" {
			continue
		}
		if len(name) > len(ext) && strings.EqualFold(name[len(name)-len(ext):], ext) {
			names = append(names, name)
		}
		// The file system of Windows does not care which of the two it is asked for.
		names = append(names, name+ext, name+strings.ToLower(ext))
	}
	dirs := []string{cwd}
	if !strings.ContainsAny(name, `\/:`) {
		dirs = append(dirs, splitWindowsPath(pathEnv)...)
	}
	for _, dir := range dirs {
		for _, n := range names {
			if !absWindows(n) {
				n = strings.TrimRight(dir, `\/`) + string(os.PathSeparator) + n
			}
			if isProgram(n, windows) {
				return true
			}
		}
	}
	return false
}

func isProgram(path, goos string) bool {
	info, err := stat(path, "")
	if err != nil || !info.mode.IsRegular() {
		return false
	}
	const anyExecute = 0o111
	return goos == windows || runtime.GOOS == windows || info.mode.Perm()&anyExecute != 0
}

// under is name as a process in dir means it; name itself where dir is not known.
func under(dir, name string) string {
	if path.IsAbs(name) || dir == "" {
		return name
	}
	return path.Join(dir, name)
}

// splitWindowsPath splits a PATH at semicolons outside quotes and drops the quotes.
func splitWindowsPath(list string) []string {
	var dirs []string
	var b strings.Builder
	quoted := false
	for i := 0; i <= len(list); i++ {
		switch {
		case i == len(list) || list[i] == ';' && !quoted:
			if b.Len() > 0 {
				dirs = append(dirs, b.String())
			}
			b.Reset()
		case list[i] == '"':
			quoted = !quoted
		default:
			b.WriteByte(list[i])
		}
	}
	return dirs
}

func absWindows(p string) bool {
	return len(p) > 2 && p[1] == ':' && isSlash(p[2]) || len(p) > 0 && isSlash(p[0])
}

func isSlash(c byte) bool { return c == '\\' || c == '/' }

// share is the host and share of a Windows network path (`\\host\share\…`, `\\?\UNC\host\share\…`),
// lower-cased, or "".
func share(p string) string {
	p = strings.ReplaceAll(p, "/", `\`)
	rest, ok := strings.CutPrefix(p, `\\`)
	if !ok {
		return ""
	}
	if r, found := strings.CutPrefix(rest, `?\`); found {
		if len(r) < len(`UNC\`) || !strings.EqualFold(r[:len(`UNC\`)], `UNC\`) {
			return ""
		}
		rest = r[len(`UNC\`):]
	} else if strings.HasPrefix(rest, `.\`) {
		return ""
	}
	host, rest, _ := strings.Cut(rest, `\`)
	name, _, _ := strings.Cut(rest, `\`)
	return strings.ToLower(host + `\` + name)
}

// devicePath says whether Windows takes path for a device or a pipe: opening one may block or act.
func devicePath(path string) bool { return runtime.GOOS == windows && windowsDevice(path) }

func windowsDevice(p string) bool {
	p = strings.ReplaceAll(p, "/", `\`)
	if strings.HasPrefix(p, `\\.\`) || strings.HasPrefix(strings.ToLower(p), `\\?\globalroot`) {
		return true
	}
	if s := share(p); strings.HasSuffix(s, `\pipe`) || strings.HasSuffix(s, `\mailslot`) {
		return true
	}
	last := p[strings.LastIndexByte(p, '\\')+1:]
	if len(last) > 2 && last[1] == ':' { // C:NUL
		last = last[2:]
	}
	stem, _, _ := strings.Cut(last, ".")
	stem, _, _ = strings.Cut(stem, ":")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	if rest, ok := strings.CutPrefix(stem, "COM"); ok {
		return portNumber(rest)
	}
	rest, ok := strings.CutPrefix(stem, "LPT")
	return ok && portNumber(rest)
}

func portNumber(s string) bool {
	switch s {
	case "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
		return true
	}
	return false
}
