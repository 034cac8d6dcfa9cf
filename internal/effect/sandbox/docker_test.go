package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// No container engine runs where this is tested: the command line is what is held here.
func TestTheCommandLineOfAContainer(t *testing.T) {
	s := Spec{Image: "example/server@sha256:0123", Argv: []string{"node", "server.js"}, Limits: limits.Default}
	for want, net := range map[string]bool{
		"docker run --rm --interactive --name mcpassay-x --init --network none --read-only --cap-drop ALL " +
			"--security-opt no-new-privileges --user 65534:65534 --pids-limit 256 --memory 536870912 --memory-swap 536870912 --cpus 1 " +
			"--tmpfs /tmp:rw,noexec,nosuid,nodev,size=67108864 --workdir /tmp --env HOME=/tmp --pull never " +
			"--env TOKEN --env EMPTY example/server@sha256:0123 node server.js": false,
		"docker run --rm --interactive --name mcpassay-x --init --network bridge --read-only --cap-drop ALL " +
			"--security-opt no-new-privileges --user 65534:65534 --pids-limit 256 --memory 536870912 --memory-swap 536870912 --cpus 1 " +
			"--tmpfs /tmp:rw,noexec,nosuid,nodev,size=67108864 --workdir /tmp --env HOME=/tmp --pull missing " +
			"--env TOKEN --env EMPTY example/server@sha256:0123 node server.js": true,
	} {
		s.AllowNet = net
		argv, err := dockerArgv(s, "mcpassay-x", []string{"TOKEN=hunter2", "EMPTY="})
		if got := strings.Join(argv, " "); err != nil || got != want {
			t.Errorf("%s\n%v, want\n%s", got, err, want)
		}
	}
}

func TestAnEntryDoesNotSteerTheContainerClient(t *testing.T) {
	s := Spec{Image: "i", Limits: limits.Default}
	for _, kv := range []string{"DOCKER_HOST=tcp://evil.test", "docker_config=/x", "LD_PRELOAD=/x.so", "PATH=/evil", "HTTPS_PROXY=http://evil.test",
		"GODEBUG=x", "SSH_AUTH_SOCK=/x", "HOME=/x", "--privileged=x", "A B=c", "-v=/:/host"} {
		_, err := dockerArgv(s, "n", []string{kv})
		var r *Refusal
		if !errors.As(err, &r) {
			t.Errorf("%s: %v", kv, err)
		}
	}
	if _, err := dockerArgv(s, "n", []string{"PATHS=x", "HOMEPAGE=x", "MY_DOCKER_HOST=x"}); err != nil {
		t.Error(err)
	}
}

// fakeDocker puts a client on a PATH that keeps what it was asked.
func fakeDocker(t *testing.T, run string) (path, log string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	dir := t.TempDir()
	log = filepath.Join(dir, "log")
	script := "#!/bin/sh\necho \"$@\" >>" + log + "\n[ \"$1\" = run ] || exit 0\n" + run + "\n"
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir + string(filepath.ListSeparator) + "/usr/bin" + string(filepath.ListSeparator) + "/bin", log
}

func TestAContainerIsRemovedByItsNameOnEveryWayOut(t *testing.T) {
	named := regexp.MustCompile(`(?s)^run .*--name (mcpassay-[a-z0-9]{26}) .*\nrm -f (mcpassay-[a-z0-9]{26})\n$`)
	for name, run := range map[string]string{"closed": "cat", "ended": "exit 3", "stubborn": "trap '' TERM; echo $TOKEN $DOCKER_HOST; sleep 60"} {
		for _, cancelled := range []bool{false, true} {
			path, log := fakeDocker(t, run)
			ctx, cancel := context.WithCancel(t.Context())
			s := Spec{Executor: Docker, Image: "i", Parent: []string{"PATH=" + path, "DOCKER_HOST=unix:///x", "OTHER=o"},
				Entry: []string{"TOKEN=hunter2"}, Limits: limits.Default}
			s.Limits.ChildGrace, s.Limits.ChildKill = s.Limits.ChildGrace/10, s.Limits.ChildKill/10
			p, err := New(ctx, s)
			if err != nil {
				t.Fatal(err)
			}
			if line := strings.Join(p.Argv, " "); strings.Contains(line, "hunter2") {
				t.Error(line)
			}
			c, err := proc.Start(ctx, p.Command, s.Limits)
			if err != nil {
				t.Fatal(err)
			}
			switch name {
			case "closed":
				if err := c.WriteLine([]byte("x")); err != nil {
					t.Error(err)
				}
				if l, err := c.ReadLine(t.Context()); string(l) != "x" {
					t.Error(string(l), err)
				}
			case "stubborn":
				if l, err := c.ReadLine(t.Context()); string(l) != "hunter2 unix:///x" {
					t.Error(string(l), err)
				}
			}
			if cancelled {
				cancel()
			}
			if err := errors.Join(c.Close(), p.Cleanup()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			cancel()
			got, _ := os.ReadFile(log)
			if m := named.FindSubmatch(got); m == nil && !cancelled || m != nil && string(m[1]) != string(m[2]) || !strings.Contains(string(got), "rm -f mcpassay-") {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}

func TestAContainerIsShownNoFolder(t *testing.T) {
	path, _ := fakeDocker(t, "cat")
	for _, s := range []Spec{{Dir: "/work"}, {Workspace: []string{"/x"}}, {Image: "-v/:/host"}} {
		s.Executor, s.Parent, s.Limits = Docker, []string{"PATH=" + path}, limits.Default
		if s.Image == "" {
			s.Image = "i"
		}
		var r *Refusal
		if _, err := New(t.Context(), s); !errors.As(err, &r) || r.Hint == "" {
			t.Errorf("%+v: %v", s, err)
		}
	}
	s := Spec{Image: "i", Parent: []string{"PATH=" + path}, Limits: limits.Default}
	if b, err := choose(t.Context(), s); err != nil || b != Docker {
		t.Errorf("a named image is a wish for a container: %s %v", b, err)
	}
}

// No Windows runs where this is tested: the plan is what is held here.
func TestThePlanOfAJob(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := jobPlan(t.Context(), Spec{Argv: []string{exe, "a"}, Dir: "d", Limits: limits.Default}, []string{"A=b"})
	if err != nil {
		t.Fatal(err)
	}
	if want := (proc.JobLimits{Processes: 256, Memory: 512 * limits.MiB, CPU: limits.Default.SandboxCPU}); *p.Job != want {
		t.Errorf("%+v", p.Job)
	}
	if p.Path != exe || strings.Join(p.Argv, " ") != exe+" a" || p.Dir != "d" || strings.Join(p.Env, " ") != "A=b" {
		t.Errorf("%+v", p.Command)
	}
	if not := strings.Join(p.NotEnforced, " "); !strings.Contains(not, "files") || !strings.Contains(not, "network") {
		t.Errorf("%q", not)
	}
}
