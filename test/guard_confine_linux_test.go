package test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// within is a home with a project in it whose server is pinned.
func within(t *testing.T) (home, project string, run func(code int, args ...string) string) {
	t.Helper()
	home = t.TempDir()
	project = filepath.Join(home, "src", "project")
	for path, text := range map[string]string{".ssh/id_ed25519": "a private key", ".aws/credentials": "a key", "notes/a": "a note", "src/project/docs/a": "a page", "src/project/out/.keep": "",
		".config/gcloud/key": "a key", ".cursor/mcp.json": "{}", ".local/state/mcpassay/guard/events.jsonl": ""} {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run = func(code int, args ...string) string {
		t.Helper()
		cmd := exec.Command("mcpassay", args...)
		cmd.Dir, cmd.Env = project, append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=")
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != code {
			t.Fatalf("%q: %d, want %d\n%s", args, cmd.ProcessState.ExitCode(), code, out)
		}
		return string(out)
	}
	run(0, "pin", "--executor", "host", "--name", "reacher", "--", "reacher")
	return home, project, run
}

// converse starts the guarded server, and gives what its tools answer.
func converse(t *testing.T, home, project string, flags ...string) func(tool, to string) string {
	t.Helper()
	cmd := exec.Command("mcpassay", append(append([]string{"guard", "run"}, flags...), "--", "reacher")...)
	cmd.Dir, cmd.Env, cmd.Stderr = project, append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=", "XDG_CONFIG_HOME="), t.Output()
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
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	out := bufio.NewReader(stdout)
	say := func(text string) string {
		fmt.Fprintln(in, text)
		return read(t, out)
	}
	say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if said := say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); !strings.Contains(said, `"connect"`) {
		t.Fatal(said)
	}
	return func(tool, to string) string {
		return say(fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":%q,"arguments":{"to":%q}}}`, tool, to))
	}
}

// A server whose entry has a profile reads, writes and reaches what that says, wherever it is started and by whatever confines it.
func TestAServerIsKeptToTheProfileOfItsLock(t *testing.T) {
	t.Parallel()
	home, project, run := within(t)
	open, shut := portOf(t), portOf(t)
	_, port, _ := net.SplitHostPort(open)
	run(0, "approve", "reacher", "--by", "ada@example.com")
	if said := run(0, "guard", "confine", "reacher", "--allow-read", home, "--allow-write", "out", "--allow-connect", port); !strings.Contains(said, "not approved yet") {
		t.Error(said)
	}
	run(1, "guard", "run", "--require-lock", "--", "reacher") // the approval was of another launch
	if said := run(0, "approve", "reacher", "--by", "ada@example.com"); !strings.Contains(said, "confinement") || !strings.Contains(said, "${project}/out") {
		t.Errorf("who approves is not shown the profile:\n%s", said)
	}
	run(1, "guard", "run", "--executor", "host", "--", "reacher")
	run(1, "guard", "run", "--allow-read", project, "--", "reacher")
	for _, executor := range []string{"landlock", "bubblewrap"} {
		t.Run(executor, func(t *testing.T) {
			if executor == "bubblewrap" {
				if _, err := exec.LookPath("bwrap"); err != nil {
					lacks(t, "needs bwrap: apt-get install bubblewrap")
				}
			}
			ask := converse(t, home, project, "--require-lock", "--executor", executor)
			for _, d := range [][2]string{{"read", filepath.Join(home, "notes", "a")}, {"read", filepath.Join(project, "docs", "a")},
				{"write", filepath.Join(project, "out", "new")}, {"connect", open}} {
				if said := ask(d[0], d[1]); !strings.Contains(said, `"let"`) {
					t.Errorf("%s: %s", d, said)
				}
			}
			for _, d := range [][2]string{{"read", filepath.Join(home, ".ssh", "id_ed25519")}, {"read", filepath.Join(home, ".aws", "credentials")},
				{"read", filepath.Join(home, ".config", "gcloud", "key")}, {"read", filepath.Join(home, ".cursor", "mcp.json")},
				{"read", filepath.Join(home, ".local", "state", "mcpassay", "guard", "events.jsonl")}, {"read", "/proc/self/root" + filepath.Join(home, ".ssh", "id_ed25519")},
				{"write", filepath.Join(home, "notes", "a")}, {"write", filepath.Join(project, "mcpassay.lock")}, {"connect", shut}} {
				if said := ask(d[0], d[1]); !strings.Contains(said, `"no: `) {
					t.Errorf("%s: %s", d, said)
				}
			}
			ask("write", filepath.Join(home, "new")) // under bubblewrap it may lie in a place of its own
			if _, err := os.Stat(filepath.Join(home, "new")); err == nil {
				t.Error("it wrote in the home folder")
			}
		})
	}
	if said := run(0, "guard", "confine", "reacher", "--none"); !strings.Contains(said, "nothing any more") {
		t.Error(said)
	}
}

// portOf is a listener's address.
func portOf(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}
