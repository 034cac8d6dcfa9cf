package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/ledger"
)

func newLog(t testing.TB) *Log {
	return &Log{Path: filepath.Join(t.TempDir(), "audit.jsonl"), Limits: limits.Default, Now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
}

func add(t testing.TB, l *Log, n int) (head ledger.Head) {
	t.Helper()
	for i := range n {
		var err error
		if head, err = l.Append("run", map[string]any{"verb": "scan", "n": i}); err != nil {
			t.Fatal(err)
		}
	}
	return head
}

func verify(t testing.TB, path string, from ledger.Head) (first, last ledger.Head, err error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return ledger.Verify(f, from, limits.Default, nil)
}

func TestRecordsFollowOneAnother(t *testing.T) {
	l := newLog(t)
	head := add(t, l, 5)
	first, last, err := verify(t, l.Path, ledger.Head{})
	if err != nil || last != head || last.Seq != 5 || first.Seq != 1 {
		t.Errorf("%+v to %+v, %v", first, last, err)
	}
	if info, err := os.Stat(l.Path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestAnyChangedByteOfALogIsSeen(t *testing.T) {
	l := newLog(t)
	head := add(t, l, 8)
	good, err := os.ReadFile(l.Path)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		bad := bytes.Clone(good)
		at := r.IntN(len(bad))
		bad[at] ^= byte(1 + r.IntN(255))
		if _, last, err := ledger.Verify(bytes.NewReader(bad), ledger.Head{}, limits.Default, nil); err == nil {
			t.Errorf("byte %d was changed unseen, the head is %+v", at, last)
		}
	}
	lines := bytes.SplitAfter(good, []byte("\n"))
	for what, bad := range map[string][][]byte{
		"a record gone":    {lines[0], lines[2]},
		"in another order": {lines[1], lines[0]},
		"a record twice":   {lines[0], lines[0]},
		"its beginning":    {lines[3], lines[4]},
	} {
		var broken *ledger.BrokenError
		if _, _, err := ledger.Verify(bytes.NewReader(bytes.Join(bad, nil)), ledger.Head{}, limits.Default, nil); !errors.As(err, &broken) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// A cut end is whole in itself: the head tells.
	if _, last, err := ledger.Verify(bytes.NewReader(bytes.Join(lines[:3], nil)), ledger.Head{}, limits.Default, nil); err != nil || last == head {
		t.Errorf("%+v %v", last, err)
	}
}

func TestWritersDoNotLoseEachOthersRecords(t *testing.T) {
	if !rotates {
		t.Skip("a log stays one file on this system")
	}
	l := newLog(t)
	l.Limits.LogBytes = 4000 // so that they rotate too
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 25 {
				if _, err := l.Append("run", map[string]any{"verb": "lint"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	names, err := filepath.Glob(l.Path + ".*")
	if err != nil || len(names) < 5 {
		t.Fatalf("%q %v", names, err)
	}
	at := map[int64]string{}
	var seqs []int64
	for _, name := range names {
		var seq int64
		fmt.Sscanf(strings.TrimPrefix(name, l.Path+"."), "%d", &seq)
		at[seq], seqs = name, append(seqs, seq)
	}
	records := 0
	from := ledger.Head{}
	for len(at) > 0 {
		least := int64(1 << 62)
		for seq := range at {
			least = min(least, seq)
		}
		_, last, err := verify(t, at[least], from)
		if err != nil || last.Seq != least {
			t.Fatalf("%s: %+v %v", at[least], last, err)
		}
		records += int(last.Seq - from.Seq)
		from = last
		delete(at, least)
	}
	_, last, err := verify(t, l.Path, from)
	if err != nil || int(last.Seq) != 200+len(seqs) {
		t.Errorf("%d records in %d files, %v", last.Seq, len(seqs)+1, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(l.Path), ".mcpassay-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestAWriteThatWasInterruptedIsNotGoneOnFromInSilence(t *testing.T) {
	for cut := range 60 {
		l := newLog(t)
		add(t, l, 2)
		raw, _ := os.ReadFile(l.Path)
		if err := os.WriteFile(l.Path, raw[:len(raw)-1-cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := verify(t, l.Path, ledger.Head{}); err == nil {
			t.Errorf("cut by %d: it is whole", cut+1)
		}
		head := add(t, l, 1)
		var kinds []string
		f, _ := os.Open(l.Path)
		_, last, err := ledger.Verify(f, ledger.Head{}, limits.Default, func(r *ledger.Record) error { kinds = append(kinds, r.Kind); return nil })
		f.Close()
		if err != nil || last != head || strings.Join(kinds, " ") != "run recovered run" {
			t.Errorf("cut by %d: %q %+v %v", cut+1, kinds, last, err)
		}
	}
}

func TestALogThatCanNotBeReliedOnIsNotWrittenTo(t *testing.T) {
	for what, content := range map[string]string{
		"no log":           "hello\n",
		"a changed record": `{"at":"2027-01-15T08:00:00Z","digest":"sha256:00","event":{},"kind":"run","prev":"","seq":1,"v":1}` + "\n",
		"a later version":  `{"v":2,"seq":1}` + "\n",
		"one long line":    strings.Repeat("x", 3*limits.Default.LogRecordBytes),
	} {
		l := newLog(t)
		if err := os.WriteFile(l.Path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Append("run", 1); err == nil {
			t.Errorf("%s: it was appended to", what)
		}
		if now, _ := os.ReadFile(l.Path); string(now) != content {
			t.Errorf("%s: it was changed", what)
		}
	}
	l := newLog(t)
	if err := l.Ready(); err != nil {
		t.Error(err)
	}
	if _, err := l.Append("run", strings.Repeat("x", l.Limits.LogRecordBytes)); err == nil {
		t.Error("a record over the limit was written")
	}
	if runtime.GOOS == "windows" {
		return
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(l.Path); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if err := os.Symlink(other, l.Path); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append("run", 1); err == nil {
		t.Error("a link was followed")
	}
	l.Path = other
	if err := os.Chmod(other, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append("run", 1); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a log that others can read: %v", err)
	}
}

// BenchmarkAppend appends to a log of a million records. The record is written through to the disk, whose time is not ours.
func BenchmarkAppend(b *testing.B) {
	l := newLog(b)
	l.Limits.LogBytes = 1 << 40
	f, err := os.OpenFile(l.Path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	r := &ledger.Record{Seq: 1_000_000, Prev: "sha256:", Kind: "run", Event: []byte(`{"verb":"lint"}`)}
	line, err := r.Seal()
	if err != nil {
		b.Fatal(err)
	}
	if _, err := f.Write(bytes.Repeat(line, 1_000_000)); err != nil {
		b.Fatal(err)
	}
	f.Close()
	for b.Loop() {
		if _, err := l.Append("run", map[string]any{"verb": "lint"}); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzRead(f *testing.F) {
	r := &ledger.Record{Seq: 1, Kind: "run", At: "2027-01-15T08:00:00Z", Event: []byte(`{"n":1}`)}
	line, _ := r.Seal()
	f.Add(line[:len(line)-1])
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := ledger.Read(line)
		if err != nil {
			return
		}
		again, err := r.Seal()
		if err != nil || !bytes.Equal(again[:len(again)-1], line) {
			t.Errorf("%q was read as %q", line, again)
		}
	})
}
