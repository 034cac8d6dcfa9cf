package files

import (
	"io"
	"io/fs"
	"os"
	"syscall"
)

// A walk of thousands of folders and files spends its time in the system, so on Linux it asks for no more than it
// needs: package os would offer each descriptor to its poller, and allocate what it saw of each file.

// look is what a look at a path tells.
type look struct {
	mode      fs.FileMode // its type and permissions
	size, mod int64       // bytes, and nanoseconds since 1970
	id        ID
}

func (l look) same(o look) bool { return l.id == o.id }

func lookAt(path string, follow bool) (look, error) {
	var st syscall.Stat_t
	err := again(func() error {
		if follow {
			return syscall.Stat(path, &st)
		}
		return syscall.Lstat(path, &st)
	})
	return seen(&st), err
}

func seen(st *syscall.Stat_t) look {
	l := look{mode: fs.FileMode(st.Mode) & fs.ModePerm, size: st.Size, mod: st.Mtim.Nano(), id: ID{Device: uint64(st.Dev), File: st.Ino}}
	switch st.Mode & syscall.S_IFMT {
	case syscall.S_IFREG:
	case syscall.S_IFDIR:
		l.mode |= fs.ModeDir
	case syscall.S_IFLNK:
		l.mode |= fs.ModeSymlink
	case syscall.S_IFIFO:
		l.mode |= fs.ModeNamedPipe
	case syscall.S_IFSOCK:
		l.mode |= fs.ModeSocket
	case syscall.S_IFBLK, syscall.S_IFCHR:
		l.mode |= fs.ModeDevice
	default:
		l.mode |= fs.ModeIrregular
	}
	return l
}

// again asks until no signal is in the way.
func again(ask func() error) error {
	for {
		if err := ask(); err != syscall.EINTR {
			return err
		}
	}
}

// handle is an open file or folder.
type handle int

func open(path string, flags int) (h handle, err error) {
	err = again(func() (err error) {
		fd, err := syscall.Open(path, flags|syscall.O_CLOEXEC, 0)
		h = handle(fd)
		return err
	})
	return h, err
}

func (h handle) Close() error { return syscall.Close(int(h)) }

func (h handle) look() (look, error) {
	var st syscall.Stat_t
	err := again(func() error { return syscall.Fstat(int(h), &st) })
	return seen(&st), err
}

func (h handle) Read(p []byte) (n int, err error) {
	err = again(func() (err error) {
		n, err = syscall.Read(int(h), p)
		return err
	})
	if err == nil && n == 0 && len(p) > 0 {
		err = io.EOF
	}
	return max(n, 0), err
}

// openFolder opens a folder without following a link at its end, or with: it does not block, a folder never does.
func openFolder(path string, follow bool) (*os.File, error) {
	flags := syscall.O_RDONLY | syscall.O_DIRECTORY
	if !follow {
		flags |= syscall.O_NOFOLLOW
	}
	h, err := open(path, flags)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), path), nil
}
