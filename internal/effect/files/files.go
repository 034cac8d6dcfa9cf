// Package files is the door to the file system: it reads, walks, looks up and replaces files. It opens
// regular files only, never blocks on a pipe or a device, and says in one typed error why it did not
// read something. What it finds is a stranger's (a cloned repository, a home folder shared with other
// programs), so a folder that was found is not left through a symbolic link.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Reason says why something was not read or written. The words are those of the report's skipped and
// incomplete lists.
type Reason string

// The reasons.
const (
	Missing      Reason = "missing"
	SymbolicLink Reason = "symlink"       // a link at or above the path, below the base that must not be left
	Oversized    Reason = "oversized"     // more bytes than the caller allows
	NotRegular   Reason = "not-regular"   // Kind says what it is instead
	Unreadable   Reason = "unreadable"    // the system refused; Err says why
	Unwritable   Reason = "unwritable"    // as Unreadable, when writing
	Changed      Reason = "changed"       // grew, shrank or was replaced while it was read, or since
	DanglingLink Reason = "dangling-link" // a link, or a link above, whose target does not exist
	LinkLoop     Reason = "loop"          // links that lead back to themselves
	TooDeep      Reason = "too-deep"      // a folder below the depth that a walk enters
)

// Kind is what a path is.
type Kind uint8

// The kinds.
const (
	Regular Kind = iota
	Directory
	Link
	FIFO
	Socket
	Device
	Special // none of the above: a Windows reparse point, for one
)

// String names the kind as a person would.
func (k Kind) String() string {
	return [...]string{"file", "directory", "symbolic link", "fifo", "socket", "device", "special file"}[k]
}

func kindOf(m fs.FileMode) Kind {
	switch {
	case m.IsRegular():
		return Regular
	case m.IsDir():
		return Directory
	case m&fs.ModeSymlink != 0:
		return Link
	case m&fs.ModeNamedPipe != 0:
		return FIFO
	case m&fs.ModeSocket != 0:
		return Socket
	case m&fs.ModeDevice != 0:
		return Device
	}
	return Special
}

// Error is why one path was not read, entered or written.
type Error struct {
	Path   string
	Reason Reason
	Kind   Kind  // what the path is, where Reason is NotRegular (Regular: where a folder was wanted)
	Err    error // the cause, where there is one
}

func (e *Error) Error() string { return e.Path + ": " + e.Detail() }

// Detail is the error without the path: what is wrong with it.
func (e *Error) Detail() string {
	s := ""
	switch e.Reason {
	case Missing:
		return "does not exist"
	case SymbolicLink:
		s += "is reached through a symbolic link"
	case Oversized:
		s += "is too large"
	case NotRegular:
		if e.Kind == Regular {
			return "is a file, not a folder"
		}
		s += "is not a file but a " + e.Kind.String()
	case Changed:
		s += "changed meanwhile"
	case DanglingLink:
		s += "is a symbolic link to nothing"
	case LinkLoop:
		s += "is a loop of symbolic links"
	case TooDeep:
		s += "is too deep"
	default:
		s += string(e.Reason)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// ReasonOf is the reason inside err, or "" where there is none.
func ReasonOf(err error) Reason {
	var e *Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return ""
}

// refusal turns an error of the system into ours. The system's own text would repeat the path.
func refusal(path string, err error) *Error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	switch {
	case errors.Is(err, syscall.ELOOP):
		return &Error{Path: path, Reason: LinkLoop}
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return &Error{Path: path, Reason: Missing, Err: fs.ErrNotExist}
	}
	return &Error{Path: path, Reason: Unreadable, Err: err}
}

// Look gives the type and the permissions of what is at path, links followed or not. The error is the system's.
func Look(path string, follow bool) (fs.FileMode, error) {
	l, err := lookAt(path, follow)
	return l.mode, err
}

// stat looks at path. With a base it goes down component by component, refuses the first link and does
// not follow the last; without one it follows links, as for a path that a person named.
func stat(path, base string) (look, error) {
	if devicePath(path) {
		return look{}, &Error{Path: path, Reason: NotRegular, Kind: Device}
	}
	if base != "" {
		return statBelow(path, base)
	}
	info, err := lookAt(path, true)
	if err == nil {
		return info, nil
	}
	e := refusal(path, err)
	if e.Reason == Missing && throughLink(path) {
		e.Reason = DanglingLink
	}
	return look{}, e
}

func statBelow(path, base string) (look, error) {
	path, base = filepath.Clean(path), filepath.Clean(base)
	rest, ok := below(path, base)
	if !ok {
		return look{}, &Error{Path: path, Reason: Unreadable, Err: fmt.Errorf("not below %s", base)}
	}
	for at := len(path) - len(rest); ; {
		end := len(path)
		if i := strings.IndexByte(path[at:], filepath.Separator); i >= 0 {
			end = at + i
		}
		info, err := lookAt(path[:end], false)
		if err != nil {
			return look{}, refusal(path, err)
		}
		switch k := kindOf(info.mode); {
		case k == Link, k == Special && end < len(path):
			e := &Error{Path: path, Reason: SymbolicLink}
			if end < len(path) {
				e.Err = errors.New(path[:end])
			}
			return look{}, e
		case end == len(path):
			return info, nil
		case k != Directory:
			return look{}, &Error{Path: path, Reason: Missing, Err: fs.ErrNotExist}
		}
		at = end + 1
	}
}

// below gives the part of path under base, both clean. A path is not below itself.
func below(path, base string) (string, bool) {
	if base == "." {
		return path, filepath.IsLocal(path) && path != "."
	}
	rest, ok := strings.CutPrefix(path, base)
	if !ok {
		return "", false
	}
	if !os.IsPathSeparator(base[len(base)-1]) {
		if rest == "" || !os.IsPathSeparator(rest[0]) {
			return "", false
		}
		rest = rest[1:]
	}
	return rest, rest != ""
}

// throughLink says whether path, which does not exist, is or runs through a link. Only paths that a
// person named and that failed come here, so its cost does not matter.
func throughLink(path string) bool {
	for {
		info, err := os.Lstat(path)
		if err == nil {
			if info.Mode()&fs.ModeSymlink == 0 {
				return false
			}
			_, err = os.Stat(path)
			return err != nil
		}
		parent := filepath.Dir(path)
		if parent == path {
			return false
		}
		path = parent
	}
}
