package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// A tree of more entries than a walk looks at is said, with the folder where the search ended.
func TestAWalkThatIsCutShortSaysWhere(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/one", "a/two", "b/.mcp.json"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lim := limits.Default
	lim.WalkEntries = 2
	d := &disk{heap: heap{limits: lim}}
	var refused []lint.Found
	named := func(name, _ string) bool { return name == ".mcp.json" }
	d.Walk(dir, named, named, func(f lint.Found) { refused = append(refused, f) })
	if len(refused) != 1 || refused[0].Refusal == nil || refused[0].Rel != "a" || !strings.Contains(refused[0].Refusal.Detail, "after 2 ") {
		t.Fatalf("visited %+v", refused)
	}
}
