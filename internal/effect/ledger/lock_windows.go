package ledger

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// openFlags do without O_APPEND: a file that was opened with it can not be cut where a record is not whole.
const (
	openFlags = 0
	readFlags = 0
)

// rotates says that a log stays one file here: one that is open can be neither moved aside nor replaced.
const rotates = false

// lock waits for the file. The system ends a lock with the process that holds it.
func lock(f *os.File) error {
	const all = ^uint32(0)
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, all, all, new(windows.Overlapped))
}

// openToOthers is not told by the mode: who may read is said by the folder's access list.
func openToOthers(fs.FileInfo) bool { return false }
