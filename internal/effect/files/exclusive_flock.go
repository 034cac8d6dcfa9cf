//go:build unix && !solaris && !illumos && !aix

package files

import (
	"errors"
	"os"
	"syscall"
)

// hold takes the folder itself: nothing is left behind, and it works where nothing can be written.
func hold(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		err = errBusy
	case err != nil: // a file system without such locks
		err = nil
	}
	if err != nil {
		_ = f.Close()
	}
	return f, err
}
