package files

import (
	"os"
	"path/filepath"
)

// Append adds a line to a file of ours in a folder of the state folder, which only the user may read. The line is written at once, so
// that lines of several processes stand one behind another. A file of more than most bytes is put aside first, in the place of the one
// that was put aside before it. The error is an *Error.
func Append(stateDir, folder, name string, line []byte, most int64) error {
	dir, err := PrivateFolder(stateDir, folder)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, name)
	if info, err := os.Lstat(path); err == nil {
		if !info.Mode().IsRegular() {
			return &Error{Path: path, Reason: NotRegular}
		}
		if info.Size() > most {
			if err := os.Rename(path, path+Aside); err != nil {
				return unwritable(path, err)
			}
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, privateFile)
	if err != nil {
		return unwritable(path, err)
	}
	_, err = f.Write(line)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return unwritable(path, err)
	}
	return nil
}

// Aside is the suffix of what Append has put aside.
const Aside = ".1"
