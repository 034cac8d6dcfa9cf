package test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fleetHome is a home in which one client lacks a server that another has.
func fleetHome(t *testing.T) (home, file string) {
	t.Helper()
	home = t.TempDir()
	for name, text := range map[string]string{
		".cursor/mcp.json":        "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\", \"args\": [\"1\"]}\n  }\n}\n",
		".kiro/settings/mcp.json": "{\n  \"mcpServers\": {\n    \"b\": {\"command\": \"y\"}\n  }\n}\n",
		"work/.git/HEAD":          "",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return home, filepath.Join(home, ".kiro/settings/mcp.json")
}

// in runs a command in a home, and says how it ended.
func in(t *testing.T, home string, argv ...string) (*os.ProcessState, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir = filepath.Join(home, "work")
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "NO_COLOR=1", "GOMAXPROCS=1"}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState, out.String()
}

func TestAFileOrFolderThatCanNotBeWrittenIsSaidAndLeft(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everything")
	}
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	home, file := fleetHome(t)
	old, _ := os.ReadFile(file)
	if err := os.Chmod(filepath.Dir(file), 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Dir(file), 0o755)
	state, out := in(t, home, bin, "sync", "--from", "cursor", "--client", "cursor,kiro")
	if got, _ := os.ReadFile(file); state.ExitCode() != 1 || !bytes.Equal(got, old) || !strings.Contains(out, "not written: ~/.kiro/settings/mcp.json") {
		t.Errorf("%v: %s", state, out)
	}
}
