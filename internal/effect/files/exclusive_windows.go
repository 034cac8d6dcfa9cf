package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/mcpassay/mcpassay/internal/canon"
)

// hold opens a file that stands for the folder and shares it with nobody: the system takes it away when it is closed.
func hold(dir string) (*os.File, error) {
	const deleteOnClose, sharingViolation = 0x04000000, syscall.Errno(32)
	id := strings.TrimPrefix(canon.Digest([]byte(strings.ToLower(resolve(dir)))), "sha256:")
	name := filepath.Join(os.TempDir(), "mcpassay-"+id+".hold")
	at, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(at, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, deleteOnClose, 0)
	switch {
	case errors.Is(err, sharingViolation), errors.Is(err, syscall.ERROR_ACCESS_DENIED):
		return nil, errBusy
	case err != nil:
		return nil, err
	}
	return os.NewFile(uintptr(h), name), nil
}
