//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// The rights of files that each version knows, and those that a file which is no folder can have.
const (
	readRights  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	filesRights = readRights | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	writeRights = filesRights | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	ofOneFile   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE
)

// ofProc are the files of /proc that runtimes read: about themselves and the machine, not about other processes.
var ofProc = []string{"/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime", "/proc/version",
	"/proc/filesystems", "/proc/sys/kernel/osrelease", "/proc/sys/kernel/ostype", "/proc/sys/kernel/random", "/proc/sys/kernel/pid_max",
	"/proc/sys/vm/overcommit_memory", "/proc/sys/vm/max_map_count", "/proc/sys/net/core/somaxconn", "/dev/random", "/dev/urandom"}

// devices are the ones that keep nothing of what is written.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full"}

// landlockABI is the version of Landlock's interface, 0 where the kernel has none or it is turned off.
func landlockABI() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

func landlockUsable() error {
	if landlockABI() < abiFiles {
		return refuse("a kernel from 5.13 on has it, where it is turned on; else install bubblewrap", "this kernel has no Landlock")
	}
	return nil
}

func landlockPlan(_ context.Context, s Spec, env []string) (*Plan, error) {
	n, err := s.needs(env)
	if err != nil {
		return nil, err
	}
	base, err := os.MkdirTemp("", "mcpassay-")
	if err != nil {
		return nil, fmt.Errorf("private folders: %w", err)
	}
	home, tmp, work := filepath.Join(base, "home"), filepath.Join(base, "tmp"), filepath.Join(base, "work")
	for _, dir := range []string{home, tmp, work} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, errors.Join(fmt.Errorf("private folders: %w", err), proc.RemoveTree(base))
		}
	}
	p := policy{read: existing(system, n.read), write: append(list{base}, n.write...), net: s.AllowNet, pathMeta: s.pathMeta, deaf: true, lasting: s.Lasting, ports: n.ports}
	if s.AllowNet || s.Profile.connects() {
		p.read = append(p.read, existing(network)...)
	}
	if s.writable != "" {
		p.write = append(p.write, s.writable)
	}
	dir := s.Dir
	if dir == "" {
		dir = work
	}
	plan := &Plan{
		Command: supervised(p.stage("confine", proc.Command{Path: n.path, Argv: s.Argv, Env: private(n.env, home, tmp), Dir: dir}), false, s.Limits.ChildKill),
		Cleanup: func() error { return proc.RemoveTree(base) },
	}
	plan.Enforced, plan.NotEnforced = landlockWords(landlockABI(), os.Geteuid() == 0, s)
	return plan, nil
}

// landlockWords say what a version of Landlock and the filter keep.
func landlockWords(abi int, root bool, s Spec) (enforced, not []string) {
	enforced = append(confined(s), ended)
	not = append(unbounded(root), "names: it can learn whether a file exists, how large it is and when it changed",
		"processors: it can move your other processes from one to another")
	if abi < abiTruncate {
		not = append(not, "files: those that you can write to can be emptied (Landlock keeps that from Linux 6.2 on)")
	}
	if abi < abiScopes {
		not = append(not, "signals: it can end other processes of yours, its supervisor too (Landlock keeps that from Linux 6.12 on)")
	}
	if s.AllowNet {
		not = append(not, anywhere)
		enforced = append(enforced, "network: it can not listen on TCP ports")
	}
	return enforced, not
}

// unbounded are what neither landlock nor bubblewrap bounds.
func unbounded(root bool) []string {
	all := []string{"memory (a limit on it stops Node)"}
	if root {
		all = append(all, "the number of processes (root has no such limit)")
	}
	return all
}

// confine restricts this process and becomes the server. It comes back only with an error.
func confine(p policy, path string, argv []string) error {
	// Landlock and the filter are of this thread, which is the one that becomes the server.
	runtime.LockOSThread()
	if err := dropPrivileges(); err != nil {
		return err
	}
	if err := limitResources(p.lasting); err != nil {
		return err
	}
	if err := landlock(p, true); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	if err := install(filter(p)); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return fmt.Errorf("start %s in the sandbox: %w", path, syscall.Exec(path, argv, unwrapped(os.Environ())))
}

// dropPrivileges makes sure that nothing that is started can gain a privilege, and that root has none.
func dropPrivileges() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	for c := uintptr(0); unix.Prctl(unix.PR_CAPBSET_READ, c, 0, 0, 0) == nil; c++ {
		// Only root may; whoever may not has none to lose on exec.
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && os.Geteuid() == 0 && !errors.Is(err, unix.EPERM) {
			return fmt.Errorf("capability %d: %w", c, err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("ambient capabilities: %w", err)
	}
	none := [2]unix.CapUserData{}
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	unix.Umask(0o077)
	return nil
}

// limitResources bounds what a server takes. There is no bound of its address space: Node can not start under one.
func limitResources(lasting bool) error {
	lim := limits.Default
	bounds := map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: uint64(lim.SandboxFile),
		unix.RLIMIT_NPROC: uint64(processes() + lim.SandboxProcesses)}
	if !lasting {
		bounds[unix.RLIMIT_CPU] = uint64(lim.SandboxCPU.Seconds())
	}
	for what, most := range bounds {
		var now unix.Rlimit
		if err := unix.Getrlimit(what, &now); err != nil {
			return err
		}
		most = min(most, now.Max)
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit %d: %w", what, err)
		}
	}
	return nil
}

// processes is how many processes and threads the machine has. The limit counts all of a user's, so that of a server is
// on top of them; the count of the whole machine is at hand and no less.
func processes() int {
	b, _ := os.ReadFile("/proc/loadavg") // "0.20 0.18 0.12 1/80 11206"
	if fields := strings.Fields(string(b)); len(fields) > 3 {
		_, all, _ := strings.Cut(fields[3], "/")
		n, _ := strconv.Atoi(all)
		return n
	}
	return 0
}

// landlock restricts this thread to a policy, as far as the kernel's version can: to its ports alone where files are another's.
func landlock(p policy, files bool) error {
	abi := landlockABI()
	if abi < abiFiles {
		return errors.New("this kernel has none")
	}
	var attr unix.LandlockRulesetAttr
	if files {
		attr.Access_fs = filesRights
		if abi >= abiRefer {
			attr.Access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
		}
		if abi >= abiTruncate {
			attr.Access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
		}
		if abi >= abiDevices {
			attr.Access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
		}
		if abi >= abiScopes {
			attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		}
	}
	if abi >= abiTCP {
		attr.Access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP
		if !p.net {
			attr.Access_net |= unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		}
	} else if len(p.ports) > 0 {
		return errPorts
	}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), sizeOf(abi), 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(ruleset))
	if files {
		for _, rule := range []struct {
			paths  []string
			rights uint64
		}{
			{p.read, readRights}, {ofProc, readRights}, {p.write, writeRights},
			{devices, unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE},
		} {
			for _, path := range rule.paths {
				if err := allow(int(ruleset), path, rule.rights&attr.Access_fs); err != nil {
					return err
				}
			}
		}
	}
	for _, text := range p.ports {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil {
			return fmt.Errorf("port: %w", err)
		}
		rule := netPort{unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, port}
		if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, ruleNetPort, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
			return fmt.Errorf("port %d: %w", port, errno)
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// ruleNetPort is LANDLOCK_RULE_NET_PORT, and netPort struct landlock_net_port_attr, of linux/landlock.h.
const ruleNetPort = 2

type netPort struct{ allowed, port uint64 }

// errPorts is why a server can not be kept to ports.
var errPorts = errors.New("this kernel keeps nobody to TCP ports (Landlock does from Linux 6.7 on)")

// portsUsable says why a server can not be kept to ports here, nil if it can.
func portsUsable(s Spec) error {
	if landlockABI() < abiTCP {
		return refuse("--allow-net for the whole network, or none", "%s", errPorts)
	}
	if s.Executor == Bubblewrap {
		path, err := bwrap(s)
		if err != nil {
			return err
		}
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSetuid != 0 {
			return refuse("--executor landlock", "this bubblewrap runs as root, and can not under what keeps the ports")
		}
	}
	return nil
}

// sizeOf is how much of the attributes a version knows: one that knows less refuses more.
func sizeOf(abi int) uintptr {
	var attr unix.LandlockRulesetAttr
	switch {
	case abi < abiTCP:
		return unsafe.Offsetof(attr.Access_net)
	case abi < abiScopes:
		return unsafe.Offsetof(attr.Scoped)
	}
	return unsafe.Sizeof(attr)
}

// allow adds the rights to all below a path. What is not there needs none.
func allow(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= ofOneFile
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("%s: %w", path, errno)
	}
	return nil
}
