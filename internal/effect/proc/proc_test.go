package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// The test binary is its own child: what it does as one is named by the first argument.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "child" {
		child(os.Args[2], os.Args[3:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(what string, args []string) {
	echo := func() { _, _ = io.Copy(os.Stdout, os.Stdin) }
	switch what {
	case "echo":
		echo()
	case "exit":
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	case "print":
		fmt.Print(args[0])
	case "env":
		fmt.Println(strings.Join(os.Environ(), "|"))
	case "pwd":
		dir, _ := os.Getwd()
		entries, _ := os.ReadDir(".")
		_ = os.WriteFile("left", nil, 0o600)
		_ = os.MkdirAll("closed/inner", 0o700)
		_ = os.Chmod("closed", 0)
		fmt.Printf("%s %d\n", dir, len(entries))
	case "long":
		n, _ := strconv.Atoi(args[0])
		_, _ = os.Stdout.Write(append(bytes.Repeat([]byte("x"), n), '\n'))
		echo()
	case "bytes":
		for _, b := range []byte("one\ntwo\n") {
			_, _ = os.Stdout.Write([]byte{b})
			time.Sleep(time.Millisecond)
		}
	case "flood":
		b := bytes.Repeat([]byte("0123456789abcde\n"), 4096)
		for range 256 { // 16 MiB
			_, _ = os.Stderr.Write(b)
		}
		fmt.Fprintln(os.Stderr, "the end")
		fmt.Println("done")
	case "mute": // reads nothing, says nothing, ends at a signal
		fmt.Println("ready")
		time.Sleep(time.Minute)
	case "stubborn": // ignores SIGTERM and the end of its input
		signal.Ignore(syscall.SIGTERM)
		fmt.Println(os.Getpid())
		time.Sleep(time.Minute)
	case "family": // a child of a child in the same group holds the pipes
		cmd := exec.Command(os.Args[0], "child", "stubborn")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		leave := len(args) > 0 // the parent ends by itself
		if leave {
			cmd.Stdout = nil
		}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		if leave {
			fmt.Println(cmd.Process.Pid)
			return
		}
		echo()
	case "parent": // a program like ours, which is then killed
		c, err := Start(context.Background(), Command{Argv: []string{os.Args[0], "child", "stubborn"}, Env: os.Environ()}, quick())
		if err != nil {
			panic(err)
		}
		l, _ := c.ReadLine(context.Background())
		fmt.Printf("%s %s\n", l, c.ours)
		time.Sleep(time.Minute)
	case "descriptors":
		for fd := 3; fd < 64; fd++ {
			if to, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil && to == os.Args[0] {
				fmt.Print("inherited ", to, " ")
			}
		}
		fmt.Println()
	}
}

// quick are limits that tests can wait for.
func quick() limits.Set {
	l := limits.Default
	l.ChildGrace, l.ChildKill = 100*time.Millisecond, 300*time.Millisecond
	return l
}

func self(t *testing.T, what ...string) Command {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Command{Argv: append([]string{exe, "child"}, what...), Env: []string{}}
}

func start(t *testing.T, lim limits.Set, c Command) *Child {
	t.Helper()
	child, err := Start(t.Context(), c, lim)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.Close() })
	return child
}

func next(t *testing.T, c *Child) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	l, err := c.ReadLine(ctx)
	if err != nil {
		t.Fatalf("%v; stderr: %s", err, c.Stderr())
	}
	return string(l)
}

func TestLinesGoInAndComeOutAsTheyAre(t *testing.T) {
	c := start(t, limits.Default, self(t, "echo"))
	for _, l := range []string{`{"id":1}`, "", "\xff\x00\r", strings.Repeat("y", 300_000)} {
		if err := c.WriteLine([]byte(l)); err != nil {
			t.Fatal(err)
		}
		if got := next(t, c); got != l {
			t.Errorf("%.40q came back as %.40q", l, got)
		}
	}
	if err := c.WriteLine([]byte("a\nb")); err == nil {
		t.Error("two lines were written as one")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if exit, ok := c.Exit(); !ok || exit.Code != 0 {
		t.Errorf("exit %+v %v", exit, ok)
	}
	if err := c.WriteLine(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("write after close: %v", err)
	}
	if _, err := c.ReadLine(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("read after close: %v", err)
	}
}

func TestTheLastLineMayLackItsNewline(t *testing.T) {
	c := start(t, limits.Default, self(t, "print", "whole\npart"))
	if got := next(t, c); got != "whole" {
		t.Error(got)
	}
	for range 2 {
		l, err := c.ReadLine(t.Context())
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q %v", l, err)
		}
	}
}

func TestTheEndOfTheOutputIsEOFAndTheExitIsKept(t *testing.T) {
	c := start(t, limits.Default, self(t, "exit", "7"))
	if _, err := c.ReadLine(t.Context()); err != io.EOF {
		t.Error(err)
	}
	<-c.Exited()
	if exit, ok := c.Exit(); !ok || exit.Code != 7 || exit.Reason != "exit status 7" {
		t.Errorf("%+v %v", exit, ok)
	}
	if err := c.Close(); err != nil {
		t.Errorf("how a child ended is no fault of Close: %v", err)
	}
}

func TestALineOfTheLimitIsReadAndOneByteMoreIsRefused(t *testing.T) {
	lim := quick()
	for _, over := range []int{0, 1, 1 * limits.MiB} {
		c := start(t, lim, self(t, "long", strconv.Itoa(lim.ChildLine+over)))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		l, err := c.ReadLine(ctx)
		var tooLong *LineTooLongError
		if over == 0 && (err != nil || len(l) != lim.ChildLine) || over > 0 && (!errors.As(err, &tooLong) || tooLong.Limit != lim.ChildLine) {
			t.Errorf("%d over: %d bytes, %v", over, len(l), err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestALineMayComeByteByByte(t *testing.T) {
	c := start(t, limits.Default, self(t, "bytes"))
	if a, b := next(t, c), next(t, c); a != "one" || b != "two" {
		t.Error(a, b)
	}
}

func TestAFloodOnStandardErrorKeepsItsEndAndStopsNobody(t *testing.T) {
	c := start(t, limits.Default, self(t, "flood"))
	if got := next(t, c); got != "done" {
		t.Error(got)
	}
	if _, err := c.ReadLine(t.Context()); err != io.EOF {
		t.Error(err)
	}
	c.Close()
	if got := c.Stderr(); len(got) != limits.Default.ChildStderr || !bytes.HasSuffix(got, []byte("bcde\nthe end\n")) {
		t.Errorf("%d bytes that end in %q", len(got), got[max(0, len(got)-20):])
	}
}

func TestTheRingKeepsTheLastBytesInOrder(t *testing.T) {
	for size := 1; size < 9; size++ {
		for step := 1; step < 12; step++ {
			r, all := ring{limit: size}, []byte{}
			for i := 0; i < 40; i += step {
				p := []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")[i : i+step]
				r.write(p)
				all = append(all, p...)
				if want := all[max(0, len(all)-size):]; !bytes.Equal(r.bytes(), want) {
					t.Fatalf("size %d, step %d: %s, want %s", size, step, r.bytes(), want)
				}
			}
		}
	}
}

func TestReadingEndsWithItsContextAndLosesNoLine(t *testing.T) {
	c := start(t, limits.Default, self(t, "echo"))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := c.ReadLine(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := c.WriteLine([]byte("later")); err != nil {
		t.Fatal(err)
	}
	if got := next(t, c); got != "later" {
		t.Error(got)
	}
}

func TestAChildThatDoesNotReadFailsTheWriteInTime(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a pipe of Windows has no deadline")
	}
	lim := quick()
	lim.ChildWrite = 100 * time.Millisecond
	c := start(t, lim, self(t, "mute"))
	if err := c.WriteLine(make([]byte, 1*limits.MiB)); err == nil || !strings.Contains(err.Error(), "not read") {
		t.Error(err)
	}
}

func TestCloseUnblocksAWriteAndARead(t *testing.T) {
	c := start(t, quick(), self(t, "mute"))
	next(t, c)
	errs := make(chan error, 2)
	go func() { errs <- c.WriteLine(make([]byte, 1*limits.MiB)) }()
	go func() { _, err := c.ReadLine(context.Background()); errs <- err }()
	time.Sleep(50 * time.Millisecond)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := <-errs; !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	}
}

func TestTheWorkingFolderIsFreshAndRemoved(t *testing.T) {
	c := start(t, limits.Default, self(t, "pwd"))
	dir, n, _ := strings.Cut(next(t, c), " ")
	if n != "0" {
		t.Errorf("%s holds %s entries", dir, n)
	}
	if here, _ := os.Getwd(); strings.HasPrefix(here, dir) {
		t.Errorf("it runs in ours, %s", dir)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", dir, err)
	}
	mine := t.TempDir()
	cmd := self(t, "print", "x\n")
	cmd.Dir = mine
	c = start(t, limits.Default, cmd)
	c.Close()
	if _, err := os.Stat(mine); err != nil {
		t.Errorf("a folder that was given was removed: %v", err)
	}
	cmd.Dir = filepath.Join(mine, "absent")
	if _, err := Start(t.Context(), cmd, limits.Default); err == nil || !strings.Contains(err.Error(), "working folder") {
		t.Error(err)
	}
}

func TestTheEnvironmentIsAShortListAndWhatTheEntryNames(t *testing.T) {
	parent := []string{"PATH=/bin", "HOME=/home/u", "AWS_SECRET_ACCESS_KEY=k", "NODE_OPTIONS=--x", "LC_ALL=C", "odd"}
	for name, c := range map[string]struct {
		entry   []string
		inherit bool
		want    string
	}{
		"nothing":    {nil, false, "PATH=/bin|HOME=/home/u|LC_ALL=C"},
		"own":        {[]string{"TOKEN=a=b", "EMPTY="}, false, "PATH=/bin|HOME=/home/u|LC_ALL=C|TOKEN=a=b|EMPTY="},
		"overridden": {[]string{"PATH=/opt"}, false, "HOME=/home/u|LC_ALL=C|PATH=/opt"},
		"inherited":  {[]string{"T=1"}, true, "PATH=/bin|HOME=/home/u|AWS_SECRET_ACCESS_KEY=k|NODE_OPTIONS=--x|LC_ALL=C|T=1"},
	} {
		got, err := Environ(parent, c.entry, c.inherit, limits.Default)
		if err != nil || strings.Join(got, "|") != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	cmd := self(t, "env")
	cmd.Env = []string{"ONLY=this"}
	if got := next(t, start(t, limits.Default, cmd)); runtime.GOOS != "windows" && got != "ONLY=this" {
		t.Error(got)
	}
}

func TestAnEnvironmentOverALimitIsRefusedWithoutItsValues(t *testing.T) {
	lim := limits.Default
	many := make([]string, lim.EnvVars+1)
	for i := range many {
		many[i] = fmt.Sprintf("V%d=secret", i)
	}
	big := make([]string, 0, 17)
	for i := range 17 {
		big = append(big, fmt.Sprintf("V%d=%s", i, strings.Repeat("s", lim.EnvChars)))
	}
	for want, entry := range map[string][]string{
		"257 variables":           many,
		"more than 1048576 bytes": big,
		"65537 bytes":             {"K=" + strings.Repeat("s", lim.EnvChars+1)},
		"NUL":                     {"K=secret\x00"},
		"no name":                 {"=secret"},
	} {
		_, err := Environ(nil, entry, false, lim)
		if err == nil || !strings.Contains(err.Error(), want) || want != "no name" && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := Environ(nil, many[:lim.EnvVars], false, lim); err != nil {
		t.Error(err)
	}
	if _, err := Start(t.Context(), Command{Argv: []string{os.Args[0]}, Env: many}, lim); err == nil {
		t.Error("an environment made by hand is not bounded")
	}
}

func TestACommandIsLookedUpOnThePathOfTheChild(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("makes a program by its mode")
	}
	dir := t.TempDir()
	tool := filepath.Join(dir, "only-here")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := Look("only-here", []string{"PATH=/nowhere:" + dir}, ""); err != nil || got != tool {
		t.Error(got, err)
	}
	if got, err := Look("./only-here", nil, dir); err != nil || got != tool {
		t.Error(got, err)
	}
	t.Chdir(dir)
	for _, env := range [][]string{{"PATH=/nowhere"}, {}, {"PATH=.:"}} {
		_, err := Start(t.Context(), Command{Argv: []string{"only-here"}, Env: env}, limits.Default)
		var absent *NotFoundError
		if !errors.As(err, &absent) || !strings.HasSuffix(err.Error(), `"only-here" is not on the PATH`) {
			t.Errorf("%q: %v", env, err)
		}
	}
	_ = os.WriteFile(filepath.Join(dir, "plain"), nil, 0o600)
	if _, err := Look(filepath.Join(dir, "plain"), nil, ""); err == nil || !strings.Contains(err.Error(), "permission") {
		t.Error(err)
	}
}

// TestManyChildrenLeaveNothing is the soak: no process, no descriptor, no goroutine and no folder remains.
