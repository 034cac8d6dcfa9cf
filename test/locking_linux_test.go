package test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
)

// command prepares the program in the project.
func (p *locked) command(args ...string) *exec.Cmd {
	p.Helper()
	bin, err := binary()
	if err != nil {
		p.Fatal(err)
	}
	cmd := exec.Command(bin, append(args, "--trusted-root", "root.json")...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "HOME="+filepath.Join(p.dir, "home"))
	for k, v := range p.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	return cmd
}

// However a run is killed, the lock is the one before or the one after, to the byte.
func TestALockThatIsKilledIsTheOldOneOrTheNewOne(t *testing.T) {
	p := newLocked(t, team)
	p.want(0, "lock")
	after := p.read("mcpassay.lock")
	before := string((&lock.Lock{}).Encode())
	begun := time.Now()
	if out, err := p.command("lock").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := time.Since(begun)
	seen := map[string]int{}
	const tries = 24
	for i := range tries {
		p.write("mcpassay.lock", before)
		cmd := p.command("lock")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(whole * time.Duration(i) / (tries * 3 / 4))
		cmd.Process.Kill()
		cmd.Wait()
		got := p.read("mcpassay.lock")
		seen[got]++
		if got != before && got != after {
			t.Fatalf("killed after %d of %d it is neither:\n%s", i, tries, got)
		}
	}
	if seen[before] == 0 {
		t.Error("every run was over before it was killed")
	}
	// What a killed run left behind keeps nobody out.
	if out, err := p.command("lock").CombinedOutput(); err != nil || p.read("mcpassay.lock") != after {
		t.Errorf("%v\n%s", err, out)
	}
}

// Two writers at once make no mixture: the lock is what one of them wrote.
func TestManyWritersOfALockMakeNoMixture(t *testing.T) {
	p := newLocked(t, team)
	p.want(0, "lock")
	var wait sync.WaitGroup
	var mu sync.Mutex
	var failed []string
	for i := range 6 {
		wait.Go(func() {
			project := fmt.Sprintf("p%d.yaml", i)
			text := strings.Replace(team, "version: \"1\"\nservers:\n", fmt.Sprintf("version: \"1\"\nservers:\n  mine-%d: {command: node, args: [\"%d.js\"]}\n", i, i), 1)
			if err := os.WriteFile(filepath.Join(p.dir, project), []byte(text), 0o644); err != nil {
				panic(err)
			}
			out, err := p.command("lock", "-f", project).CombinedOutput()
			if err != nil {
				mu.Lock()
				failed = append(failed, fmt.Sprintf("%v: %s", err, out))
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if len(failed) > 0 {
		t.Errorf("%s", failed)
	}
	l, err := lock.Read("mcpassay.lock", []byte(p.read("mcpassay.lock")), limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Servers) != 4 { // each writes what its own file declares, and the last one stays: never a mixture, never half
		t.Errorf("%d servers", len(l.Servers))
	}
	if raw := []byte(p.read("mcpassay.lock")); !bytes.Equal(raw, l.Encode()) {
		t.Error("it is no lock in its one form")
	}
}
