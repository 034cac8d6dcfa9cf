package files

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// errBusy says that another process holds the folder.
var errBusy = errors.New("another mcpassay is at work on it")

// Exclusive waits until no other mcpassay changes files of the folder that holds path, and keeps the others out until
// release is called or the process ends, whichever way it ends. Where the system has no such locks, WriteAtomic with
// ExpectDigest is what is left.
func Exclusive(ctx context.Context, path string, lim limits.Set) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lim.WriterWait)
	defer cancel()
	pause := time.NewTicker(lim.WriterPause)
	defer pause.Stop()
	for {
		f, err := hold(filepath.Dir(path))
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, errBusy) {
			return nil, unwritable(path, err)
		}
		select {
		case <-ctx.Done():
			return nil, &Error{Path: path, Reason: Unwritable, Err: errBusy}
		case <-pause.C:
		}
	}
}
