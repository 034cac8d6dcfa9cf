//go:build unix

package files

import (
	"io/fs"
	"os"
	"syscall"
)

const (
	openNonBlocking = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY
	openNoFollow    = syscall.O_NOFOLLOW
)

// keepOwner gives f the owner of old, as far as we may: only root can give files away.
func keepOwner(f *os.File, old fs.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		if f.Chown(int(st.Uid), int(st.Gid)) != nil {
			_ = f.Chown(-1, int(st.Gid))
		}
	}
}

// syncFolder makes a rename in dir last. Not every file system can, and the rename is done by then, so
// there is nothing to report.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
