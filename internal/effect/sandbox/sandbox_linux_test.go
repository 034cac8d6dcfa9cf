package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// need skips a test whose backend this machine lacks; CI, which has all, fails.
func need(t *testing.T, b Backend) {
	t.Helper()
	if err := usable(t.Context(), b, Spec{Parent: os.Environ(), Limits: limits.Default}); err != nil {
		lacking(t, "%v (apt-get install bubblewrap, or a kernel with Landlock)", err)
	}
}

func lacking(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("MCPASSAY_CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// quick are limits that tests can wait for.
func quick() limits.Set {
	l := limits.Default
	l.ChildGrace, l.ChildKill = 100*time.Millisecond, 300*time.Millisecond
	return l
}

// world is a place with things that a server must not touch.
type world struct {
	home, secret, project, socket string
	tcp, udp, abstract, datagrams string
}

func newWorld(t *testing.T) world {
	t.Helper()
	root := t.TempDir()
	w := world{home: filepath.Join(root, "home"), project: filepath.Join(root, "project"), socket: filepath.Join(root, "s")}
	w.secret = filepath.Join(w.home, ".ssh", "id_rsa")
	for _, d := range []string{filepath.Dir(w.secret), w.project} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{w.secret, filepath.Join(w.project, "code"), filepath.Join(root, "beside")} {
		if err := os.WriteFile(f, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	path, err := net.Listen("unix", w.socket)
	if err != nil {
		t.Fatal(err)
	}
	w.abstract = fmt.Sprintf("@mcpassay-test-%d", os.Getpid())
	abstract, err := net.Listen("unix", w.abstract)
	if err != nil {
		t.Fatal(err)
	}
	w.datagrams = filepath.Join(root, "d")
	datagrams, err := net.ListenPacket("unixgram", w.datagrams)
	if err != nil {
		t.Fatal(err)
	}
	w.tcp, w.udp = tcp.Addr().String(), udp.LocalAddr().String()
	t.Cleanup(func() { tcp.Close(); udp.Close(); path.Close(); abstract.Close(); datagrams.Close() })
	return w
}

// server starts the test binary as a server that does deeds.
func (w world) server(t *testing.T, s Spec, args ...string) *proc.Child {
	t.Helper()
	if len(args) == 0 {
		args = []string{"serve"}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.Argv, s.Limits = append([]string{exe, "child"}, args...), quick()
	if s.Parent == nil {
		s.Parent = append(os.Environ(), "HOME="+w.home, "TMPDIR="+filepath.Dir(w.home))
	}
	return start(t, s)
}

func start(t *testing.T, s Spec) *proc.Child {
	t.Helper()
	p, err := New(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	c, err := proc.Start(t.Context(), p.Command, s.Limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := p.Cleanup(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func next(t *testing.T, c *proc.Child) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	l, err := c.ReadLine(ctx)
	if err != nil {
		exit, _ := c.Exit()
		t.Fatalf("%v, %+v; stderr: %s", err, exit, c.Stderr())
	}
	return string(l)
}

func ask(t *testing.T, c *proc.Child, deed, arg string) string {
	t.Helper()
	if deeds[deed] == nil {
		t.Fatalf("no deed %q", deed)
	}
	if err := c.WriteLine([]byte(deed + " " + arg)); err != nil {
		t.Fatal(err)
	}
	return next(t, c)
}

func TestAServerReachesNothingOfYours(t *testing.T) {
	for _, b := range []Backend{Landlock, Bubblewrap, Host} {
		t.Run(string(b), func(t *testing.T) {
			need(t, b)
			w := newWorld(t)
			us := strconv.Itoa(os.Getpid())
			code := filepath.Join(w.project, "code")
			c := w.server(t, Spec{Executor: b, Dir: w.project})
			for _, d := range []struct {
				deed, arg string
				host      bool // whether a server without bounds is let, so that the test can fail
			}{
				{"read", w.secret, true}, {"list", w.home, true}, {"list", filepath.Dir(w.home), true}, {"read", "/etc/shadow", os.Geteuid() == 0},
				{"chmod", w.secret, true}, {"touch", w.secret, true}, {"xattr", w.secret, true}, {"link", w.secret, true},
				{"write", code, true}, {"write", filepath.Join(w.project, "new"), true}, {"chmod", code, true},
				{"touch", code, true}, {"trunc", code, true}, {"fchmod", code, true}, {"fchmod", "/usr/bin/env", os.Geteuid() == 0},
				{"read", "/proc/self/root" + w.secret, true}, {"datagram", w.datagrams, true}, {"limits", us, true},
				{"priority", us, true}, {"write", filepath.Join(w.home, "new"), true},
				{"write", "/usr/mcpassay-test", os.Geteuid() == 0}, {"read", "/proc/" + us + "/environ", true},
				{"read", "/proc/" + us + "/cmdline", true}, {"list", "/proc/" + us + "/fd", true},
				{"tcp", w.tcp, true}, {"udp", w.udp, true}, {"unix", w.socket, true}, {"unix", w.abstract, true},
				{"listen", "-", true}, {"netlink", "-", true}, {"packet", "-", os.Geteuid() == 0}, {"alg", "-", true},
				{"signal", us, true}, {"supervisor", "-", true}, {"uring", "-", true}, {"memory", us, os.Geteuid() == 0}, {"namespace", "-", os.Geteuid() == 0},
				{"unshare", "-", os.Geteuid() == 0}, {"keyring", "-", true}, {"shm", "-", true}, {"new-privs", "-", true},
				{"capability", "-", os.Geteuid() == 0}, {"large", "4000000000", true}, {"rename", code, true},
			} {
				if b == Host && strings.HasPrefix(d.arg, "/usr/") {
					continue // the machine's own files are not for trying
				}
				answer := ask(t, c, d.deed, d.arg)
				// Under bubblewrap these are of its own namespaces: its first process, and the way to the workspace.
				if (d.deed == "supervisor" || d.arg == filepath.Dir(w.home)) && b == Bubblewrap {
					continue
				}
				if b == Host && d.host && answer != "let" && d.deed != "alg" {
					t.Errorf("the test proves nothing: %s %s: %s", d.deed, d.arg, answer)
				}
				if b != Host && answer == "let" {
					t.Errorf("%s %s was let", d.deed, d.arg)
				}
			}
			if got, err := os.ReadFile(w.secret); b != Host && string(got) != "secret" {
				t.Errorf("%q %v", got, err)
			}
		})
	}
}

func TestAServerHasWhatItNeeds(t *testing.T) {
	for _, b := range []Backend{Landlock, Bubblewrap} {
		for _, dir := range []bool{true, false} {
			t.Run(fmt.Sprint(b, dir), func(t *testing.T) {
				need(t, b)
				w := newWorld(t)
				s := Spec{Executor: b, Workspace: []string{filepath.Join(w.project, "code")}}
				if dir {
					s.Dir = w.project
				}
				c := w.server(t, s)
				for _, d := range [][2]string{
					{"read", filepath.Join(w.project, "code")}, {"read", "/proc/self/stat"}, {"list", "/proc/self/task"}, {"read", "/proc/meminfo"},
					{"list", "/usr/bin"}, {"read", "/etc/passwd"}, {"write", "/dev/null"}, {"home", "-"}, {"tmp", "-"}, {"pair", "-"},
					{"run", "/bin/true"}, {"chmod-own", "-"}, {"large", "1000000"},
				} {
					if answer := ask(t, c, d[0], d[1]); answer != "let" {
						t.Errorf("%s %s: %s", d[0], d[1], answer)
					}
				}
				if answer := ask(t, c, "here", "-"); (answer == "let") == dir {
					t.Errorf("writes in the working folder: %s", answer)
				}
			})
		}
	}
}

func TestWithTheNetworkOnOnlyInternetSocketsAreThere(t *testing.T) {
	for _, b := range []Backend{Landlock, Bubblewrap} {
		t.Run(string(b), func(t *testing.T) {
			need(t, b)
			w := newWorld(t)
			c := w.server(t, Spec{Executor: b, AllowNet: true})
			for _, d := range [][2]string{{"tcp", w.tcp}, {"udp", w.udp}, {"netlink", "-"}, {"read", "/etc/resolv.conf"}} {
				if answer := ask(t, c, d[0], d[1]); answer != "let" {
					t.Errorf("%s %s: %s", d[0], d[1], answer)
				}
			}
			for _, d := range [][2]string{{"unix", w.socket}, {"unix", w.abstract}, {"packet", "-"}, {"alg", "-"}, {"audit", "-"}, {"mptcp", "-"}, {"raw", "-"}, {"read", w.secret}} {
				if answer := ask(t, c, d[0], d[1]); answer == "let" {
					t.Errorf("%s %s was let", d[0], d[1])
				}
			}
			if answer := ask(t, c, "listen", "-"); b == Landlock && landlockABI() >= abiTCP && answer == "let" {
				t.Error("it listens")
			}
		})
	}
}

// marked lists the processes with a mark among their arguments.
func marked(mark string) (pids []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		if slices.Contains(strings.Split(string(b), "\x00"), mark) {
			pids = append(pids, filepath.Base(filepath.Dir(f))+" "+strings.ReplaceAll(string(b), "\x00", " "))
		}
	}
	return pids
}

func gone(t *testing.T, mark string) {
	t.Helper()
	var left []string
	for range 300 {
		if left = marked(mark); len(left) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("remain: %s", strings.Join(left, "\n"))
}

func TestNoProcessOutlivesItsServer(t *testing.T) {
	for _, b := range []Backend{Landlock, Bubblewrap, Host} {
		for what, args := range map[string][]string{"closed": nil, "by itself": {"leave"}, "cancelled": nil, "supervisor killed": nil} {
			t.Run(string(b)+" "+what, func(t *testing.T) {
				need(t, b)
				mark := fmt.Sprintf("mark-%d-%s", os.Getpid(), t.Name())
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				exe, _ := os.Executable()
				s := Spec{Executor: b, Argv: append([]string{exe, "child", "family", mark}, args...), Parent: os.Environ(), Limits: quick()}
				p, err := New(ctx, s)
				if err != nil {
					t.Fatal(err)
				}
				c, err := proc.Start(ctx, p.Command, s.Limits)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { c.Close(); p.Cleanup() }()
				if got := next(t, c); got != "ready" {
					t.Fatal(got)
				}
				if what != "by itself" && len(marked(mark)) < 4 {
					t.Fatalf("the test proves nothing: %v", marked(mark))
				}
				switch what {
				case "closed":
					if err := c.Close(); err != nil {
						t.Error(err)
					}
				case "by itself":
					<-c.Exited()
				case "cancelled":
					cancel()
				case "supervisor killed":
					if b == Host {
						t.Skip("a server without bounds can kill its supervisor, and then leave others behind")
					}
					_ = exec.Command("kill", "-9", strconv.Itoa(c.Pid())).Run()
					<-c.Exited()
					if b == Landlock {
						// The server died with it. What it had started is beyond us, which only bubblewrap catches.
						for _, l := range marked(mark) {
							_ = exec.Command("kill", "-9", strings.Fields(l)[0]).Run()
							if strings.Contains(l, "family") {
								t.Errorf("the server remains: %s", l)
							}
						}
					}
				}
				gone(t, mark)
			})
		}
	}
}

func TestNoProcessOutlivesUs(t *testing.T) {
	for _, b := range []Backend{Landlock, Bubblewrap, Host} {
		t.Run(string(b), func(t *testing.T) {
			need(t, b)
			mark := fmt.Sprintf("mark-%d-%s", os.Getpid(), t.Name())
			us := exec.Command(os.Args[0], "child", "us", string(b), mark)
			us.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
			out, err := us.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := us.Start(); err != nil {
				t.Fatal(err)
			}
			var line, rest string
			_, _ = fmt.Fscanln(out, &line, &rest)
			if line != "ready" {
				t.Error(line, rest)
			}
			_ = us.Process.Kill()
			_ = us.Wait()
			gone(t, mark)
		})
	}
}

func TestAServerIsAskedToEndAndItsExitComesThrough(t *testing.T) {
	for _, b := range []Backend{Landlock, Bubblewrap, Host} {
		t.Run(string(b), func(t *testing.T) {
			need(t, b)
			w := newWorld(t)
			c := w.server(t, Spec{Executor: b}, "polite")
			next(t, c)
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if exit, _ := c.Exit(); exit.Code != 42 {
				t.Errorf("%+v", exit)
			}
			c = w.server(t, Spec{Executor: b}, "die")
			<-c.Exited()
			if exit, _ := c.Exit(); exit.Reason != "signal: killed" && (b != Bubblewrap || exit.Code != 128+9) {
				t.Errorf("%+v", exit)
			}
		})
	}
}

func TestValuesOfTheEnvironmentAreInNoArgument(t *testing.T) {
	for _, b := range []Backend{Landlock, Bubblewrap, Host} {
		t.Run(string(b), func(t *testing.T) {
			need(t, b)
			w := newWorld(t)
			c := w.server(t, Spec{Executor: b, Entry: []string{"TOKEN=hunter2"}, Parent: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "AWS_SECRET=x"}}, "env")
			env := next(t, c)
			if !strings.Contains(env, "TOKEN=hunter2") || strings.Contains(env, "AWS") {
				t.Error(env)
			}
			if private := !strings.Contains(env, "HOME="+w.home); private != (b != Host) {
				t.Errorf("%v: %s", private, env)
			}
			files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, f := range files {
				if b, _ := os.ReadFile(f); bytes.Contains(b, []byte("hunter2")) {
					t.Errorf("%s: %s", f, b)
				}
			}
		})
	}
}

// TestAStrangersLibraryIsNotLoadedOutside holds that what an entry sets for the dynamic linker reaches the server alone:
// the stages and bubblewrap are programs that it would steer.
func TestAStrangersLibraryIsNotLoadedOutside(t *testing.T) {
	for _, b := range []Backend{Landlock, Bubblewrap, Host} {
		t.Run(string(b), func(t *testing.T) {
			need(t, b)
			w := newWorld(t)
			trace := filepath.Join(w.home, "trace")
			c := w.server(t, Spec{Executor: b, Entry: []string{"LD_DEBUG=files", "LD_DEBUG_OUTPUT=" + trace}})
			ask(t, c, "nothing", "-")
			left, _ := filepath.Glob(trace + "*")
			if b == Host {
				if _, err := exec.LookPath("ldd"); err == nil && len(left) != 1 {
					t.Errorf("%d programs ran with the entry's environment, not the server alone", len(left))
				}
			} else if len(left) > 0 {
				t.Errorf("a program outside ran with the entry's environment: %v", left)
			}
		})
	}
}

func TestAnEnvironmentOfTheLimitGoesThrough(t *testing.T) {
	for _, b := range []Backend{Landlock, Bubblewrap, Host} {
		t.Run(string(b), func(t *testing.T) {
			need(t, b)
			w := newWorld(t)
			lim := limits.Default
			parent := []string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH")}
			entry, left := []string{}, lim.EnvBytes-len(strings.Join(parent, " "))-1
			for i := range lim.EnvVars - len(parent) {
				name := fmt.Sprintf("VARIABLE_%03d=", i)
				value := strings.Repeat("v", min(left/(lim.EnvVars-len(parent)-i)-len(name)-1, lim.EnvChars))
				entry = append(entry, name+value)
				left -= len(name) + len(value) + 1
			}
			c := w.server(t, Spec{Executor: b, Parent: parent, Entry: entry}, "env")
			got := strings.Split(next(t, c), "|")
			for _, kv := range entry {
				if !slices.Contains(got, kv) {
					t.Fatalf("%.20s… is lost", kv)
				}
			}
		})
	}
}

func TestThePrivateFoldersAreRemoved(t *testing.T) {
	need(t, Landlock)
	t.Setenv("TMPDIR", t.TempDir())
	w := newWorld(t)
	exe, _ := os.Executable()
	s := Spec{Executor: Landlock, Argv: []string{exe, "child", "serve"}, Parent: append(os.Environ(), "HOME="+w.home), Limits: quick()}
	p, err := New(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	c, err := proc.Start(t.Context(), p.Command, s.Limits)
	if err != nil {
		t.Fatal(err)
	}
	if answer := ask(t, c, "deep", "3000"); answer != "let" {
		t.Error(answer)
	}
	if err := errors.Join(c.Close(), p.Cleanup()); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(os.Getenv("TMPDIR") + "/mcpassay-*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestTheBestBackendIsChosenAndTheWorstRefused(t *testing.T) {
	ctx := t.Context()
	exe, _ := os.Executable()
	s := Spec{Argv: []string{exe, "child", "serve"}, Parent: os.Environ(), Limits: limits.Default}
	if usable(ctx, Bubblewrap, s) == nil {
		p, err := New(ctx, s)
		if err != nil || p.Backend != Bubblewrap {
			t.Errorf("%+v %v", p, err)
		}
	}
	s.Parent = []string{"PATH=/nowhere"} // no bubblewrap
	if landlockUsable() == nil {
		p, err := New(ctx, s)
		if err != nil || p.Backend != Landlock {
			t.Fatalf("%+v %v", p, err)
		}
		if err := p.Cleanup(); err != nil {
			t.Error(err)
		}
	}
	for want, s := range map[string]Spec{
		"starts no server":     {Executor: None, Argv: s.Argv},
		"no executor is named": {Executor: "jail", Argv: s.Argv},
		"needs the image":      {Executor: Docker, Argv: s.Argv},
		"not installed":        {Executor: Bubblewrap, Argv: s.Argv, Parent: []string{"PATH=/nowhere"}},
		"is for Windows":       {Executor: Job, Argv: s.Argv},
		"no command":           {Executor: Host},
		"not on the PATH":      {Executor: Landlock, Argv: []string{"absent"}, Parent: []string{"PATH=/nowhere"}},
		"home folder":          {Executor: Landlock, Argv: s.Argv, Parent: os.Environ(), Dir: os.Getenv("HOME")},
	} {
		s.Limits = limits.Default
		_, err := New(ctx, s)
		var r *Refusal
		if !errors.As(err, &r) || !strings.Contains(err.Error(), want) || r.Hint == "" {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func TestWhatAKernelCanNotKeepIsSaid(t *testing.T) {
	says := func(lines []string, word string) bool {
		return slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, word) })
	}
	for abi, want := range map[int][]string{1: {"emptied", "signals"}, 2: {"emptied", "signals"}, 3: {"signals"}, 4: {"signals"}, 5: {"signals"}, 6: {}, 7: {}} {
		_, not := landlockWords(abi, false, Spec{})
		for _, word := range []string{"emptied", "signals"} {
			if says(not, word) != slices.Contains(want, word) {
				t.Errorf("ABI %d, %s: %v", abi, word, not)
			}
		}
		_, not = landlockWords(abi, true, Spec{AllowNet: true})
		if !says(not, "root") || !says(not, "every address") {
			t.Errorf("ABI %d with network: %v", abi, not)
		}
	}
}

func TestManyServersLeaveNothing(t *testing.T) {
	need(t, Landlock)
	t.Setenv("TMPDIR", t.TempDir())
	exe, _ := os.Executable()
	count := func() (n [4]int) {
		fds, _ := os.ReadDir("/proc/self/fd")
		dirs, _ := os.ReadDir(os.Getenv("TMPDIR"))
		return [4]int{len(fds), runtime.NumGoroutine(), len(proc.Descendants(os.Getpid())), len(dirs)}
	}
	one := func(b Backend) {
		s := Spec{Executor: b, Argv: []string{exe, "child", "serve"}, Parent: os.Environ(), Limits: limits.Default}
		p, err := New(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		c, err := proc.Start(t.Context(), p.Command, s.Limits)
		if err != nil {
			t.Fatal(err)
		}
		if got := ask(t, c, "tmp", "-"); got != "let" && b != Host {
			t.Fatal(got)
		}
		if err := errors.Join(c.Close(), p.Cleanup()); err != nil {
			t.Fatal(err)
		}
	}
	backends := []Backend{Landlock, Host}
	if usable(t.Context(), Bubblewrap, Spec{Parent: os.Environ(), Limits: limits.Default}) == nil {
		backends = append(backends, Bubblewrap)
	}
	for _, b := range backends {
		one(b)
	}
	before, after := count(), [4]int{}
	for i := range 200 {
		one(backends[i%len(backends)])
	}
	for range 100 {
		if after = count(); after == before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("descriptors, goroutines, processes, folders: %v before, %v after", before, after)
}

// A package runner marks its lock files by name. What it is let there it is not let with yours: that is mounted read-only.
func TestARunnerMarksItsOwnFilesAndNotYours(t *testing.T) {
	need(t, Bubblewrap)
	w := newWorld(t)
	code := filepath.Join(w.project, "code")
	c := w.server(t, Spec{Executor: Bubblewrap, Dir: w.project, AllowNet: true, pathMeta: true})
	for _, deed := range []string{"chmod", "touch", "xattr", "fchmod", "write", "rename"} {
		for _, file := range []string{code, w.secret} {
			if answer := ask(t, c, deed, file); answer == "let" {
				t.Errorf("%s %s was let", deed, file)
			}
		}
	}
	if answer := ask(t, c, "chmod-own", "-"); answer != "let" {
		t.Errorf("its own file: %s", answer)
	}
	for runner, argv := range map[string][]string{
		"npx": {"npx", "-y", "@example/server"}, "uvx": {"uvx", "example"}, "": {"node", "server.js"}, "bunx": {"bunx", "example"},
	} {
		if got := Downloads(argv); got != runner {
			t.Errorf("%v: %q", argv, got)
		}
		if (runner != "") != (len(offline(argv)) > 0) && runner != "bunx" { // bun knows no such variable
			t.Errorf("%v: %v", argv, offline(argv))
		}
	}
}

func TestWhatAMachineKeepsIsSaidOfEachExecutor(t *testing.T) {
	state := func(b Backend, system string, abi int, ports bool, of string) string {
		all := bounds(b, system, abi, ports)
		i := slices.IndexFunc(all, func(x Bound) bool { return x.Of == of })
		if i < 0 || len(all) != len(Things()) {
			t.Fatalf("%s: %v", b, all)
		}
		return all[i].State
	}
	for _, c := range []struct {
		b      Backend
		system string
		abi    int
		ports  bool
		of     string
		want   string
	}{
		{Landlock, "linux", 7, true, "TCP", Kept}, {Landlock, "linux", 3, false, "TCP", Partly}, {Bubblewrap, "linux", 0, false, "TCP", Partly},
		{Landlock, "linux", 2, false, "files to write", Partly}, {Landlock, "linux", 7, true, "files to write", Kept},
		{Landlock, "linux", 5, true, "process tree", Partly}, {Job, "windows", 0, false, "files to read", Open}, {Job, "windows", 0, false, "process tree", Kept},
		{Host, "darwin", 0, false, "process tree", Partly}, {Host, "linux", 7, true, "files to read", Open}, {Seatbelt, "darwin", 0, false, "files to read", Partly},
	} {
		if got := state(c.b, c.system, c.abi, c.ports, c.of); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	for _, b := range Holding(t.Context(), os.Environ(), limits.Default) {
		if (b.Absent == "") != (len(b.Bounds) > 0) {
			t.Errorf("%+v", b)
		}
	}
}
