//go:build unix && !linux

package proc

import (
	"os"
	"os/exec"
	"syscall"
)

// attributes put a child into a session and a group of its own.
func attributes(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// tree is a child with its group, whose number is its own.
type tree struct{ pid int }

func (t *tree) adopt(p *os.Process, _ *JobLimits) error {
	t.pid = p.Pid
	return nil
}

// wait waits for the end of the child and kills what it left in its group.
func (t *tree) wait(cmd *exec.Cmd) {
	_ = cmd.Wait()
	t.kill()
}

func (t *tree) terminate() { _ = syscall.Kill(-t.pid, syscall.SIGTERM) }
func (t *tree) kill()      { _ = syscall.Kill(-t.pid, syscall.SIGKILL) }
func (t *tree) release()   {}
