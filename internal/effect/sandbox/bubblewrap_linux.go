//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// The private folders of a server under bubblewrap, all in a small file system in memory.
const (
	wrapTmp  = "/tmp"
	wrapHome = "/tmp/home"
	wrapWork = "/tmp/work"
)

// bwrap is where bubblewrap is. It is looked for on our own PATH: the server's may be a stranger's.
func bwrap(s Spec) (string, error) {
	path, err := proc.Look("bwrap", s.Parent, "")
	if err != nil {
		return "", refuse("apt-get install bubblewrap", "bubblewrap is not installed")
	}
	return path, nil
}

// probes are what was found out about a bwrap in this run, by its path.
var probes sync.Map

// bubblewrapUsable tries bubblewrap: that it is installed says nothing of whether this kernel lets it make namespaces.
func bubblewrapUsable(ctx context.Context, s Spec) error {
	path, err := bwrap(s)
	if err != nil {
		return err
	}
	probe, _ := probes.LoadOrStore(path, sync.OnceValue(func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Limits.SandboxProbe)
		defer cancel()
		// What runs inside is bwrap again, which only says its version.
		argv := []string{"bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", path, "--version"}
		exit, stderr, err := proc.Run(ctx, proc.Command{Path: path, Argv: argv, Env: []string{}}, s.Limits)
		if err == nil && exit.Code != 0 {
			err = refuse("the system may forbid user namespaces (sysctl kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)",
				"bubblewrap does not work here: %.200s", strings.TrimSpace(string(stderr)))
		}
		return err
	}))
	return probe.(func() error)()
}

func bubblewrapPlan(_ context.Context, s Spec, env []string) (*Plan, error) {
	program, err := bwrap(s)
	if err != nil {
		return nil, err
	}
	n, err := s.needs(env)
	if err != nil {
		return nil, err
	}
	// A package runner that downloads marks its lock by name (npx: "Lock compromised" where it can not). What is not the
	// server's own is mounted read-only, so that marks on it fail all the same.
	marks := s.pathMeta || s.AllowNet && Downloads(s.Argv) != ""
	p := policy{read: existing(system, n.read), write: n.write, net: s.AllowNet, pathMeta: marks, dir: s.Dir, program: program, lasting: s.Lasting, ports: n.ports}
	if s.AllowNet || s.Profile.connects() {
		p.read = append(p.read, existing(network)...)
	}
	if s.writable != "" {
		p.write = append(p.write, s.writable)
	}
	if p.dir == "" {
		p.dir = wrapWork
	} else if p.dir, err = filepath.Abs(p.dir); err != nil {
		return nil, err
	} else if s.Profile != nil && !hidden(p.dir, slices.Concat(p.read, p.write)) {
		p.empty = append(p.empty, p.dir) // it stands there, and is not shown
	}
	// A folder that is an argument is there, and empty: a server that only looks whether it exists goes on.
	for _, a := range s.Argv[1:] {
		if filepath.IsAbs(a) && filepath.Clean(a) == a {
			if info, err := os.Stat(a); err == nil && info.IsDir() && !hidden(a, slices.Concat(p.read, p.write)) {
				p.empty = append(p.empty, a)
			}
		}
	}
	plan := &Plan{
		Command:     supervised(p.stage("bubblewrap", proc.Command{Path: n.path, Argv: s.Argv, Env: private(n.env, wrapHome, wrapTmp)}), true, s.Limits.ChildKill),
		Enforced:    append(confined(s), ended, "names: it sees no file but those, no other process and no other user"),
		NotEnforced: unbounded(os.Geteuid() == 0),
	}
	if s.AllowNet {
		plan.NotEnforced = append(plan.NotEnforced, anywhere)
	}
	return plan, nil
}

// hidden says whether an empty folder at path would lie in or over what is shown.
func hidden(path string, shown []string) bool {
	for _, top := range append([]string{"/proc", "/dev"}, shown...) {
		if within(path, top) || within(top, path) {
			return true
		}
	}
	return false
}

// wrap becomes bubblewrap with the server inside. It comes back only with an error. What bubblewrap is told, with the
// server's environment, goes through a file in memory: a command line can be read by every user of the machine. And
// bubblewrap itself runs without that environment, which may hold a stranger's LD_PRELOAD.
func wrap(p policy, path string, argv []string) error {
	runtime.LockOSThread()
	if err := limitResources(p.lasting); err != nil {
		return err
	}
	if len(p.ports) > 0 { // bubblewrap has no say over ports, and what Landlock keeps of them stays over it
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("no_new_privs: %w", err)
		}
		if err := landlock(policy{ports: p.ports}, false); err != nil {
			return fmt.Errorf("landlock: %w", err)
		}
	}
	told := bwrapArgs(p, unwrapped(os.Environ()))
	filterFD, err := memory("filter", encode(filter(p)))
	if err != nil {
		return err
	}
	told = append(told, "--seccomp", strconv.Itoa(filterFD))
	toldFD, err := memory("arguments", []byte(strings.Join(told, "\x00")+"\x00"))
	if err != nil {
		return err
	}
	line := append([]string{"bwrap", "--args", strconv.Itoa(toldFD), "--", path}, argv[1:]...)
	return fmt.Errorf("start bubblewrap: %w", syscall.Exec(p.program, line, []string{}))
}

// bwrapArgs are bubblewrap's arguments but the filter and the command.
func bwrapArgs(p policy, env []string) []string {
	args := []string{"--unshare-all"}
	if p.net || len(p.ports) > 0 {
		args = append(args, "--share-net")
	}
	args = append(args, "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv", "--proc", "/proc", "--dev", "/dev",
		"--size", strconv.Itoa(limits.Default.SandboxTmp), "--tmpfs", wrapTmp, "--dir", wrapHome, "--dir", wrapWork)
	for _, path := range p.empty {
		args = append(args, "--dir", path)
	}
	for _, path := range p.read {
		args = append(args, "--ro-bind", path, path)
	}
	for _, path := range p.write {
		args = append(args, "--bind", path, path)
	}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		args = append(args, "--setenv", name, value)
	}
	return append(args, "--chdir", p.dir, "--remount-ro", "/")
}

// memory gives a descriptor, kept over exec, from which b can be read.
func memory(name string, b []byte) (int, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return 0, fmt.Errorf("file in memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	_, err = f.Write(b)
	if err == nil {
		_, err = f.Seek(0, 0)
	}
	kept := 0
	if err == nil {
		kept, err = unix.Dup(fd)
	}
	if err != nil {
		return 0, fmt.Errorf("file in memory: %w", err)
	}
	return kept, nil
}

// encode gives a filter as bubblewrap reads it: struct sock_filter after struct sock_filter.
func encode(f []unix.SockFilter) []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.NativeEndian, f) // a Buffer takes all
	return b.Bytes()
}
