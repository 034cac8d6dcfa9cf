package test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/cli"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	double "github.com/mcpassay/mcpassay/test/registry"
)

// A real package of npm goes all the way: its record is found, its version resolved, its integrity locked, its launch line written
// into a client's config, and what that starts speaks MCP.
func TestARealPackageOfNPMIsAddedLockedPutIntoAClientAndStarts(t *testing.T) {
	integrity := npmSays(t, "view", double.PublicPackage+"@"+double.PublicVersion, "dist.integrity")
	if _, err := exec.LookPath("npx"); err != nil {
		lacks(t, "needs npx: apt-get install npm")
	}
	s := double.New()
	defer s.Close()
	home, dir := t.TempDir(), t.TempDir()
	config := filepath.Join(home, ".claude.json")
	if err := os.WriteFile(config, []byte("{\"theme\": \"dark\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	proxy := tunnel(t)
	run := func(want int, args ...string) (string, string) {
		t.Helper()
		var out, errs bytes.Buffer
		streams := cli.OS()
		streams.Out, streams.Err, streams.Cwd, streams.Home = &out, &errs, dir, home
		getenv := streams.Getenv
		streams.Getenv = func(name string) string {
			switch name {
			case "XDG_STATE_HOME":
				return filepath.Join(home, "state")
			case "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR":
				return ""
			}
			return getenv(name)
		}
		if code := cli.Main(append(args, "--registry", s.URL+"/ok", "--proxy", proxy), streams); code != want {
			t.Fatalf("%v: exit %d, want %d\n%s%s", args, code, want, out.String(), errs.String())
		}
		return out.String(), errs.String()
	}
	run(0, "add", "com.example/public", "--as", "everything", "--yes")
	lockText, err := os.ReadFile(filepath.Join(dir, "mcpassay.lock"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := pkg.ParseSRI(integrity)
	if err != nil || !strings.Contains(string(lockText), want[0].String()) {
		t.Fatalf("npm says %s, and the lock is\n%s", integrity, lockText)
	}
	run(0, "up", "--frozen", "--ci", "--client", "claude-code")

	// A lock with other bytes is refused before anything is written.
	written, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	digits := strings.TrimPrefix(want[0].String(), "sha512:")
	bad := strings.Replace(string(lockText), digits, strings.Repeat("0", len(digits)), 1)
	if err := os.WriteFile(filepath.Join(dir, "mcpassay.lock"), []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs := run(1, "up", "--ci"); !strings.Contains(errs, "blocked: everything: drift:") {
		t.Errorf("bytes that are others: %s", errs)
	}
	if again, _ := os.ReadFile(config); !bytes.Equal(again, written) {
		t.Errorf("a blocked run wrote\n%s", again)
	}

	var read struct {
		Theme      string
		MCPServers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(written, &read); err != nil || read.Theme != "dark" {
		t.Fatalf("%v\n%s", err, written)
	}
	entry := read.MCPServers["everything"]
	if entry.Command != "npx" || strings.Join(entry.Args, " ") != "-y "+double.PublicPackage+"@"+double.PublicVersion {
		t.Fatalf("%+v", entry)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, entry.Command, entry.Args...)
	cmd.Dir = t.TempDir()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		in.Close()
		cancel()
		_ = cmd.Wait()
	}()
	if _, err := in.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n")); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"serverInfo"`) {
			return
		}
	}
	t.Errorf("it did not answer: %v", lines.Err())
}
