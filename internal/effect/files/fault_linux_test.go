package files

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// faulted names the folder in which the child of these tests works.
const faulted = "MCPASSAY_TEST_FAULT"

// lacks skips where a part of the machine is missing; CI has every part.
func lacks(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("MCPASSAY_CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// wired keeps the child's main goroutine on its first thread: strace counts calls by thread, and no two runs start the others
// alike.
var wired = func() bool {
	child := os.Getenv(faulted) != ""
	if child {
		runtime.LockOSThread()
	}
	return child
}()

// TestMain is the child where there is a folder for it: the process into whose system calls the tests put faults. It does
// what every change of a config does.
func TestMain(m *testing.M) {
	if !wired {
		os.Exit(m.Run())
	}
	if err := editOnce(os.Getenv(faulted)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func editOnce(dir string) error {
	path := filepath.Join(dir, "mcp.json")
	release, err := Exclusive(context.Background(), path, limits.Default)
	if err != nil {
		return err
	}
	defer release()
	raw, _, err := Read(path, ReadOptions{Base: dir})
	if err != nil {
		return err
	}
	if _, err := Keep(filepath.Join(dir, "state"), time.Now(), path, raw, limits.Default); err != nil {
		return err
	}
	return WriteAtomic(path, edited, WriteOptions{ExpectDigest: canon.Digest(raw), Base: dir})
}

var (
	unedited = bytes.Repeat([]byte("old "), 64<<10)
	edited   = bytes.Repeat([]byte("new!"), 48<<10)
)

// place is a folder with a config in it.
func place(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mcp.json"), unedited, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "mcp.json"), 0o640); err != nil {
		t.Fatal(err)
	}
	return dir
}

// edits runs the child in dir, under strace with these options.
func edits(t *testing.T, dir string, options ...string) *os.ProcessState {
	t.Helper()
	argv := append(options, os.Args[0])
	if len(options) > 0 {
		argv = append([]string{"strace", "-f"}, argv...)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), faulted+"="+dir)
	_ = cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatalf("%q did not start", argv)
	}
	return cmd.ProcessState
}

// call is the n-th system call of its name on the child's thread.
type call struct {
	name string
	n    int
}

// calls are those that one edit makes, from the lock until it is let go.
func calls(t *testing.T) (all []call) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		lacks(t, "needs strace: apt-get install strace")
	}
	if out, err := exec.Command("strace", "-f", "-o", os.DevNull, "-e", "trace=close", "true").CombinedOutput(); err != nil {
		lacks(t, "strace may not trace here: %v: %s", err, out)
	}
	names := "flock,openat,read,write,fcntl,fchmod,fchown,fsync,renameat,renameat2,unlinkat,mkdirat,close,getdents64,newfstatat,fstat"
	log := filepath.Join(t.TempDir(), "trace")
	dir := place(t)
	if state := edits(t, dir, "-o", log, "-e", "trace="+names); state.ExitCode() != 0 {
		t.Fatal(state)
	}
	raw, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^(\d+) +(\w+)\((.*)$`).FindAllStringSubmatch(string(raw), -1)
	first := slices.IndexFunc(line, func(m []string) bool { return m[2] == "flock" })
	if first < 0 {
		t.Fatalf("no lock in\n%s", raw)
	}
	thread, count, renamed := line[first][1], map[string]int{}, 0
	for i, m := range line {
		if m[1] != thread {
			continue
		}
		count[m[2]]++
		if i >= first {
			all = append(all, call{m[2], count[m[2]]})
		}
		if strings.HasPrefix(m[2], "rename") {
			renamed++
		}
		if renamed == 2 && m[2] == "fsync" { // the folder of the config
			return all
		}
	}
	t.Fatalf("the edit does not end in\n%s", raw)
	return nil
}

func TestAnEditThatIsKilledAtAnySystemCallLeavesTheOldFileOrTheNewOne(t *testing.T) {
	killed, olds := 0, 0
	all := calls(t)
	for _, c := range all {
		dir := place(t)
		state := edits(t, dir, "-o", os.DevNull, "-e", "trace="+c.name, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", c.name, c.n))
		if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
			killed++
		}
		path := filepath.Join(dir, "mcp.json")
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, unedited) && !bytes.Equal(got, edited) {
			t.Fatalf("killed at %v: %v, and the file has %d bytes", c, err, len(got))
		}
		if bytes.Equal(got, unedited) {
			olds++
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
			t.Fatalf("killed at %v: mode %v, %v", c, info.Mode(), err)
		}
	}
	if killed < len(all)*3/4 || olds < len(all)/2 || olds == killed {
		t.Errorf("of %d runs %d were killed, and %d left the old file", len(all), killed, olds)
	}
	t.Logf("%d runs, %d killed, %d with the old file", len(all), killed, olds)
	// What is left of a run that was killed stands in nobody's way.
	dir := place(t)
	edits(t, dir, "-o", os.DevNull, "-e", "trace=fchmod", "-e", "inject=fchmod:signal=KILL:when=2")
	if state := edits(t, dir); state.ExitCode() != 0 {
		t.Errorf("the next run: %v", state)
	}
}

func TestADiskThatFailsAtAnySystemCallLeavesTheOldFileAndNothingBesideIt(t *testing.T) {
	failed := 0
	for _, c := range calls(t) {
		if slices.Contains([]string{"flock", "fcntl", "unlinkat", "getdents64", "close"}, c.name) {
			continue // none of these is a write: a file system without locks is no failure
		}
		dir := place(t)
		state := edits(t, dir, "-o", os.DevNull, "-e", "trace="+c.name, "-e", fmt.Sprintf("inject=%s:error=ENOSPC:when=%d", c.name, c.n))
		got, err := os.ReadFile(filepath.Join(dir, "mcp.json"))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(got, unedited) {
			failed++
		}
		if whole := bytes.Equal(got, edited); !whole && (!bytes.Equal(got, unedited) || state.ExitCode() == 0) {
			t.Errorf("%v fails: exit %d, and the file has %d bytes", c, state.ExitCode(), len(got))
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != "mcp.json" && e.Name() != "state" {
				t.Errorf("%v leaves %s", c, e.Name())
			}
		}
	}
	if failed < 10 {
		t.Errorf("only %d runs failed", failed)
	}
}
