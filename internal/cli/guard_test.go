package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A program that somebody downloaded under another name says so, in place of an entry that nobody would know again. The test binary is
// such a program.
func TestTheGuardIsPutIntoEntriesUnderItsOwnName(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	config := filepath.Join(home, ".cursor", "mcp.json")
	const text = `{"mcpServers": {"a": {"command": "echo", "args": []}}}`
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, said bytes.Buffer
	code := Main([]string{"guard", "enable"}, IO{In: strings.NewReader(""), Out: &out, Err: &said, Getenv: func(string) string { return "" },
		Environ: func() []string { return nil }, Now: time.Now, Platform: "linux", Home: home, Cwd: home})
	if code != exitFindings || !strings.Contains(said.String(), "give it the name mcpassay") {
		t.Errorf("%d: %s%s", code, out.String(), said.String())
	}
	if raw, err := os.ReadFile(config); err != nil || string(raw) != text {
		t.Errorf("%v: %s", err, raw)
	}
}
