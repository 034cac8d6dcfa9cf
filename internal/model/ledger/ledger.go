// Package ledger is a log of which nothing can be changed unseen: JSON lines, each with the digest of the line before it
// and its own. It says what a record looks like and whether a log is whole; internal/effect/ledger writes one.
//
// A chain proves that what is there belongs together. It proves neither who wrote it nor that its end is still there:
// whoever can write the file can make it again, and can cut it. Keep the head digest elsewhere to see that.
package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// Version is the version of a record.
const Version = 1

// Record is one line.
type Record struct {
	Version int `json:"v"`
	// Seq counts from 1 and goes on over rotations.
	Seq int64 `json:"seq"`
	// Prev is the digest of the record before, "" for the very first.
	Prev string `json:"prev"`
	// At is RFC 3339, UTC.
	At string `json:"at"`
	// Kind says what Event is: "run", "approval", "rotated", "recovered".
	Kind  string          `json:"kind"`
	Event json.RawMessage `json:"event"`
	// Digest is over the canonical form of the others.
	Digest string `json:"digest,omitempty"`
}

// The kinds of records that a log makes by itself.
const (
	// Rotated begins a file that goes on from another. Its event names that file and its head.
	Rotated = "rotated"
	// Recovered says that a record was half written when a process or a machine stopped. Its event has the bytes.
	Recovered = "recovered"
)

// Seal gives the record its digest, and its line with the newline.
func (r *Record) Seal() ([]byte, error) {
	r.Version, r.Digest = Version, ""
	body, err := r.form()
	if err != nil {
		return nil, err
	}
	r.Digest = canon.Digest(body)
	line, err := r.form()
	return append(line, '\n'), err
}

func (r *Record) form() ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return canon.JSON(text)
}

// Read reads a line, without its newline, and checks that it is what Seal wrote.
func Read(line []byte) (*Record, error) {
	r := &Record{}
	if err := json.Unmarshal(line, r); err != nil {
		return nil, errors.New("it is no record")
	}
	if r.Version != Version {
		return nil, fmt.Errorf("it is a record of version %d, and %d is the one that is known", r.Version, Version)
	}
	given := r.Digest
	again, err := r.Seal()
	if err != nil || r.Digest != given || !bytes.Equal(again[:len(again)-1], line) {
		return nil, errors.New("it was changed: its digest is another")
	}
	return r, nil
}

// Head is where a log stands: the last record's number and digest.
type Head struct {
	Seq    int64  `json:"seq"`
	Digest string `json:"digest"`
}

// BrokenError says where a log is not whole.
type BrokenError struct {
	// Line counts from 1.
	Line int64
	Why  string
}

func (e *BrokenError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Why) }

// Verify reads a log to its end and says whether every record follows the one before. from is where the log before it
// ended; the zero Head lets the file begin anywhere, and first says where it did. each, if not nil, gets every record.
func Verify(r io.Reader, from Head, lim limits.Set, each func(*Record) error) (first, last Head, err error) {
	lines := &lineReader{r: r, most: lim.LogRecordBytes}
	var n int64
	for {
		line, err := lines.next()
		n++
		switch {
		case err == io.EOF:
			return first, last, nil
		case err == errTorn:
			return first, last, &BrokenError{n, "the last record is not whole: a write was interrupted, or the file was cut"}
		case err == errLong:
			return first, last, &BrokenError{n, fmt.Sprintf("a record has more than %d bytes", lim.LogRecordBytes)}
		case err != nil:
			return first, last, err
		}
		rec, err := Read(line)
		if err != nil {
			return first, last, &BrokenError{n, err.Error()}
		}
		before := last
		if n == 1 {
			before = from
			first = Head{rec.Seq, rec.Digest}
		}
		switch {
		case n == 1 && from == (Head{}) && rec.Seq != 1 && rec.Kind != Rotated:
			return first, last, &BrokenError{n, fmt.Sprintf("the log begins with record %d, and no rotation says why", rec.Seq)}
		case n == 1 && from == (Head{}):
		case rec.Seq != before.Seq+1 || rec.Prev != before.Digest:
			return first, last, &BrokenError{n, fmt.Sprintf("record %d does not follow record %d", rec.Seq, before.Seq)}
		}
		if rec.Seq == 1 && rec.Prev != "" {
			return first, last, &BrokenError{n, "the first record follows another"}
		}
		last = Head{rec.Seq, rec.Digest}
		if each != nil {
			if err := each(rec); err != nil {
				return first, last, &BrokenError{n, err.Error()}
			}
		}
	}
}

var (
	errTorn = errors.New("torn")
	errLong = errors.New("long")
)

// lineReader gives lines of a bounded length without copying them.
type lineReader struct {
	r     io.Reader
	most  int
	buf   []byte
	start int
	ended bool
}

func (l *lineReader) next() ([]byte, error) {
	for {
		if i := bytes.IndexByte(l.buf[l.start:], '\n'); i >= 0 {
			line := l.buf[l.start : l.start+i]
			l.start += i + 1
			return line, nil
		}
		rest := len(l.buf) - l.start
		switch {
		case l.ended && rest == 0:
			return nil, io.EOF
		case l.ended:
			return nil, errTorn
		case rest > l.most:
			return nil, errLong
		}
		copy(l.buf, l.buf[l.start:])
		l.buf, l.start = l.buf[:rest], 0
		if len(l.buf) == cap(l.buf) {
			l.buf = append(l.buf, make([]byte, max(cap(l.buf), limits.KiB*64))...)[:rest]
		}
		n, err := l.r.Read(l.buf[len(l.buf):cap(l.buf)])
		l.buf = l.buf[:len(l.buf)+n]
		if err == io.EOF {
			l.ended = true
		} else if err != nil {
			return nil, err
		}
	}
}
