// Package ledger appends to logs of model/ledger: one record at a time, by any number of processes, in time that does not
// grow with the log.
package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/ledger"
)

// Log is a file. It is made when the first record is appended.
type Log struct {
	Path   string
	Limits limits.Set
	// Now is the clock.
	Now func() time.Time
}

// Append writes a record behind the last one, to the disk, and gives the head of the log. The file is the user's alone, and
// locked while it is written: a lock ends with the process that holds it.
func (l *Log) Append(kind string, event any) (ledger.Head, error) {
	f, err := l.open()
	if err != nil {
		return ledger.Head{}, err
	}
	defer f.Close() // and with it the lock
	last, torn, err := l.tail(f)
	if err != nil {
		return ledger.Head{}, err
	}
	if torn != nil {
		// What a process began to write when it was stopped was never acknowledged. That it was there is kept.
		if err := f.Truncate(torn.at); err != nil {
			return ledger.Head{}, l.failed(err)
		}
		if last, err = l.write(f, last, ledger.Recovered, map[string]any{"bytes": torn.size}); err != nil {
			return ledger.Head{}, err
		}
	}
	return l.write(f, last, kind, event)
}

// Ready says whether a record could be appended, before there is one. It makes the file where there is none.
func (l *Log) Ready() error {
	f, err := l.open()
	if err != nil {
		return err
	}
	defer f.Close()
	_, _, err = l.tail(f)
	return err
}

// Open opens a log for reading.
func Open(path string) (io.ReadCloser, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|readFlags, 0)
	if err == nil {
		var info os.FileInfo
		if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
			err = errors.New("it is no regular file")
		}
	}
	if err != nil {
		f.Close() // a nil file too
		return nil, cause(err)
	}
	return f, nil
}

// open opens and locks the file, and begins a new one where it has become too large.
func (l *Log) open() (*os.File, error) {
	for {
		f, err := os.OpenFile(l.Path, os.O_RDWR|os.O_CREATE|openFlags, 0o600)
		if err != nil {
			return nil, l.failed(err)
		}
		info, err := f.Stat()
		switch {
		case err != nil:
		case !info.Mode().IsRegular():
			err = errors.New("it is no regular file")
		case openToOthers(info):
			err = errors.New("others can read or write it: chmod 600")
		default:
			err = lock(f)
		}
		if err != nil {
			f.Close()
			return nil, l.failed(err)
		}
		// Another process may have rotated the file between the opening and the lock.
		if now, err := os.Lstat(l.Path); err != nil || !os.SameFile(now, info) {
			f.Close()
			continue
		}
		if info, err = f.Stat(); err != nil {
			f.Close()
			return nil, l.failed(err)
		}
		if !rotates || info.Size() < l.Limits.LogBytes {
			return f, nil
		}
		err = l.rotate(f)
		f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// rotate moves the file aside and begins the next one with a record that goes on from its head. The lock is on the old file,
// and whoever waits for it looks again.
func (l *Log) rotate(old *os.File) error {
	last, torn, err := l.tail(old)
	if err != nil {
		return err
	}
	if torn != nil {
		return l.failed(errors.New("the last record is not whole and the log is full: mcpassay log verify says more"))
	}
	aside := fmt.Sprintf("%s.%d", l.Path, last.Seq)
	if _, err := os.Lstat(aside); err == nil {
		return l.failed(fmt.Errorf("%s is in the way", filepath.Base(aside)))
	}
	// The new file is whole before it gets its name: whoever stops in between leaves the old one as it was.
	next, err := os.CreateTemp(filepath.Dir(l.Path), ".mcpassay-*.tmp")
	if err != nil {
		return l.failed(err)
	}
	defer next.Close()
	_, err = l.write(next, last, ledger.Rotated, map[string]any{"file": filepath.Base(aside), "head": last})
	if err == nil {
		err = os.Link(l.Path, aside)
	}
	if err == nil {
		err = os.Rename(next.Name(), l.Path)
	}
	if err != nil {
		_ = os.Remove(next.Name())
		return l.failed(err)
	}
	return nil
}

func (l *Log) write(f *os.File, last ledger.Head, kind string, event any) (ledger.Head, error) {
	raw, err := json.Marshal(event)
	if err != nil {
		return last, l.failed(err)
	}
	r := &ledger.Record{Seq: last.Seq + 1, Prev: last.Digest, At: l.Now().UTC().Format(time.RFC3339), Kind: kind, Event: raw}
	line, err := r.Seal()
	switch {
	case err != nil:
		return last, l.failed(err)
	case len(line) > l.Limits.LogRecordBytes:
		return last, l.failed(fmt.Errorf("a record of %d bytes is too large", len(line)))
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		if _, err = f.Write(line); err == nil {
			err = f.Sync()
		}
		if err != nil {
			_ = f.Truncate(end) // a disk that is full: the log stays whole, and where even that fails the next writer tells
		}
	}
	if err != nil {
		return last, l.failed(err)
	}
	return ledger.Head{Seq: r.Seq, Digest: r.Digest}, nil
}

// remains is what is left of a record that was being written.
type remains struct {
	at   int64
	size int
}

// tail reads the last record, and no more of the file than one can have.
func (l *Log) tail(f *os.File) (last ledger.Head, torn *remains, err error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return last, nil, err
	}
	size := min(info.Size(), int64(2*l.Limits.LogRecordBytes))
	begin := info.Size() - size
	raw := make([]byte, size)
	if _, err := f.ReadAt(raw, begin); err != nil && err != io.EOF {
		return last, nil, l.failed(err)
	}
	end := bytes.LastIndexByte(raw, '\n')
	if end != len(raw)-1 {
		torn = &remains{begin + int64(end) + 1, len(raw) - end - 1}
		if torn.size > l.Limits.LogRecordBytes {
			return last, nil, l.failed(errors.New("its end is no record: mcpassay log verify says more"))
		}
	}
	if end < 0 {
		return last, torn, nil // there is nothing but what is torn
	}
	line := raw[:end]
	start := bytes.LastIndexByte(line, '\n')
	if start < 0 && begin > 0 {
		return last, nil, l.failed(errors.New("its last record is too large"))
	}
	r, err := ledger.Read(line[start+1:])
	if err != nil {
		return last, nil, l.failed(fmt.Errorf("its last record can not be gone on from: %w", err))
	}
	return ledger.Head{Seq: r.Seq, Digest: r.Digest}, torn, nil
}

func (l *Log) failed(err error) error {
	return fmt.Errorf("the log %s can not be written to: %w", l.Path, cause(err))
}

// cause is an error without the path, which the caller names.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
