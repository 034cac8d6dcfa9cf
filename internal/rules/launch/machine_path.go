package launch

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MachinePath is launch/machine-path.
var MachinePath = &rule.Rule{
	ID:       "launch/machine-path",
	Title:    "a path of one person's machine",
	Trigger:  "A file of a project holds an absolute path below somebody's home folder, or on a drive of one machine.",
	Message:  "{count} paths exist on one machine only: {names}",
	One:      "{names} exists on one machine only",
	Severity: finding.Warning,
	Tags:     []string{rule.Launch, rule.Portability},
	OWASP:    "MCP10",
	CWE:      []int{1051},
	Since:    "0.1.0",
	Each:     machinePath,
}

func machinePath(p *rule.Pass, s *client.Server, g *rule.Gather) {
	f := s.File
	if f.Scope != client.ScopeProject || s.Hidden {
		return
	}
	if f.Dead() {
		g.With(rule.WithSeverity(finding.Info)) // a template, which whoever copies it has to edit anyway
	}
	inside := false
	for field, v := range s.Strings() {
		if field == "url" || field == "headers" {
			continue
		}
		start, end, ok := personal(v.Value)
		switch {
		case !ok:
		case field == "args" && (inside || remote(s)):
			inside = true // the words of a container: only what it is given is of this machine
		default:
			g.Add(s, v.Value[start:end], rule.Part(v.Node, start, end))
		}
	}
	if inside {
		mounts(g, s)
	}
}

// remote says that the arguments are words of a container or of another machine.
func remote(s *client.Server) bool {
	for _, l := range s.Launches() {
		if l.Docker != nil || elsewhere(l.Program) || slices.ContainsFunc(l.Wrappers, elsewhere) {
			return true
		}
	}
	return false
}

// elsewhere says that a command runs its arguments on another file system.
func elsewhere(command string) bool {
	switch program, _, _ := strings.Cut(command, " "); program {
	case "ssh", "kubectl", "wsl":
		return true
	default:
		return launch.IsEngine(program)
	}
}

// mounts are the paths of this machine that a container is given.
func mounts(g *rule.Gather, s *client.Server) {
	for _, l := range s.Launches() {
		if l.Docker == nil {
			continue
		}
		for _, m := range l.Docker.Mounts {
			if start, end, ok := personal(m.Value); ok {
				g.Add(s, m.Value[start:end], rule.At(l.Word(m.Arg).Node))
			}
		}
	}
}

// personal finds the first path in a value that belongs to one person's machine.
func personal(v string) (start, end int, ok bool) {
	for i := 0; i+2 < len(v); i++ {
		if c := v[i] | 0x20; v[i] != '/' && (v[i+1] != ':' || c < 'a' || c > 'z') {
			continue
		}
		if i > 0 && strings.IndexByte(" \t\"'`=,;:(|@", v[i-1]) < 0 && !strings.HasSuffix(v[:i], "file://") && !strings.HasSuffix(v[:i], "file:///") {
			continue
		}
		if i > 0 && v[i-1] == ':' && strings.HasPrefix(v[i:], "//") {
			continue // of a URL
		}
		end := i + pathEnd(v[i:], i == 0)
		if ofOneMachine(strings.ReplaceAll(v[i:end], `\`, "/")) {
			return i, end, true
		}
		if v[i] == '/' && end-i > len("/C:") {
			i = end - 1 // inside of a path stands no other
		}
	}
	return 0, 0, false
}

// pathEnd is the length of the path that s begins with. One that is the whole value may hold blanks, and so may one of
// Windows. It looks at no byte behind the end, so that many paths in one value cost no more than one.
func pathEnd(s string, whole bool) int {
	opened := false
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '(':
			opened = true
		case ')':
			if !whole || !opened {
				return i
			}
		case '"', '\'', '`', ',', ';', '|':
			return i
		case ':': // of a mount, or of a list of folders; a drive has its own
			if i >= len("C:") {
				return i
			}
		case ' ', '\t':
			if s[0] == '/' && !whole || i+1 < len(s) && strings.IndexByte("-&/", s[i+1]) >= 0 {
				return i
			}
		}
	}
	return len(s)
}

// ofOneMachine judges a path with slashes.
func ofOneMachine(path string) bool {
	path = strings.ReplaceAll(path, "//", "/")
	lower := strings.ToLower(path)
	if placeholder(lower) {
		return false
	}
	for _, homes := range [...]string{"/users/", "/home/", "/mnt/c/users/", "/mnt/d/", "/volumes/", "c:/users/", "/c/users/"} {
		if rest, ok := strings.CutPrefix(lower, homes); ok {
			owner, _, _ := strings.Cut(rest, "/")
			return owner != "" && !slices.Contains(everyones, owner)
		}
	}
	if len(path) < len("C:/x") || path[1] != ':' || path[2] != '/' {
		return false
	}
	first, _, _ := strings.Cut(lower[len("c:/"):], "/")
	return !slices.Contains(systemFolders, first)
}

// everyones are folders below /home and /Users that are nobody's own: those of containers, build machines and package
// managers.
var everyones = []string{"node", "user", "users", "app", "vscode", "codespace", "runner", "coder", "gitpod", "jovyan", "linuxbrew",
	"ubuntu", "ec2-user", "vagrant", "circleci", "shared", "public", "default", "username", "name", "you", "me", "xxx"}

// systemFolders are folders of a drive that every Windows machine has.
var systemFolders = []string{"windows", "program files", "program files (x86)", "programdata", "nodejs", "msys64", "cygwin64"}

// placeholder says that somebody has to fill the path in.
func placeholder(lower string) bool {
	if strings.ContainsAny(lower, "<>{}[]$%*…") {
		return true
	}
	for _, word := range [...]string{"/your", "username", "path/to", "path-to", "...", "placeholder"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}
