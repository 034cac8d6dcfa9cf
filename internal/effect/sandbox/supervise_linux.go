package sandbox

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// selfPath is this program, also once its file was replaced.
const selfPath = "/proc/self/exe"

// supervised puts a command below a supervisor, which gives it the time kill between SIGTERM and SIGKILL. With inner, the
// command only holds the server (bubblewrap), and a request to end goes to what it holds.
func supervised(c proc.Command, inner bool, kill time.Duration) proc.Command {
	argv := []string{os.Args[0], Word, "supervise", "--kill=" + kill.String()}
	if inner {
		argv = append(argv, "--inner")
	}
	c.Argv = append(append(argv, "--", c.Path), c.Argv...)
	c.Path, c.Env, c.Supervised = selfPath, wrapped(c.Env), true
	return c
}

// supervise runs a command and ends when all that it started has ended: what outlives the command is killed. It passes
// the command's end on, a signal that no program handles as that signal, others as 128 and their number.
func supervise(inner bool, kill time.Duration, path string, argv []string) int {
	// Who sends PR_SET_PDEATHSIG is the thread that forked: it must stay.
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return stageFailed(err)
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	env := os.Environ()
	if path != selfPath {
		env = unwrapped(env)
	}
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Env: env, Files: []uintptr{0, 1, 2},
		// A group of its own, so that who signals ours asks only us.
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL},
	})
	if err != nil {
		return stageFailed(fmt.Errorf("start %s: %w", path, err))
	}
	letGo()
	go func() {
		<-asked
		for _, p := range proc.Descendants(os.Getpid()) {
			if p != pid || !inner {
				_ = unix.Kill(p, unix.SIGTERM)
			}
		}
		time.Sleep(kill)
		killAll()
	}()
	return passOn(reap(pid))
}

// letGo closes our ends of the server's input and output, so that each side sees when the other closes it.
func letGo() {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	_ = unix.Dup3(null, 0, 0)
	_ = unix.Dup3(null, 1, 0)
}

// reap waits for the command, then kills and waits for all that is left.
func reap(pid int) (status unix.WaitStatus) {
	for {
		var ws unix.WaitStatus
		p, err := unix.Wait4(-1, &ws, 0, nil)
		switch {
		case err == unix.EINTR:
		case err != nil: // ECHILD: nobody is left
			return status
		case p == pid:
			status = ws
			go killAll()
		}
	}
}

// killAll kills what is below us, again and again: who is ended at last ends us.
func killAll() {
	for {
		proc.KillDescendants(os.Getpid())
		time.Sleep(limits.Default.ChildPoll)
	}
}

func passOn(ws unix.WaitStatus) int {
	if !ws.Signaled() {
		return ws.ExitStatus()
	}
	switch ws.Signal() {
	case unix.SIGKILL, unix.SIGTERM, unix.SIGINT, unix.SIGHUP:
		signal.Reset(ws.Signal())
		_ = unix.Kill(os.Getpid(), ws.Signal())
		time.Sleep(limits.Default.ChildPoll) // it comes in a moment
	}
	const signaled = 128 // as shells say it
	return signaled + int(ws.Signal())
}
