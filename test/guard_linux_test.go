package test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// guarded starts guard run on a shell script as its server.
func guarded(t *testing.T, home, script string, flags ...string) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Reader) {
	t.Helper()
	args := append(append([]string{"guard", "run"}, flags...), "--", "sh", "-c", script)
	cmd = exec.Command("mcpassay", args...)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, in, bufio.NewReader(stdout)
}

// read is the next line, within a time that only a hang takes.
func read(t *testing.T, out *bufio.Reader) string {
	t.Helper()
	line := make(chan string, 1)
	go func() { s, _ := out.ReadString('\n'); line <- s }()
	select {
	case s := <-line:
		return strings.TrimSuffix(s, "\n")
	case <-time.After(time.Minute):
		t.Fatal("nothing came")
		return ""
	}
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// gone waits for the end of a process.
func gone(t *testing.T, what string, pid int) {
	t.Helper()
	for range 600 {
		if !alive(pid) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%s lives on", what)
}

func TestAServerEndsWithItsGuardHoweverThatEnds(t *testing.T) {
	t.Parallel()
	const server = `echo $$; trap '' INT; while read -r l; do echo "$l"; done; exec sleep 1000`
	for name, end := range map[string]func(cmd *exec.Cmd, in io.WriteCloser){
		"SIGKILL":              func(cmd *exec.Cmd, _ io.WriteCloser) { _ = cmd.Process.Signal(syscall.SIGKILL) },
		"SIGTERM":              func(cmd *exec.Cmd, _ io.WriteCloser) { _ = cmd.Process.Signal(syscall.SIGTERM) },
		"the client is killed": func(cmd *exec.Cmd, in io.WriteCloser) { in.Close(); _ = cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd, in, out := guarded(t, t.TempDir(), server)
			var pid int
			if _, err := fmt.Sscan(read(t, out), &pid); err != nil {
				t.Fatal(err)
			}
			end(cmd, in)
			gone(t, "the server", pid)
		})
	}
}

// A client that reads no more while the server floods is waited for, and nothing is queued; when it is gone the server ends.
func TestAStalledClientIsWaitedForAndAGoneOneEndsTheServer(t *testing.T) {
	t.Parallel()
	cmd, _, out := guarded(t, t.TempDir(), `echo $$; trap '' PIPE; while echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}'; do :; done`)
	var pid int
	if _, err := fmt.Sscan(read(t, out), &pid); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if kib := resident(t, cmd.Process.Pid); kib > 32<<10 {
		t.Errorf("%d KiB are kept for a client that does not read", kib)
	}
	for range 1000 {
		if s := read(t, out); !strings.HasPrefix(s, `{"jsonrpc"`) {
			t.Fatalf("%q", s)
		}
	}
	if p, ok := any(cmd.Stdout).(io.Closer); ok {
		_ = p.Close()
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	gone(t, "the server", pid)
}

// resident is the anonymous memory of a process in KiB.
func resident(t *testing.T, pid int) (kib int) {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	if _, rest, ok := strings.Cut(string(raw), "RssAnon:"); ok {
		_, _ = fmt.Sscan(rest, &kib)
	}
	return kib
}

// A server that is confined reads no secrets, writes nowhere else, and connects to nobody.
func TestAConfinedServerIsHeldToItsBounds(t *testing.T) {
	t.Parallel()
	for _, backend := range []string{"landlock", "bubblewrap"} {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			if backend == "bubblewrap" {
				if _, err := exec.LookPath("bwrap"); err != nil {
					lacks(t, "needs bwrap: apt-get install bubblewrap")
				}
			}
			home := t.TempDir()
			if err := os.MkdirAll(filepath.Join(home, ".ssh"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(home, ".ssh", "id_ed25519"), []byte("a private key\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd, _, out := guarded(t, home, `read -r l < `+filepath.Join(home, ".ssh", "id_ed25519")+` 2>/dev/null && echo "read $l" || echo kept; echo x 2>/dev/null > `+filepath.Join(home, "new")+` && echo wrote || echo held; echo end`, "--executor", backend)
			for _, want := range []string{"kept", "held", "end"} {
				if got := read(t, out); got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}
