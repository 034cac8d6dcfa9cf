//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"
)

// run answers as the kernel would for one call. It knows the instructions that a filter uses and no others.
func run(t *testing.T, f []unix.SockFilter, arch, call uint32, args ...uint64) uint32 {
	t.Helper()
	var data [64]byte
	binary.LittleEndian.PutUint32(data[0:], call)
	binary.LittleEndian.PutUint32(data[4:], arch)
	for i, a := range args {
		binary.LittleEndian.PutUint64(data[16+8*i:], a)
	}
	var acc uint32
	for pc := 0; pc < len(f); pc++ {
		in := f[pc]
		jump := func(is bool) {
			if is {
				pc += int(in.Jt)
			} else {
				pc += int(in.Jf)
			}
		}
		switch in.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			acc = binary.LittleEndian.Uint32(data[in.K:])
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			acc &= in.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			jump(acc == in.K)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			jump(acc >= in.K)
		case unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K:
			jump(acc > in.K)
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			jump(acc&in.K != 0)
		case unix.BPF_RET | unix.BPF_K:
			return in.K
		default:
			t.Fatalf("instruction %d has the code %#x", pc, in.Code)
		}
	}
	t.Fatal("the filter runs off its end")
	return 0
}

func TestTheFilterAnswersEachCall(t *testing.T) {
	const (
		let  = unix.SECCOMP_RET_ALLOW
		kill = unix.SECCOMP_RET_KILL_PROCESS
	)
	for name, c := range map[string]struct {
		net, meta bool
		arch      uint32
		call      uint32
		args      []uint64
		want      uint32
	}{
		"a 32-bit call":                         {call: unix.SYS_READ, arch: unix.AUDIT_ARCH_I386, want: kill},
		"a 32-bit ARM call":                     {call: unix.SYS_READ, arch: unix.AUDIT_ARCH_ARM, want: kill},
		"read":                                  {call: unix.SYS_READ, want: let},
		"execve":                                {call: unix.SYS_EXECVE, want: let},
		"seccomp itself":                        {call: unix.SYS_SECCOMP, want: let},
		"the newest call known":                 {call: newest, meta: true, want: let},
		"a call of tomorrow":                    {call: newest + 1, want: answerENOSYS},
		"io_uring":                              {call: unix.SYS_IO_URING_SETUP, want: answerEPERM},
		"io_uring with network":                 {call: unix.SYS_IO_URING_SETUP, net: true, want: answerEPERM},
		"ptrace":                                {call: unix.SYS_PTRACE, want: answerEPERM},
		"clone3":                                {call: unix.SYS_CLONE3, want: answerENOSYS},
		"a thread":                              {call: unix.SYS_CLONE, args: []uint64{unix.CLONE_VM | unix.CLONE_THREAD}, want: let},
		"a fork":                                {call: unix.SYS_CLONE, args: []uint64{uint64(unix.SIGCHLD)}, want: let},
		"a user namespace":                      {call: unix.SYS_CLONE, args: []uint64{unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)}, want: answerEPERM},
		"a mount namespace":                     {call: unix.SYS_CLONE, args: []uint64{unix.CLONE_NEWNS}, want: answerEPERM},
		"a network namespace":                   {call: unix.SYS_CLONE, args: []uint64{unix.CLONE_NEWNET}, want: answerEPERM},
		"typing into a terminal":                {call: unix.SYS_IOCTL, args: []uint64{0, unix.TIOCSTI}, want: answerEPERM},
		"the same with upper bits":              {call: unix.SYS_IOCTL, args: []uint64{0, 1<<32 | unix.TIOCSTI}, want: answerEPERM},
		"another ioctl":                         {call: unix.SYS_IOCTL, args: []uint64{0, unix.TCGETS}, want: let},
		"a pair":                                {call: unix.SYS_SOCKETPAIR, args: []uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, want: let},
		"a pair for datagrams":                  {call: unix.SYS_SOCKETPAIR, args: []uint64{unix.AF_UNIX, unix.SOCK_DGRAM}, want: answerEPERM},
		"a raw pair, which is one":              {call: unix.SYS_SOCKETPAIR, args: []uint64{unix.AF_UNIX, unix.SOCK_RAW | unix.SOCK_NONBLOCK}, want: answerEPERM},
		"its own limits":                        {call: unix.SYS_PRLIMIT64, args: []uint64{0, 1, 2}, want: let},
		"the limits of another":                 {call: unix.SYS_PRLIMIT64, args: []uint64{1234}, want: answerEPERM},
		"its own priority":                      {call: unix.SYS_SETPRIORITY, args: []uint64{0, 0, 5}, want: let},
		"the priority of all of yours":          {call: unix.SYS_SETPRIORITY, args: []uint64{2, 1000, 19}, want: answerEPERM},
		"attributes of a descriptor":            {call: unix.SYS_FSETXATTR, want: answerEPERM},
		"a pair of another family":              {call: unix.SYS_SOCKETPAIR, args: []uint64{unix.AF_INET}, want: answerEPERM},
		"TCP":                                   {call: unix.SYS_SOCKET, args: []uint64{unix.AF_INET, unix.SOCK_STREAM}, want: answerEPERM},
		"unix":                                  {call: unix.SYS_SOCKET, args: []uint64{unix.AF_UNIX, unix.SOCK_STREAM}, want: answerEPERM},
		"unix with network":                     {net: true, call: unix.SYS_SOCKET, args: []uint64{unix.AF_UNIX, unix.SOCK_STREAM}, want: answerEPERM},
		"TCP with network":                      {net: true, call: unix.SYS_SOCKET, args: []uint64{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_CLOEXEC, unix.IPPROTO_TCP}, want: let},
		"UDP with network":                      {net: true, call: unix.SYS_SOCKET, args: []uint64{unix.AF_INET6, unix.SOCK_DGRAM | unix.SOCK_NONBLOCK}, want: let},
		"Multipath TCP":                         {net: true, call: unix.SYS_SOCKET, args: []uint64{unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP}, want: answerEPERM},
		"SCTP":                                  {net: true, call: unix.SYS_SOCKET, args: []uint64{unix.AF_INET6, unix.SOCK_SEQPACKET}, want: answerEPERM},
		"raw":                                   {net: true, call: unix.SYS_SOCKET, args: []uint64{unix.AF_INET, unix.SOCK_RAW | unix.SOCK_CLOEXEC, unix.IPPROTO_UDP}, want: answerEPERM},
		"vsock":                                 {net: true, call: unix.SYS_SOCKET, args: []uint64{unix.AF_VSOCK, unix.SOCK_STREAM}, want: answerEPERM},
		"routes":                                {net: true, call: unix.SYS_SOCKET, args: []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, want: let},
		"routes without network":                {call: unix.SYS_SOCKET, args: []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, want: answerEPERM},
		"another netlink":                       {net: true, call: unix.SYS_SOCKET, args: []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT}, want: answerEPERM},
		"times of a descriptor":                 {call: unix.SYS_UTIMENSAT, args: []uint64{3, 0}, want: answerDone},
		"times by name":                         {call: unix.SYS_UTIMENSAT, args: []uint64{3, 0x7fff0000}, want: answerEPERM},
		"times by a name high up":               {call: unix.SYS_UTIMENSAT, args: []uint64{3, 0x7fff00000000}, want: answerEPERM},
		"times by name, package manager":        {meta: true, call: unix.SYS_UTIMENSAT, args: []uint64{3, 0x7fff0000}, want: let},
		"mode by name":                          {call: unix.SYS_FCHMODAT, want: answerEPERM},
		"mode by name, package manager":         {meta: true, call: unix.SYS_FCHMODAT, want: let},
		"mode of a descriptor":                  {call: unix.SYS_FCHMOD, want: answerDone},
		"mode of a descriptor, package manager": {meta: true, call: unix.SYS_FCHMOD, want: let},
	} {
		if c.arch == 0 {
			c.arch = auditArch
		}
		if got := run(t, filter(policy{net: c.net, pathMeta: c.meta}), c.arch, c.call, c.args...); got != c.want {
			t.Errorf("%s: %#x, want %#x", name, got, c.want)
		}
	}
	if otherABI != 0 {
		if got := run(t, filter(policy{net: true, pathMeta: true}), auditArch, otherABI|unix.SYS_READ); got != kill {
			t.Errorf("an x32 call: %#x", got)
		}
	}
}

// FuzzFilter holds that every call is answered, and that no call opens a unix socket or makes a namespace.
func FuzzFilter(f *testing.F) {
	f.Add(uint32(auditArch), uint32(unix.SYS_SOCKET), uint64(1), uint64(1), uint64(0), true, true)
	f.Add(uint32(auditArch), uint32(unix.SYS_CLONE), uint64(unix.CLONE_NEWUSER), uint64(0), uint64(0), false, false)
	f.Fuzz(func(t *testing.T, arch, call uint32, a, b, c uint64, net, meta bool) {
		answer := run(t, filter(policy{net: net, pathMeta: meta}), arch, call, a, b, c)
		let := answer == unix.SECCOMP_RET_ALLOW
		if let && (arch != auditArch || call > newest) {
			t.Errorf("architecture %#x, call %d is let", arch, call)
		}
		if let && call == unix.SYS_SOCKET && (!net || uint32(a) == unix.AF_UNIX) {
			t.Errorf("socket(%d, %d, %d) is let", a, b, c)
		}
		if let && call == unix.SYS_CLONE && a&unix.CLONE_NEWUSER != 0 {
			t.Errorf("clone(%#x) is let", a)
		}
	})
}
