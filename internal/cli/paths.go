package cli

import (
	"path/filepath"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/model/launch"
)

func absolute(cwd, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(cwd, path)
}

// exists is false, too, for what can not be looked up.
func exists(path string) bool {
	ok, err := files.Exists(path)
	return err == nil && ok
}

// command is a command line that is safe to paste into the shell of this machine.
func (a *app) command(words ...string) string { return launch.Join(words, a.io.Platform) }

// shown is a path as reports print it.
func (j *judging) shown(abs string) string { return lint.Shown(abs, j.app.io.Cwd, j.app.io.Home) }
