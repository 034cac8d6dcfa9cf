package cli

import (
	"path/filepath"

	"github.com/mcpassay/mcpassay/internal/flow/lint"
)

func absolute(cwd, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(cwd, path)
}

// shown is a path as reports print it.
func (j *judging) shown(abs string) string { return lint.Shown(abs, j.app.io.Cwd, j.app.io.Home) }
