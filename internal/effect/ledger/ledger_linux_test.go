package ledger

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/ledger"
)

// large is a log of so many records, whose chain holds at its end alone: nobody reads more of it.
func large(t testing.TB, records int) *Log {
	t.Helper()
	l := newLog(t)
	l.Limits.LogBytes = 1 << 40
	r := &ledger.Record{Seq: int64(records), Prev: "sha256:", Kind: "run", Event: []byte(`{"verb":"lint"}`)}
	line, err := r.Seal()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.Path, bytes.Repeat(line, records), 0o600); err != nil {
		t.Fatal(err)
	}
	return l
}

// read is how many bytes this process has read so far.
func read(t testing.TB) (n int) {
	t.Helper()
	raw, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skip("this kernel does not count what a process reads")
	}
	_, rest, _ := strings.Cut(string(raw), "rchar: ")
	fmt.Sscan(rest, &n)
	return n
}

func TestAppendingToALongLogReadsItsEndAlone(t *testing.T) {
	l := large(t, 200_000)
	before := read(t)
	own := read(t) - before // what looking takes
	before = read(t)
	add(t, l, 1)
	if got := read(t) - before - own; got > 64*limits.KiB+64 { // the numbers in what is looked at grow, too
		t.Errorf("%d bytes were read", got)
	}
}

// writerEnv says that this test binary is a writer, into the log that the variable names.
const writerEnv = "MCPASSAY_TEST_WRITER"

// TestWriterProcess is no test: it is what TestWritersThatAreKilled… starts and kills.
func TestWriterProcess(t *testing.T) {
	path := os.Getenv(writerEnv)
	if path == "" {
		return
	}
	l := &Log{Path: path, Limits: limits.Default, Now: time.Now}
	l.Limits.LogBytes = 3_000 // so that some die while they rotate
	for i := 0; ; i++ {
		if _, err := l.Append("run", map[string]any{"n": i, "pad": strings.Repeat("x", i%700)}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWritersThatAreKilledLeaveALogThatIsWholeOrTellsOfIt runs two writers at a time and kills both with SIGKILL, whenever that is.
func TestWritersThatAreKilledLeaveALogThatIsWholeOrTellsOfIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	for i := range 12 {
		var writers []*exec.Cmd
		for range 2 {
			cmd := exec.Command(os.Args[0], "-test.run=^TestWriterProcess$")
			cmd.Env = append(os.Environ(), writerEnv+"="+path)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			writers = append(writers, cmd)
		}
		time.Sleep(time.Duration(60+i*17) * time.Millisecond)
		for _, w := range writers {
			_ = w.Process.Signal(syscall.SIGKILL)
		}
		for _, w := range writers {
			if err := w.Wait(); err == nil || w.ProcessState.Exited() {
				t.Fatalf("a writer ended by itself: %v", err)
			}
		}
	}
	l := &Log{Path: path, Limits: limits.Default, Now: time.Now}
	head := add(t, l, 1)
	files, err := filepath.Glob(path + ".*")
	if err != nil || len(files) < 2 {
		t.Fatalf("%q %v: they never came to rotate", files, err)
	}
	// Every file goes on from the one before, to the head.
	byStart := map[ledger.Head]string{}
	for _, name := range append(files, path) {
		first, _, err := verify(t, name, ledger.Head{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		byStart[ledger.Head{Seq: first.Seq}] = name
	}
	at := ledger.Head{}
	for range len(byStart) {
		name := byStart[ledger.Head{Seq: at.Seq + 1}]
		_, last, err := verify(t, name, at)
		if err != nil {
			t.Fatalf("%s does not go on from %d: %v", name, at.Seq, err)
		}
		at = last
	}
	if at != head {
		t.Errorf("the files end at %d, and the head is %d", at.Seq, head.Seq)
	}
	t.Logf("%d records in %d files", head.Seq, len(byStart))
}

// TestAFileThatCanNotGrowStaysWhole lets a writer run into the most that it may write, in a process of its own.
func TestAFileThatCanNotGrowStaysWhole(t *testing.T) {
	if os.Getenv(writerEnv) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAFileThatCanNotGrowStaysWhole$", "-test.v")
		cmd.Env = append(os.Environ(), writerEnv+"=limited")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: ") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	l := newLog(t)
	head := add(t, l, 3)
	info, err := os.Stat(l.Path)
	if err != nil {
		t.Fatal(err)
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	small := was
	small.Cur = uint64(info.Size()) + 100 // less than a record
	signal.Ignore(syscall.SIGXFSZ)        // so that the write fails, as on a disk that is full
	defer signal.Reset(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	_, err = l.Append("run", map[string]any{"verb": "lint", "pad": strings.Repeat("x", 500)})
	if undo := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); undo != nil {
		t.Fatal(undo)
	}
	if err == nil || !strings.Contains(err.Error(), "can not be written to") {
		t.Fatal(err)
	}
	if _, last, err := verify(t, l.Path, ledger.Head{}); err != nil || last != head {
		t.Errorf("%+v %v", last, err)
	}
	if next := add(t, l, 1); next.Seq != head.Seq+1 {
		t.Errorf("record %d follows %d", next.Seq, head.Seq)
	}
}
