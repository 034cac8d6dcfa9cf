package policy

import (
	"path/filepath"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// FileName is the name of the project's file.
const FileName = "mcpassay.yaml"

// Find is the project file that governs dir, an absolute folder: the nearest one between dir and the folder that
// isRepo says is a repository's. Outside of any repository only dir itself is looked at, since a folder above it
// (/tmp, say) may be another person's.
func Find(dir string, exists func(path string) bool, isRepo func(dir string) bool) (path string, ok bool) {
	return Nearest(dir, FileName, exists, isRepo)
}

// Nearest is Find for another file of a project.
func Nearest(dir, name string, exists func(path string) bool, isRepo func(dir string) bool) (path string, ok bool) {
	for up, rounds := filepath.Clean(dir), 0; rounds <= limits.Default.WalkUp; rounds++ {
		if !ok && exists(filepath.Join(up, name)) {
			path, ok = filepath.Join(up, name), true
		}
		if isRepo(up) {
			return path, ok
		}
		parent := filepath.Dir(up)
		if parent == up {
			break
		}
		up = parent
	}
	if ok && filepath.Dir(path) == filepath.Clean(dir) {
		return path, true
	}
	return "", false
}
