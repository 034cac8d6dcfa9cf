package test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	double "github.com/mcpassay/mcpassay/test/registry"
)

// teamHome is a home with six clients, and a project in it whose servers are locked and kept for offline runs. It gives the files that
// up changes, with what they hold before.
func teamHome(t *testing.T, bin string) (home string, before map[string]string) {
	t.Helper()
	s := double.New()
	defer s.Close()
	home = t.TempDir()
	before = map[string]string{".claude.json": "{\"theme\": \"dark\"}\n", ".cursor/mcp.json": "{\n  \"mcpServers\": {}\n}\n", ".config/Code/User/mcp.json": "{\n\t// mine\n\t\"servers\": {},\n}\n",
		".codex/config.toml": "model = \"m\" # mine\n", ".gemini/settings.json": "{\n  \"theme\": \"x\"\n}\n", ".config/goose/config.yaml": "extensions: {}\n"}
	for name, text := range before {
		lay(t, home, name, text)
	}
	lay(t, home, "work/.git/HEAD", "")
	lay(t, home, "work/mcpassay.yaml", "version: \"1\"\nservers:\n  files: {package: \"npm:@example/files\", version: 1.0.0}\n  remote: {server: com.example/remote}\n")
	env := []string{"MCPASSAY_REGISTRY=" + s.URL + "/ok", "npm_config_registry=" + s.URL + "/npm"}
	for _, args := range [][]string{{"lock"}, {"up", "--frozen", "--ci", "--dry-run"}} {
		if state, out := in(t, home, append([]string{"env"}, append(env, append([]string{bin}, args...)...)...)...); state.ExitCode() != 0 {
			t.Fatalf("%v: %v\n%s", args, state, out)
		}
	}
	lay(t, home, "offline", strings.Join(env, "\n"))
	return home, before
}

// offline runs up in a home where nobody can be asked, below the commands before it.
func offline(t *testing.T, home, bin string, before ...string) (*os.ProcessState, string) {
	t.Helper()
	env, err := os.ReadFile(filepath.Join(home, "offline"))
	if err != nil {
		t.Fatal(err)
	}
	argv := append([]string{"env"}, strings.Split(string(env), "\n")...)
	argv = append(append(argv, before...), bin, "up", "--frozen", "--ci", "--offline")
	return in(t, home, argv...)
}

func contents(t *testing.T, home string, names map[string]string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name := range names {
		raw, err := os.ReadFile(filepath.Join(home, name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(raw)
	}
	return out
}

// A run that is killed at any of its system calls that change a folder leaves each file as it was or as it is to be, and the same
// command goes on from there.
func TestUpThatIsKilledAtAnyWriteGoesOnFromThere(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts the program a hundred times")
	}
	if _, err := exec.LookPath("strace"); err != nil {
		lacks(t, "needs strace: apt-get install strace")
	}
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	home, before := teamHome(t, bin)
	if out, err := exec.Command("strace", "-f", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		lacks(t, "strace may not trace here: %s", out)
	}
	done := t.TempDir()
	if err := os.CopyFS(done, os.DirFS(home)); err != nil {
		t.Fatal(err)
	}
	if state, out := offline(t, done, bin); state.ExitCode() != 0 {
		t.Fatalf("%v\n%s", state, out)
	}
	after := contents(t, done, before)
	for name := range before {
		if after[name] == before[name] {
			t.Fatalf("%s was not changed", name)
		}
	}
	killed := 0
	for _, calls := range []string{"renameat,renameat2,rename", "linkat,unlinkat", "fsync", "fchmod,ftruncate,flock"} {
		for n := 1; n <= 16; n++ {
			own := t.TempDir()
			if err := os.CopyFS(own, os.DirFS(home)); err != nil {
				t.Fatal(err)
			}
			state, out := offline(t, own, bin, "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace="+calls, "-e", "inject="+calls+":signal=KILL:when="+strconv.Itoa(n))
			if ws, ok := state.Sys().(syscall.WaitStatus); ok && !ws.Signaled() && state.ExitCode() == 0 {
				break // so many calls there are not, on one thread
			}
			killed++
			mixed := contents(t, own, before)
			for name, text := range mixed {
				if text != before[name] && text != after[name] {
					t.Errorf("killed at %s %d: %s holds neither what it held nor what it is to hold:\n%s\n%s", calls, n, name, text, out)
				}
			}
			if state, out := offline(t, own, bin); state.ExitCode() != 0 {
				t.Fatalf("killed at %s %d: the next run: %v\n%s", calls, n, state, out)
			}
			if got := contents(t, own, before); fmt.Sprint(got) != fmt.Sprint(after) {
				t.Errorf("killed at %s %d: the next run left %v", calls, n, got)
			}
		}
	}
	if killed < 8 {
		t.Errorf("it was killed %d times alone", killed)
	}
}

// What can not be written is said, the rest is written, and the next run does what was left.
func TestUpSaysWhatItCouldNotWriteAndGoesOn(t *testing.T) {
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	home, before := teamHome(t, bin)
	var below []string
	if os.Geteuid() == 0 { // root may write everything, until it gives that up
		if _, err := exec.LookPath("setpriv"); err != nil {
			lacks(t, "needs setpriv: apt-get install util-linux")
		}
		below = []string{"setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"}
	}
	folder := filepath.Join(home, ".cursor")
	if err := os.Chmod(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(folder, 0o755)
	state, out := offline(t, home, bin, below...)
	got := contents(t, home, before)
	if state.ExitCode() != 1 || !strings.Contains(out, "not written: ~/.cursor/mcp.json") || got[".cursor/mcp.json"] != before[".cursor/mcp.json"] || !strings.Contains(got[".codex/config.toml"], "@example/files") {
		t.Errorf("%v\n%s", state, out)
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if state, out := offline(t, home, bin); state.ExitCode() != 0 || !strings.Contains(out, "changed: ~/.cursor/mcp.json") || strings.Contains(out, "changed: ~/.codex") {
		t.Errorf("%v\n%s", state, out)
	}
}

// Another program writes a file while up edits it: what that wrote is kept, and what up has to say is in it too, or said as not
// written.
func TestWhatIsChangedWhileUpEditsItIsNotLost(t *testing.T) {
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("strace"); err != nil {
		lacks(t, "needs strace: apt-get install strace")
	}
	if out, err := exec.Command("strace", "-f", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		lacks(t, "strace may not trace here: %s", out)
	}
	for _, every := range []bool{false, true} {
		home, before := teamHome(t, bin)
		path, began := filepath.Join(home, ".cursor/mcp.json"), make(chan int)
		go func() { // it writes once up has begun to, before what up wrote can take the place of the file
			times := 0
			seen := map[string]bool{}
			defer func() { began <- times }()
			for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && (times == 0 || every && times < 3); time.Sleep(time.Millisecond) {
				tmp, _ := filepath.Glob(filepath.Join(home, ".cursor/.mcpassay-*.tmp"))
				if len(tmp) == 0 || seen[tmp[0]] {
					if raw, err := os.ReadFile(path); err == nil && times > 0 && bytes.Contains(raw, []byte("@example/files")) {
						return
					}
					continue
				}
				seen[tmp[0]] = true
				times++
				if os.WriteFile(path, fmt.Appendf(nil, "{\n  \"own\": %d,\n  \"mcpServers\": {}\n}\n", times), 0o600) != nil {
					return
				}
			}
		}()
		state, out := offline(t, home, bin, "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync", "-e", "inject=fsync:delay_enter=200000")
		var times int
		select {
		case times = <-began:
		case <-time.After(time.Minute):
			t.Fatal("nothing was written")
		}
		got := contents(t, home, before)
		if times == 0 || !strings.Contains(got[".cursor/mcp.json"], fmt.Sprintf("\"own\": %d", times)) {
			t.Fatalf("what another program wrote %d times is gone: %v\n%s\n%s", times, state, out, got[".cursor/mcp.json"])
		}
		written := strings.Contains(got[".cursor/mcp.json"], "@example/files")
		if written != (state.ExitCode() == 0) || !written && !strings.Contains(out, "not written: ~/.cursor/mcp.json") || !every && !written {
			t.Errorf("changed %d times, written %v: %v\n%s", times, written, state, out)
		}
		if !strings.Contains(got[".codex/config.toml"], "@example/files") {
			t.Errorf("the files beside it are not written: %v\n%s", state, out)
		}
		if state, out := offline(t, home, bin); state.ExitCode() != 0 || !strings.Contains(contents(t, home, before)[".cursor/mcp.json"], "@example/files") {
			t.Errorf("the next run: %v\n%s", state, out)
		}
	}
}

// Two runs at once: each file is whole and has each server once.
func TestTwoRunsOfUpAtOnce(t *testing.T) {
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	home, before := teamHome(t, bin)
	outs := make(chan string)
	for range 2 {
		go func() {
			state, out := offline(t, home, bin)
			outs <- fmt.Sprint(state, "\n", out)
		}()
	}
	said := <-outs + <-outs
	if state, out := offline(t, home, bin); state.ExitCode() != 0 || !strings.Contains(out, "0 written") {
		t.Errorf("the next run: %v\n%s\n%s", state, out, said)
	}
	for name, text := range contents(t, home, before) {
		if strings.Count(text, "@example/files@1.0.0") != 1 {
			t.Errorf("%s holds\n%s\n%s", name, text, said)
		}
	}
}

// A full disk: no file is less than it was.
func TestUpOnAFullDiskLeavesEveryFileWhole(t *testing.T) {
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("prlimit"); err != nil {
		lacks(t, "needs prlimit: apt-get install util-linux")
	}
	home, before := teamHome(t, bin)
	state, out := offline(t, home, bin, "prlimit", "--fsize=16")
	if state.ExitCode() == 0 {
		t.Errorf("%v\n%s", state, out)
	}
	if got := contents(t, home, before); fmt.Sprint(got) != fmt.Sprint(before) {
		t.Errorf("left %v\n%s", got, out)
	}
	left := 0
	_ = filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.Contains(e.Name(), ".tmp") && !bytes.Contains([]byte(path), []byte("state")) {
			left++
		}
		return nil
	})
	if left > 0 {
		t.Errorf("%d temporary files are left", left)
	}
	if state, out := offline(t, home, bin); state.ExitCode() != 0 {
		t.Errorf("%v\n%s", state, out)
	}
	// A lock that can not be written is no lock, and for the package verbs every reason not to proceed is 1.
	env, err := os.ReadFile(filepath.Join(home, "offline"))
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(home, "work/mcpassay.lock")
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	argv := append(append([]string{"env"}, strings.Split(string(env), "\n")...), "prlimit", "--fsize=16", bin, "lock", "--offline")
	if state, out := in(t, home, argv...); state.ExitCode() != 1 || !strings.Contains(out, "the lock can not be written") {
		t.Errorf("%v\n%s", state, out)
	}
	if _, err := os.Stat(kept); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a lock is there: %v", err)
	}
}

// A run that is interrupted ends the file that it is at, says how far it came, and the next one goes on.
func TestUpThatIsInterruptedSaysHowFarItCame(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		lacks(t, "needs strace: apt-get install strace")
	}
	if out, err := exec.Command("strace", "-f", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		lacks(t, "strace may not trace here: %s", out)
	}
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	home, before := teamHome(t, bin)
	const calls = "renameat,renameat2,rename"
	said, outs := false, ""
	for n := 1; n <= 8 && !said; n++ {
		state, out := offline(t, home, bin, "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace="+calls, "-e", "inject="+calls+":signal=INT:when="+strconv.Itoa(n))
		if said = strings.Contains(out, "interrupted: ") && strings.Contains(out, " done; the same command goes on from there"); said && state.ExitCode() != 130 {
			t.Errorf("%v\n%s", state, out)
		}
		outs += fmt.Sprintf("%d: %v\n%s", n, state, out)
		if state.ExitCode() == 0 {
			break
		}
	}
	if !said {
		t.Errorf("no run said how far it came:\n%s", outs)
	}
	if state, out := offline(t, home, bin); state.ExitCode() != 0 || !strings.Contains(out, "up: 2 servers;") {
		t.Errorf("%v\n%s", state, out)
	}
	for name, text := range contents(t, home, before) {
		if !strings.Contains(text, "example") {
			t.Errorf("%s holds\n%s", name, text)
		}
	}
}
