package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes put a child into a session and a group of its own, and let it die with the thread that makes it.
func attributes(supervised bool) *syscall.SysProcAttr {
	death := syscall.SIGKILL
	if supervised {
		death = syscall.SIGTERM
	}
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: death}
}

// tree is a child with all that it started. The child leads a group whose number is its own.
type tree struct{ pid int }

func (t *tree) adopt(p *os.Process, _ *JobLimits) error {
	t.pid = p.Pid
	return nil
}

// wait waits for the end of the child and kills what it left in its group. The child is reaped last: until then its
// number is no one else's.
func (t *tree) wait(cmd *exec.Cmd) {
	for unix.Waitid(unix.P_PID, t.pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	t.sweep()
	_ = cmd.Wait()
}

func (t *tree) terminate() { _ = unix.Kill(-t.pid, unix.SIGTERM) }

// kill kills the descendants first: who loses its parent is a descendant no more.
func (t *tree) kill() {
	KillDescendants(t.pid)
	t.sweep()
}

// sweep kills the group, which is all that can be found once its leader is dead.
func (t *tree) sweep() { _ = unix.Kill(-t.pid, unix.SIGKILL) }

func (t *tree) release() {}

// KillDescendants kills what a process started, directly or not, and not the process itself. Each is stopped before
// any is killed, so that none forks away, as far as the system lets us see them.
func KillDescendants(pid int) {
	stopped := map[int]bool{}
	for {
		fresh := false
		for _, p := range Descendants(pid) {
			if !stopped[p] {
				stopped[p], fresh = true, true
				_ = unix.Kill(p, unix.SIGSTOP)
			}
		}
		if !fresh {
			break
		}
	}
	for p := range stopped {
		_ = unix.Kill(p, unix.SIGKILL)
	}
}

// Descendants lists the live processes below a process. A folder of /proc that can not be read holds none.
func Descendants(pid int) []int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	below := map[int][]int{}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// "pid (name) state ppid …": the name may hold anything, also ") ".
		_, rest, _ := strings.Cut(string(stat[max(0, strings.LastIndexByte(string(stat), ')')):]), " ")
		state, rest, _ := strings.Cut(rest, " ")
		parent, _, _ := strings.Cut(rest, " ")
		ppid, err := strconv.Atoi(parent)
		if err != nil || state == "Z" || state == "X" {
			continue
		}
		p, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		below[ppid] = append(below[ppid], p)
	}
	all := below[pid]
	for i := 0; i < len(all); i++ {
		all = append(all, below[all[i]]...)
	}
	return all
}
