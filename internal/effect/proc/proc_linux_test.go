package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// gone waits until a process is no more, or a zombie that its new parent has yet to reap.
func gone(t *testing.T, pid int) {
	t.Helper()
	for range 200 {
		if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err != nil || bytes.Contains(stat, []byte(") Z ")) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d remains", pid)
}

func TestCloseAsksWithSIGTERMBeforeItKills(t *testing.T) {
	for what, want := range map[string]string{"mute": "signal: terminated", "stubborn": "signal: killed"} {
		c := start(t, quick(), self(t, what))
		next(t, c)
		begin := time.Now()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if exit, _ := c.Exit(); exit.Reason != want || exit.Code != -1 {
			t.Errorf("%s ended with %+v", what, exit)
		}
		if took := time.Since(begin); what == "stubborn" && took < quick().ChildGrace+quick().ChildKill {
			t.Errorf("killed after %s", took)
		}
		gone(t, c.Pid())
	}
}

func TestAChildEndsWithTheContextOfItsStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	lim := quick()
	lim.ChildGrace = time.Hour // a cancelled run does not wait for it
	c, err := Start(ctx, self(t, "stubborn"), lim)
	if err != nil {
		t.Fatal(err)
	}
	next(t, c)
	cancel()
	select {
	case <-c.Exited():
	case <-time.After(10 * time.Second):
		t.Error("still there")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	gone(t, c.Pid())
	if _, err := Start(ctx, self(t, "echo"), lim); !errors.Is(err, context.Canceled) {
		t.Errorf("started in a run that is over: %v", err)
	}
}

func TestARunMayEndWhileAChildStarts(t *testing.T) {
	for i := range 40 {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			time.Sleep(time.Duration(i) * 100 * time.Microsecond)
			cancel()
		}()
		c, err := Start(ctx, self(t, "echo"), quick())
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			continue
		}
		<-ctx.Done()
		select {
		case <-c.Exited():
		case <-time.After(10 * time.Second):
			t.Error("still there")
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestWhatAChildStartedEndsWithIt(t *testing.T) {
	for _, args := range [][]string{{"family"}, {"family", "leave"}} {
		c := start(t, quick(), self(t, args...))
		grandchild, err := strconv.Atoi(next(t, c))
		if err != nil {
			t.Fatal(err)
		}
		if len(args) > 1 {
			<-c.Exited() // and what it left in its group is ended at once
			gone(t, grandchild)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		gone(t, grandchild)
	}
}

func TestAChildDiesWithUs(t *testing.T) {
	us := exec.Command(self(t).Argv[0], "child", "parent")
	out, err := us.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := us.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	var folder string
	if _, err := fmt.Fscanln(out, &pid, &folder); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	_ = us.Process.Kill()
	_ = us.Wait()
	gone(t, pid)
}

func TestNoDescriptorIsInherited(t *testing.T) {
	fd, err := syscall.Open(os.Args[0], syscall.O_RDONLY, 0) // as if whoever started us had left it open
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	out, err := exec.Command(os.Args[0], "child", "descriptors").Output()
	if err != nil || !strings.Contains(string(out), "inherited") {
		t.Fatalf("the test proves nothing: %s %v", out, err)
	}
	if got := next(t, start(t, limits.Default, self(t, "descriptors"))); got != "" {
		t.Error(got)
	}
}

func TestManyChildrenLeaveNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	count := func() (fds, goroutines, children, folders int) {
		f, _ := os.ReadDir("/proc/self/fd")
		d, _ := os.ReadDir(os.Getenv("TMPDIR"))
		return len(f), runtime.NumGoroutine(), len(Descendants(os.Getpid())), len(d)
	}
	one := func(i int) {
		c, err := Start(t.Context(), self(t, []string{"echo", "exit", "print"}[i%3], "1"), quick())
		if err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			_ = c.WriteLine([]byte("x"))
			next(t, c)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	one(0)
	var before, after [4]int
	before[0], before[1], before[2], before[3] = count()
	for i := range 200 {
		one(i)
	}
	for range 100 {
		if after[0], after[1], after[2], after[3] = count(); after == before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("descriptors, goroutines, processes, folders: %v before, %v after", before, after)
}

func TestDescendantsAreFoundWhateverTheirName(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a) S 1 (b")
	if err := os.Symlink(os.Args[0], name); err != nil {
		t.Fatal(err)
	}
	c := start(t, quick(), Command{Argv: []string{name, "child", "stubborn"}, Env: []string{}})
	next(t, c)
	if got := Descendants(os.Getpid()); !slices.Contains(got, c.Pid()) {
		t.Errorf("%d is not among %v", c.Pid(), got)
	}
}
