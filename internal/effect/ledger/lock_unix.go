//go:build unix

package ledger

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openFlags follow no link; neither opening waits for a pipe.
const (
	openFlags = unix.O_APPEND | unix.O_NOFOLLOW | unix.O_NONBLOCK
	readFlags = unix.O_NONBLOCK
)

// rotates says that a file which is open can be moved aside and replaced.
const rotates = true

// lock waits for the file. The kernel ends a lock with the process that holds it.
func lock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR {
			return err
		}
	}
}

func openToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
