package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestAScanAsksOnlySoManyServersAndSaysHowToPick(t *testing.T) {
	dir := t.TempDir()
	config := `{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}, "c": {"command": "c"}}}`
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(most int) error {
		none := func(string) string { return "" }
		a := &app{limits: limits.Default, ctx: t.Context(), io: IO{Out: new(bytes.Buffer), Err: new(bytes.Buffer), Cwd: dir, Home: dir, Getenv: none,
			Environ: func() []string { return nil }, Now: time.Now, Platform: "linux"}}
		a.limits.ScanTargets = most
		root := a.root(nil)
		root.SetArgs([]string{"scan", "--config", ".mcp.json"})
		return root.ExecuteContext(t.Context())
	}
	if err := run(2); err == nil || !strings.Contains(err.Error(), "3 servers, and one scan asks 2") {
		t.Errorf("over the limit: %v", err)
	}
	if err := run(3); err == nil || !strings.Contains(err.Error(), "--allow-exec") { // the next thing that is refused
		t.Errorf("at the limit: %v", err)
	}
}
