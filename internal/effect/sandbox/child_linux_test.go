package sandbox

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
)

// The test binary is the sandbox's own stages, and the server in it: what it does as one is named by its arguments.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case Word:
			os.Exit(Child(os.Args[2:]))
		case "child":
			child(os.Args[2], os.Args[3:])
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// deeds are what a server may try. Each gives nil when it was let.
var deeds = map[string]func(arg string) error{
	"nothing": func(string) error { return nil },
	"write":   func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
	"read":    func(path string) error { _, err := os.ReadFile(path); return err },
	"list":    func(path string) error { _, err := os.ReadDir(path); return err },
	"remove":  os.Remove,
	"chmod":   func(path string) error { return os.Chmod(path, 0o666) },
	"touch":   func(path string) error { return os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)) },
	"trunc":   func(path string) error { return os.Truncate(path, 0) },
	"xattr":   func(path string) error { return unix.Setxattr(path, "user.x", []byte("y"), 0) },
	"link":    func(path string) error { return os.Link(path, filepath.Join(os.TempDir(), "linked")) },
	"rename":  func(path string) error { return os.Rename(path, filepath.Join(os.TempDir(), "moved")) },
	"run":     func(path string) error { return exec.Command(path).Run() },
	"fchmod": func(path string) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		before, _ := f.Stat()
		if err := f.Chmod(before.Mode() ^ 0o077); err != nil {
			return err
		}
		if after, _ := f.Stat(); after.Mode() == before.Mode() {
			return fmt.Errorf("nothing changed")
		}
		return nil
	},
	"datagram": func(path string) error { // an end of a pair that sends elsewhere
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fds[0], []byte("x"), 0, &unix.SockaddrUnix{Name: path})
	},
	"limits": func(pid string) error {
		n, _ := strconv.Atoi(pid)
		var old unix.Rlimit
		if err := unix.Prlimit(n, unix.RLIMIT_CORE, nil, &old); err != nil {
			return err
		}
		return unix.Prlimit(n, unix.RLIMIT_CORE, &old, nil)
	},
	"priority": func(pid string) error { n, _ := strconv.Atoi(pid); return unix.Setpriority(unix.PRIO_PROCESS, n, 0) },
	"chmod-own": func(string) error { // by descriptor, in a file of its own
		f, err := os.Create(filepath.Join(os.TempDir(), "own"))
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Chmod(0o644)
	},
	"tcp":  func(addr string) error { return dial("tcp", addr) },
	"udp":  func(addr string) error { return dial("udp", addr) },
	"unix": func(addr string) error { return dial("unix", addr) },
	"listen": func(string) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err == nil {
			l.Close()
		}
		return err
	},
	"listen-unbound": func(string) error { // the kernel gives it a port
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.Listen(fd, 1)
	},
	"fastopen": func(addr string) error { // connects by sending
		to, err := netip.ParseAddrPort(addr)
		if err != nil {
			return err
		}
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()})
	},
	"ptrace": func(pid string) error {
		n, _ := strconv.Atoi(pid)
		err := unix.PtraceAttach(n)
		if err == nil {
			_ = unix.PtraceDetach(n)
		}
		return err
	},
	"descriptors": func(string) error { // it has some beside its three
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return err
		}
		for _, e := range entries {
			to, err := os.Readlink("/proc/self/fd/" + e.Name())
			if n, _ := strconv.Atoi(e.Name()); n > 2 && err == nil && !strings.HasPrefix(to, "anon_inode:") && !strings.HasPrefix(to, "/proc/") {
				return nil
			}
		}
		return fmt.Errorf("none")
	},
	"link-in": func(path string) error { return os.Link(path, filepath.Join(os.Getenv("ROOM"), "linked")) },
	"symlink-in": func(path string) error {
		link := filepath.Join(os.Getenv("ROOM"), "soft")
		_ = os.Remove(link)
		if err := os.Symlink(path, link); err != nil {
			return err
		}
		_, err := os.ReadFile(link)
		return err
	},
	"move-in":  func(path string) error { return os.Rename(path, filepath.Join(os.Getenv("ROOM"), "moved")) },
	"move-out": func(path string) error { return os.Rename(filepath.Join(os.Getenv("ROOM"), "own"), path) },
	"bind":     func(path string) error { return unix.Mount(path, os.Getenv("ROOM"), "", unix.MS_BIND, "") },
	"netlink":  func(string) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE) },
	"audit":    func(string) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT) },
	"mptcp":    func(string) error { return socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP) },
	"raw":      func(string) error { return socket(unix.AF_INET6, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.IPPROTO_UDP) },
	"packet":   func(string) error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) },
	"alg":      func(string) error { return socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0) },
	"pair": func(string) error {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err == nil {
			unix.Close(fds[0])
			unix.Close(fds[1])
		}
		return err
	},
	"signal":     func(pid string) error { n, _ := strconv.Atoi(pid); return unix.Kill(n, 0) },
	"supervisor": func(string) error { return unix.Kill(os.Getppid(), 0) },
	"uring": func(string) error {
		params := make([]byte, 120)
		fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params[0])), 0)
		if errno != 0 {
			return errno
		}
		return unix.Close(int(fd))
	},
	"memory": func(pid string) error {
		n, _ := strconv.Atoi(pid)
		_, err := unix.ProcessVMReadv(n, []unix.Iovec{{}}, []unix.RemoteIovec{{}}, 0)
		return err
	},
	"namespace": func(string) error {
		cmd := exec.Command("/proc/self/exe", "child", "do", "nothing", "")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}
		return cmd.Run()
	},
	"unshare":  func(string) error { return unix.Unshare(unix.CLONE_NEWUTS) },
	"mount":    func(string) error { return unix.Mount("x", os.TempDir(), "tmpfs", 0, "") },
	"hostname": func(string) error { return unix.Sethostname([]byte("x")) },
	"keyring":  func(string) error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true); return err },
	"shm": func(string) error {
		_, _, errno := unix.Syscall(unix.SYS_SHMGET, 0, 4096, unix.IPC_CREAT|0o600)
		if errno != 0 {
			return errno
		}
		return nil
	},
	"new-privs": func(string) error {
		if n, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); n != 1 || err != nil {
			return nil // it could gain some
		}
		return fmt.Errorf("no_new_privs is set")
	},
	"capability": func(string) error {
		b, _ := os.ReadFile("/proc/self/status")
		bounded := os.Geteuid() != 0 || strings.Contains(string(b), "CapBnd:\t0000000000000000") // only root can bound what is to come
		if !strings.Contains(string(b), "CapEff:\t0000000000000000") || !bounded {
			return nil // it has one
		}
		return fmt.Errorf("none")
	},
	"deep": func(levels string) error { // folders in folders, their path longer than any call takes
		n, _ := strconv.Atoi(levels)
		if err := os.Chdir(os.Getenv("TMPDIR")); err != nil {
			return err
		}
		for range n {
			if err := os.Mkdir("deeper-and-deeper", 0o700); err != nil {
				return err
			}
			if err := os.Chdir("deeper-and-deeper"); err != nil {
				return err
			}
		}
		return os.Mkdir("closed", 0)
	},
	"home": func(string) error { return os.WriteFile(filepath.Join(os.Getenv("HOME"), "own"), nil, 0o600) },
	"tmp":  func(string) error { return os.WriteFile(filepath.Join(os.Getenv("TMPDIR"), "own"), nil, 0o600) },
	"here": func(string) error { return os.WriteFile("own", nil, 0o600) },
	"large": func(size string) error {
		signal.Ignore(syscall.SIGXFSZ)
		n, _ := strconv.ParseInt(size, 10, 64)
		f, err := os.Create(filepath.Join(os.Getenv("TMPDIR"), "large"))
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Truncate(n)
	},
}

func dial(network, addr string) error {
	c, err := net.DialTimeout(network, addr, time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Write([]byte("x"))
	return err
}

func socket(domain, kind, protocol int) error {
	fd, err := unix.Socket(domain, kind, protocol)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

// child answers each line "deed argument" with "let" or the error, or does one of the tricks.
func child(what string, args []string) {
	again := func(attr *syscall.SysProcAttr, args ...string) {
		cmd := exec.Command("/proc/self/exe", append([]string{"child"}, args...)...)
		cmd.SysProcAttr = attr
		if err := cmd.Start(); err != nil {
			panic(err)
		}
	}
	switch what {
	case "do":
		if err := deeds[args[0]](args[1]); err != nil {
			os.Exit(1)
		}
	case "serve":
		var deed, arg string
		for {
			if n, _ := fmt.Scanln(&deed, &arg); n < 2 {
				return
			}
			if err := deeds[deed](arg); err != nil {
				fmt.Println("no:", err)
			} else {
				fmt.Println("let")
			}
		}
	case "env":
		fmt.Println(strings.Join(os.Environ(), "|"))
	case "family": // args: a mark that names all of them. A child, one that left the session, and an orphan that did.
		signal.Ignore(syscall.SIGTERM)
		again(nil, "wait", args[0])
		again(&syscall.SysProcAttr{Setsid: true}, "wait", args[0])
		again(&syscall.SysProcAttr{Setsid: true}, "leave", args[0])
		time.Sleep(200 * time.Millisecond) // for the orphan to be one
		fmt.Println("ready")
		if len(args) > 1 {
			return
		}
		time.Sleep(time.Minute)
	case "leave":
		again(&syscall.SysProcAttr{Setsid: true}, "wait", args[0])
	case "wait":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Minute)
	case "polite": // ends at SIGTERM, with a code that tells
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		fmt.Println("ready")
		<-c
		os.Exit(42)
	case "die":
		_ = unix.Kill(os.Getpid(), unix.SIGKILL)
		time.Sleep(time.Minute)
	case "us": // a program like ours, that is then killed
		s := Spec{Executor: Backend(args[0]), Argv: []string{os.Args[0], "child", "family", args[1]}, Parent: os.Environ(), Limits: quick()}
		p, err := New(context.Background(), s)
		if err != nil {
			panic(err)
		}
		c, err := proc.Start(context.Background(), p.Command, quick())
		if err != nil {
			panic(err)
		}
		l, err := c.ReadLine(context.Background())
		fmt.Println(string(l), err, string(c.Stderr()))
		time.Sleep(time.Minute)
	}
}
