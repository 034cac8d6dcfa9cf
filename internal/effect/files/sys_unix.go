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

// ours says whether the file belongs to whoever runs this.
func ours(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// syncFolder makes a rename in dir last. Not every file system can, and the rename is done by then, so
// there is nothing to report.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
