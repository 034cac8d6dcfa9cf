//go:build linux && (amd64 || arm64)

package sandbox

import (
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// denied are the calls that no confined server gets: they reach other processes, the kernel's settings, or around the
// other checks (io_uring makes sockets that no filter sees; System V memory and queues are shared by the whole machine).
var denied = []uint32{
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PIDFD_GETFD,
	unix.SYS_KCMP, unix.SYS_PERF_EVENT_OPEN, unix.SYS_BPF, unix.SYS_USERFAULTFD,
	unix.SYS_ADD_KEY, unix.SYS_KEYCTL, unix.SYS_REQUEST_KEY,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_OPEN_TREE_ATTR, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_FANOTIFY_MARK,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE,
	unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SYSLOG,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_VHANGUP,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL,
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
	unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
}

// marking change the mode, owner, times or attributes of a file. Landlock has no say over them, so without this a server
// could open your keys to everybody, and take from root's programs the right to run.
var marking = []uint32{
	unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWNAT, unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_REMOVEXATTR,
	unix.SYS_LREMOVEXATTR, unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR, unix.SYS_FSETXATTR, unix.SYS_FREMOVEXATTR,
	unix.SYS_TRUNCATE, // a right of Landlock since Linux 6.2 only
}

// feigned do the same by descriptor, for which it is enough to have opened a file for reading. They are answered as done
// and do nothing: libraries set the mode of what they have copied, and give up where they can not.
var feigned = []uint32{unix.SYS_FCHMOD, unix.SYS_FCHOWN}

// newest is the last call that the lists above know of; a later one is answered as by an older kernel.
const newest = unix.SYS_FILE_SETATTR

// otherNamespaces are the flags of clone that make one.
const otherNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// The offsets of a call's parts in what a filter sees (struct seccomp_data of linux/seccomp.h, little endian).
const (
	atNumber = 0
	atArch   = 4
	atArgs   = 16
	argSize  = 8
	halfArg  = 4

	setFileAttributes = 0x401c5820 // FS_IOC_FSSETXATTR of linux/fs.h

	typeMask = 0xf // of a socket's type: above it are flags (linux/net.h, SOCK_TYPE_MASK)
)

const (
	answerEPERM  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	answerENOSYS = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	answerDone   = unix.SECCOMP_RET_ERRNO
)

// program is a filter under construction. Every jump goes over the one instruction that answers.
type program []unix.SockFilter

func (p *program) add(code uint16, k uint32, jt, jf uint8) {
	*p = append(*p, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
}
func (p *program) load(at uint32)  { p.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, at, 0, 0) }
func (p *program) arg(n uint32)    { p.load(atArgs + n*argSize) }
func (p *program) answer(k uint32) { p.add(unix.BPF_RET|unix.BPF_K, k, 0, 0) }

// when answers where a comparison holds.
func (p *program) when(is uint16, k, a uint32) {
	p.add(unix.BPF_JMP|is|unix.BPF_K, k, 0, 1)
	p.answer(a)
}
func (p *program) ifIs(k, a uint32)      { p.when(unix.BPF_JEQ, k, a) }
func (p *program) ifAtLeast(k, a uint32) { p.when(unix.BPF_JGE, k, a) }
func (p *program) ifOver(k, a uint32)    { p.when(unix.BPF_JGT, k, a) }
func (p *program) ifAny(bits, a uint32)  { p.when(unix.BPF_JSET, bits, a) }
func (p *program) unless(k, a uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, 1, 0)
	p.answer(a)
}
func (p *program) and(mask uint32) { p.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, mask, 0, 0) }

// on runs body where the loaded value is k. The body must answer on every way through.
func (p *program) on(k uint32, body func(*program)) {
	var b program
	body(&b)
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, 0, uint8(len(b)))
	*p = append(*p, b...)
}

// filter is the seccomp program of a server.
func filter(of policy) []unix.SockFilter {
	ports := len(of.ports) > 0
	net := of.net || ports
	var p program
	p.load(atArch)
	p.unless(auditArch, unix.SECCOMP_RET_KILL_PROCESS) // calls of another architecture have other numbers
	p.load(atNumber)
	if otherABI != 0 {
		p.ifAtLeast(otherABI, unix.SECCOMP_RET_KILL_PROCESS)
	}
	for _, call := range slices.Concat(denied, deniedHere) {
		p.ifIs(call, answerEPERM)
	}
	if !of.pathMeta {
		for _, call := range slices.Concat(marking, markingHere) {
			p.ifIs(call, answerEPERM)
		}
		for _, call := range feigned {
			p.ifIs(call, answerDone)
		}
		p.on(unix.SYS_UTIMENSAT, func(b *program) { // without a name it is futimens
			b.arg(1)
			b.unless(0, answerEPERM)
			b.load(atArgs + argSize + halfArg)
			b.unless(0, answerEPERM)
			b.answer(answerDone)
		})
	}
	p.ifIs(unix.SYS_CLONE3, answerENOSYS) // its flags lie in memory; libraries then use clone
	p.on(unix.SYS_CLONE, func(b *program) {
		b.arg(0)
		b.ifAny(otherNamespaces, answerEPERM)
		b.answer(unix.SECCOMP_RET_ALLOW)
	})
	p.on(unix.SYS_IOCTL, func(b *program) {
		b.arg(1)
		b.ifIs(unix.TIOCSTI, answerEPERM) // these two type into a terminal as its user
		b.ifIs(unix.TIOCLINUX, answerEPERM)
		b.ifIs(unix.FS_IOC_SETFLAGS, answerEPERM) // these two mark a file that was opened for reading
		b.ifIs(setFileAttributes, answerEPERM)
		b.answer(unix.SECCOMP_RET_ALLOW)
	})
	p.on(unix.SYS_SOCKETPAIR, func(b *program) { // the two ends of one process: Node talks to its children so
		b.arg(0)
		b.unless(unix.AF_UNIX, answerEPERM)
		b.arg(1)
		b.and(typeMask)
		b.unless(unix.SOCK_STREAM, answerEPERM) // an end of datagrams can send to any other socket
		b.answer(unix.SECCOMP_RET_ALLOW)
	})
	p.on(unix.SYS_PRLIMIT64, func(b *program) { // the limits of its own, not of your other processes
		b.arg(0)
		b.unless(0, answerEPERM)
		b.answer(unix.SECCOMP_RET_ALLOW)
	})
	for _, c := range []struct{ call, who uint32 }{ // and its own priority; who is the argument that says whose
		{unix.SYS_SETPRIORITY, 1}, {unix.SYS_IOPRIO_SET, 1}, {unix.SYS_SCHED_SETSCHEDULER, 0}, {unix.SYS_SCHED_SETPARAM, 0}, {unix.SYS_SCHED_SETATTR, 0},
	} {
		p.on(c.call, func(b *program) {
			b.arg(c.who)
			b.unless(0, answerEPERM)
			b.answer(unix.SECCOMP_RET_ALLOW)
		})
	}
	if of.deaf || ports { // a socket that nobody bound gets a port when it listens, which Landlock does not see
		p.ifIs(unix.SYS_LISTEN, answerEPERM)
	}
	if ports { // and one that connects by sending is not seen either
		for _, c := range []struct{ call, flags uint32 }{{unix.SYS_SENDTO, 3}, {unix.SYS_SENDMSG, 2}, {unix.SYS_SENDMMSG, 3}} {
			p.on(c.call, func(b *program) {
				b.arg(c.flags)
				b.ifAny(unix.MSG_FASTOPEN, answerEPERM)
				b.answer(unix.SECCOMP_RET_ALLOW)
			})
		}
	}
	p.on(unix.SYS_SOCKET, func(b *program) {
		if net {
			// Only TCP and UDP by name: Landlock has no say over the others that TCP's families have, Multipath TCP and SCTP.
			most := uint32(unix.SOCK_DGRAM)
			if ports {
				most = unix.SOCK_STREAM
			}
			internet := func(b *program) {
				b.arg(1)
				b.and(typeMask)
				b.ifOver(most, answerEPERM)
				b.arg(2)
				for _, protocol := range []uint32{0, unix.IPPROTO_TCP, unix.IPPROTO_UDP} {
					b.ifIs(protocol, unix.SECCOMP_RET_ALLOW)
				}
				b.answer(answerEPERM)
			}
			b.arg(0)
			b.on(unix.AF_INET, internet)
			b.on(unix.AF_INET6, internet)
			b.unless(unix.AF_NETLINK, answerEPERM)
			b.arg(2)
			b.ifIs(unix.NETLINK_ROUTE, unix.SECCOMP_RET_ALLOW) // which addresses this machine has
		}
		b.answer(answerEPERM)
	})
	p.ifAtLeast(newest+1, answerENOSYS)
	p.answer(unix.SECCOMP_RET_ALLOW)
	return p
}

// install puts a filter on this thread, for ever.
func install(f []unix.SockFilter) error {
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0)
}
