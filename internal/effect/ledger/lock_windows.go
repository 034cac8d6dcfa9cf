package ledger

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

const noFollow = 0

// lock waits for the file. The system ends a lock with the process that holds it.
func lock(f *os.File) error {
	const all = ^uint32(0)
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, all, all, new(windows.Overlapped))
}

// openToOthers is not told by the mode: who may read is said by the folder's access list.
func openToOthers(fs.FileInfo) bool { return false }
