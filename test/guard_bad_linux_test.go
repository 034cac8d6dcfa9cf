package test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// boxed runs a shell script in a view of this machine that has what flags say, and gives what it printed.
func boxed(t *testing.T, home, script string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath("bwrap"); err != nil {
		lacks(t, "needs bwrap: apt-get install bubblewrap")
	}
	cmd := exec.Command("bwrap", append(append([]string{"--dev-bind", "/", "/"}, flags...), "sh", "-c", script)...)
	cmd.Dir, cmd.Env = home, append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// stand puts a file where it stands, with the folders above it.
func stand(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// mcpm-contracts, "mcpm guard enable / disable": 1 "on a denied or unknown Claude Code file-policy transformation, including enable
// --dry-run"; such refusals "do not create config backups", and "unrelated servers may have succeeded".
func TestWhatAnOrganisationForbidsIsNotRewritten(t *testing.T) {
	t.Parallel()
	const config = `{"mcpServers": {"gh": {"type": "stdio", "command": "echo", "args": ["gh"]}, "db": {"type": "stdio", "command": "echo", "args": ["db"]}}}`
	for name, c := range map[string]struct {
		policy string
		left   []string // who is left alone
		why    string
	}{
		"nothing is said":           {`{"permissions": {}}`, nil, ""},
		"one server is denied":      {`{"deniedMcpServers": [{"serverName": "gh"}]}`, []string{"gh"}, "would not let Claude Code start it"},
		"commands as they were":     {`{"allowedMcpServers": [{"serverCommand": ["echo", "gh"]}, {"serverCommand": ["echo", "db"]}]}`, []string{"gh", "db"}, "would not let Claude Code start it"},
		"a shape that is not known": {`{"allowedMcpServers": [{"serverHash": "x"}]}`, []string{"gh", "db"}, "can not be read"},
		"no JSON":                   {`{"allowedMcpServers": `, []string{"gh", "db"}, "can not be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			managed := filepath.Join(home, "etc")
			stand(t, filepath.Join(managed, "managed-settings.json"), c.policy)
			stand(t, filepath.Join(home, ".claude.json"), config)
			stand(t, filepath.Join(home, ".cursor", "mcp.json"), `{"mcpServers": {"far": {"command": "echo", "args": []}}}`)
			backups := filepath.Join(home, ".local", "state", "mcpassay", "backups")
			want := "code 0"
			if c.left != nil {
				want = "code 1"
			}
			in := []string{"--tmpfs", "/etc", "--bind", managed, "/etc/claude-code"}
			if out := boxed(t, home, "mcpassay guard enable --dry-run; echo code $?", in...); !strings.Contains(out, want) || !strings.Contains(out, c.why) {
				t.Errorf("a dry run: %s", out)
			}
			if found, _ := os.ReadDir(backups); len(found) > 0 {
				t.Errorf("a dry run keeps %d files", len(found))
			}
			if out := boxed(t, home, "mcpassay guard enable; echo code $?", in...); !strings.Contains(out, want) || !strings.Contains(out, c.why) {
				t.Errorf("enable: %s", out)
			}
			raw, err := os.ReadFile(filepath.Join(home, ".claude.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, server := range []string{"gh", "db"} {
				left := strings.Contains(strings.Join(c.left, " "), server)
				if guarded := strings.Contains(string(raw), `"--server", "`+server+`"`); guarded == left {
					t.Errorf("%s is guarded: %v\n%s", server, guarded, raw)
				}
			}
			wanted := 2
			if len(c.left) == 2 { // the file was not written
				wanted = 1
			}
			if found, _ := os.ReadDir(backups); len(found) != wanted {
				t.Errorf("%d files are kept, want %d", len(found), wanted)
			}
			if raw, _ := os.ReadFile(filepath.Join(home, ".cursor", "mcp.json")); !strings.Contains(string(raw), `"guard"`) {
				t.Errorf("the server of another client was left: %s", raw)
			}
		})
	}
}

// A disk that is full under the log: what is forbidden is stopped all the same and it is said once that nothing was written down. What
// can not be kept of a server that is seen first is not shown.
func TestADiskThatIsFullUnderTheLogOpensNothing(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	state := filepath.Join(home, ".local", "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	const unknown = 50 // calls: more events than the last page of the log has room for
	var in strings.Builder
	in.WriteString(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n")
	for i := range unknown {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"none","arguments":{}}}`+"\n", 100+i)
	}
	in.WriteString(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"add","arguments":{}}}` + "\n")
	stand(t, filepath.Join(home, "in.jsonl"), in.String())
	stand(t, filepath.Join(home, "server.sh"), `read -r l; echo '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"add","inputSchema":{"type":"object"}}]}}'
read -r l; echo '{"jsonrpc":"2.0","id":4,"result":"called"}'
`)
	out := boxed(t, home, `run() { mcpassay guard run --server "$1" -- sh server.sh < in.jsonl > "$1.out" 2> "$1.err"; echo "code $?"; }
run sums
dd if=/dev/zero of=.local/state/fill bs=4096 2>/dev/null
mv sums.out before
run sums
run fresh`, "--size", "262144", "--tmpfs", state)
	if strings.Count(out, "code 0") != 3 {
		t.Errorf("%s", out)
	}
	text := func(name string) string {
		raw, err := os.ReadFile(filepath.Join(home, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for _, name := range []string{"before", "sums.out"} {
		if out := text(name); !strings.Contains(out, `"id":1,"result"`) || !strings.Contains(out, `"id":4,"result":"called"`) || strings.Count(out, `"error":{"code":-32099`) != unknown {
			t.Errorf("%s: %s", name, out)
		}
	}
	if said := text("sums.err"); strings.Count(said, "the log can not be written") != 1 {
		t.Errorf("%s", said)
	}
	if shown := text("fresh.out"); !strings.Contains(shown, `"id":1,"error":{"code":-32099`) || strings.Contains(shown, "inputSchema") {
		t.Errorf("a server that could not be kept: %s", shown)
	}
}

// A text in other words goes on over HTTP as on stdio, in the first session ever, with a note in the log.
func TestARewordedToolPassesOverHTTPWithANote(t *testing.T) {
	t.Parallel()
	var lists atomic.Int32
	s := upstream(t, func(w http.ResponseWriter, _ *http.Request) {
		text := "Adds."
		if lists.Add(1) > 1 {
			text = "Adds up."
		}
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"add","description":"`+text+`","inputSchema":{"type":"object"}}]}}`)
	})
	home := t.TempDir()
	guard, _ := guardOverHTTP(t, home, s.URL+"/mcp", "--server", "sums")
	id := session(t, guard)
	for _, want := range []string{"Adds.", "Adds up."} {
		if resp, text := request(t, "POST", guard+"/mcp", askList, "Mcp-Session-Id", id); resp.StatusCode != 200 || !strings.Contains(text, want) {
			t.Errorf("%d %s", resp.StatusCode, text)
		}
	}
	cmd := exec.Command("mcpassay", "guard", "log", "--server", "sums", "--json")
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=")
	if out, err := cmd.Output(); err != nil || strings.Count(string(out), `"action":"note"`) != 1 || !strings.Contains(string(out), `"rules":["drift/reworded"]`) {
		t.Errorf("%v\n%s", err, out)
	}
}
