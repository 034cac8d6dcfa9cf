package proc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// FuzzLines holds that the lines of a child are its output cut at the newlines, however the bytes arrive, up to the
// first line over the limit.
func FuzzLines(f *testing.F) {
	f.Add([]byte("one\ntwo\n"), 16)
	f.Add([]byte("\n\r\n\xff"), 1)
	f.Add(bytes.Repeat([]byte("x"), 100), 40)
	f.Fuzz(func(t *testing.T, out []byte, limit int) {
		if limit < 0 {
			return
		}
		in, rest := bufio.NewReaderSize(iotest.HalfReader(bytes.NewReader(out)), 16), out
		for {
			want, after, whole := bytes.Cut(rest, []byte("\n"))
			l := nextLine(in, limit)
			var tooLong *LineTooLongError
			switch {
			case len(want) > limit:
				if !errors.As(l.err, &tooLong) || l.bytes != nil {
					t.Fatalf("%d bytes over the limit: %q %v", len(want)-limit, l.bytes, l.err)
				}
				return
			case whole:
				if l.err != nil || !bytes.Equal(l.bytes, want) {
					t.Fatalf("%q %v, want %q", l.bytes, l.err, want)
				}
			case len(rest) > 0:
				if l.err != io.ErrUnexpectedEOF || !bytes.Equal(l.bytes, rest) {
					t.Fatalf("%q %v, want the unfinished %q", l.bytes, l.err, rest)
				}
				return
			default:
				if l.err != io.EOF || l.bytes != nil {
					t.Fatalf("%q %v at the end", l.bytes, l.err)
				}
				return
			}
			rest = after
		}
	})
}
