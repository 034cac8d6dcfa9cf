package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/limits"
)

const (
	privateFile   fs.FileMode = 0o600
	privateFolder fs.FileMode = 0o700
)

// WriteOptions says under which conditions WriteAtomic writes.
type WriteOptions struct {
	// ExpectDigest is the canon.Digest of the bytes that the new content was made from. A file that holds
	// anything else by now is left alone (Changed). Empty: whatever is there is replaced.
	ExpectDigest string
	// Base is as in ReadOptions.
	Base string
	// New refuses to replace what is there (Changed).
	New bool
	// Private gives the file the mode 0600 whatever it had.
	Private bool

	before func(step string) error // test hook: called before each step
}

// WriteAtomic replaces the content of the file at path, or makes it. At every moment, a kill or a power
// failure included, path is the old file or the new one, whole. Links and special files are refused. The
// new file has the old one's mode and, where we may, owner, and is 0600 where there was none; hard links to
// the old file keep the old content. A kill can leave a temporary file (mode 0600, .mcpassay-*.tmp) beside it. A non-nil error is
// an *Error, and then path was not touched.
func WriteAtomic(path string, data []byte, opt WriteOptions) error {
	old, err := writable(path, opt)
	if err != nil {
		return err
	}
	mode := privateFile
	if old != nil && !opt.Private {
		mode = old.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".mcpassay-*.tmp")
	if err != nil {
		return unwritable(path, err)
	}
	step := func(name string, do func() error) {
		if err == nil && opt.before != nil {
			err = opt.before(name)
		}
		if err == nil {
			err = do()
		}
	}
	step("write", func() error { _, err := f.Write(data); return err })
	step("mode", func() error {
		if old != nil {
			keepOwner(f, old)
		}
		return f.Chmod(mode)
	})
	step("sync", f.Sync)
	if closed := f.Close(); err == nil {
		err = closed
	}
	step("rename", func() error {
		if err := unchanged(path, old); err != nil {
			return err
		}
		return os.Rename(f.Name(), path)
	})
	if err != nil {
		_ = os.Remove(f.Name())
		var refused *Error
		if errors.As(err, &refused) {
			return refused
		}
		return unwritable(path, err)
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// Writable says before the work whether WriteAtomic can write what comes of it: it makes its temporary file, and takes it
// away.
func Writable(path string, opt WriteOptions) error {
	if _, err := writable(path, opt); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".mcpassay-*.tmp")
	if err != nil {
		return unwritable(path, err)
	}
	_ = f.Close()
	return os.Remove(f.Name())
}

// Remove takes a file away. Of several that try it at once, one succeeds.
func Remove(path string) error {
	if err := os.Remove(path); err != nil {
		return unwritable(path, err)
	}
	return nil
}

// writable looks at what is at path: nil where nothing is and nothing was expected.
func writable(path string, opt WriteOptions) (fs.FileInfo, error) {
	base := opt.Base
	if base == "" {
		base = filepath.Dir(path)
	}
	_, err := stat(path, base)
	switch {
	case ReasonOf(err) == Missing && opt.ExpectDigest == "":
		return nil, nil
	case err != nil:
		return nil, err
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, refusal(path, err)
	case opt.New:
		return nil, &Error{Path: path, Reason: Changed, Err: errors.New("there is one already")}
	case !info.Mode().IsRegular():
		return nil, &Error{Path: path, Reason: NotRegular, Kind: kindOf(info.Mode())}
	case opt.ExpectDigest == "":
		return info, nil
	}
	data, _, err := Read(path, ReadOptions{MaxBytes: limits.Default.NamedBytes, Base: base})
	if err != nil {
		return nil, err
	}
	if canon.Digest(data) != opt.ExpectDigest {
		return nil, &Error{Path: path, Reason: Changed, Err: errors.New("it no longer holds what was read")}
	}
	return info, nil
}

// unchanged says whether path still is what writable saw. Between this look and the rename there is no
// way to lock others out, so it comes last.
func unchanged(path string, old fs.FileInfo) error {
	now, err := os.Lstat(path)
	switch {
	case old == nil && errors.Is(err, fs.ErrNotExist):
		return nil
	case old == nil, err != nil,
		!os.SameFile(old, now) || now.Size() != old.Size() || !now.ModTime().Equal(old.ModTime()):
		return &Error{Path: path, Reason: Changed}
	}
	return nil
}

// Backup keeps data, what the file at path held, in the folder backups of stateDir, which only the user
// may read, and gives the backup's path. Its name is made of the file's name and the digests of path
// and content: nothing is overwritten, and the same content of the same file is kept once.
func Backup(stateDir, path string, data []byte) (string, error) {
	if stateDir == "" {
		return "", &Error{Path: path, Reason: Unreadable, Err: errors.New("no state folder to keep a backup in")}
	}
	dir, err := PrivateFolder(stateDir, "backups")
	if err != nil {
		return "", err
	}
	to := filepath.Join(dir, backupName(path, data))
	kept, _, err := Read(to, ReadOptions{MaxBytes: max(len(data), 1), Base: dir})
	switch {
	case ReasonOf(err) == Missing:
		if err := WriteAtomic(to, data, WriteOptions{}); err != nil {
			return "", err
		}
	case err != nil:
		return "", err
	case canon.Digest(kept) != canon.Digest(data):
		return "", &Error{Path: to, Reason: Changed, Err: errors.New("a backup of this name holds something else")}
	}
	return to, nil
}

// PrivateFolder makes the folder of that name in stateDir, which only the user may enter, and gives its path.
func PrivateFolder(stateDir, name string) (string, error) {
	dir := filepath.Join(stateDir, name)
	if err := os.MkdirAll(dir, privateFolder); err != nil {
		return "", unwritable(dir, err)
	}
	// The folder may be there already, and with it a link or a mode that lets others in.
	info, err := stat(dir, stateDir)
	if err != nil {
		return "", err
	}
	if info.mode.Perm() != privateFolder {
		if err := os.Chmod(dir, privateFolder); err != nil {
			return "", unwritable(dir, err)
		}
	}
	return dir, nil
}

func backupName(path string, data []byte) string {
	name := strings.ToValidUTF8(filepath.Base(path), "_")
	if most := limits.Default.BackupNameBytes; len(name) > most {
		name = strings.ToValidUTF8(name[:most], "")
	}
	id := func(data []byte) string { return canon.Digest(data)[len("sha256:"):][:limits.Default.BackupIDChars] }
	return name + "." + id([]byte(resolve(path))) + "." + id(data) + ".bak"
}

// resolve gives the absolute path without links, or path itself where that fails.
func resolve(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return path
	}
	return real
}

func unwritable(path string, err error) *Error {
	e := refusal(path, err)
	if e.Reason == Unreadable {
		e.Reason = Unwritable
	}
	return e
}
