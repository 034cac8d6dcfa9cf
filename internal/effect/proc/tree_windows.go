package proc

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// attributes start a child stopped, so that it is in its job before it runs, and in a group that can be sent CTRL_BREAK.
func attributes(bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// closeInherited: a child gets the handles that it is given by name, and no others.
func closeInherited() {}

// tree is a Job Object that kills what it holds when its last handle is closed, thus also when we die.
type tree struct {
	pid int
	job windows.Handle
}

func (t *tree) adopt(p *os.Process, bounds *JobLimits) error {
	t.pid = p.Pid
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	t.job = job
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	if bounds != nil {
		basic := &info.BasicLimitInformation
		basic.LimitFlags |= windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS | windows.JOB_OBJECT_LIMIT_JOB_MEMORY | windows.JOB_OBJECT_LIMIT_JOB_TIME
		basic.ActiveProcessLimit = uint32(bounds.Processes)
		basic.PerJobUserTimeLimit = int64(bounds.CPU / 100) // in units of 100 ns
		info.JobMemoryLimit = uintptr(bounds.Memory)
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		return err
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(p.Pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	if err := windows.AssignProcessToJobObject(job, process); err != nil {
		return err
	}
	return resume(uint32(p.Pid))
}

// resume starts the one thread of a process that was started stopped; package os keeps no handle of it.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		defer windows.CloseHandle(thread)
		_, err = windows.ResumeThread(thread)
		return err
	}
	return err
}

// wait waits for the end of the child and kills what it left in its job.
func (t *tree) wait(cmd *exec.Cmd) {
	_ = cmd.Wait()
	t.kill()
}

// terminate asks as Windows can: a console program may take it as a request to end.
func (t *tree) terminate() {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(t.pid))
}

func (t *tree) kill() { _ = windows.TerminateJobObject(t.job, 1) }

func (t *tree) release() {
	if t.job != 0 {
		_ = windows.CloseHandle(t.job)
	}
}
