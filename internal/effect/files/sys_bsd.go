//go:build unix && !linux

package files

import (
	"io/fs"
	"os"
	"syscall"
)

const openDirectory = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_DIRECTORY

func identify(_ *os.File, info fs.FileInfo) ID {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ID{}
	}
	return ID{Device: uint64(st.Dev), File: uint64(st.Ino)}
}
