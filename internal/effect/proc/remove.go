package proc

import (
	"io/fs"
	"os"
	"path/filepath"
)

// RemoveTree removes a folder in which a child could write, folders that it closed to us included. It follows no link.
func RemoveTree(path string) error {
	if os.RemoveAll(path) == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o700) // WalkDir calls for a folder before it reads it
		}
		return nil
	})
	return os.RemoveAll(path)
}
