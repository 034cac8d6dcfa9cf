//go:build !linux

package files

import (
	"io/fs"
	"os"
)

// look is what a look at a path tells.
type look struct {
	mode      fs.FileMode // its type and permissions
	size, mod int64       // bytes, and nanoseconds since 1970
	id        ID          // of an open file only
	info      fs.FileInfo
}

func (l look) same(o look) bool { return os.SameFile(l.info, o.info) }

func lookAt(path string, follow bool) (look, error) {
	stat := os.Lstat
	if follow {
		stat = os.Stat
	}
	info, err := stat(path)
	if err != nil {
		return look{}, err
	}
	return seen(info), nil
}

func seen(info fs.FileInfo) look {
	return look{mode: info.Mode(), size: info.Size(), mod: info.ModTime().UnixNano(), info: info}
}

// handle is an open file.
type handle struct{ *os.File }

func open(path string, flags int) (handle, error) {
	f, err := os.OpenFile(path, flags, 0)
	return handle{f}, err
}

func (h handle) look() (look, error) {
	info, err := h.Stat()
	if err != nil {
		return look{}, err
	}
	l := seen(info)
	l.id = identify(h.File, info)
	return l, nil
}

// openFolder opens a folder without following a link at its end, or with.
func openFolder(path string, follow bool) (*os.File, error) {
	flags := openDirectory
	if !follow {
		flags |= openNoFollow
	}
	return os.OpenFile(path, flags, 0)
}
