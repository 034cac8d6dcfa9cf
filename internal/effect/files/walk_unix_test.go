//go:build unix

package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWalkTellsOfSpecialFilesUnderAConfigsName(t *testing.T) {
	root := t.TempDir()
	fifo(t, filepath.Join(root, ".mcp.json"))
	socket(t, filepath.Join(root, "mcp.json"))
	got, _ := walk(t, root, WalkOptions{})
	expect(t, got, ".mcp.json fifo", "mcp.json socket")
}

func TestWalkReportsAFolderThatItMayNotRead(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything: run as another user to see this")
	}
	root := t.TempDir()
	put(t, filepath.Join(root, "closed", "mcp.json"), "{}")
	put(t, filepath.Join(root, "open", "mcp.json"), "{}")
	if err := os.Chmod(filepath.Join(root, "closed"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(root, "closed"), 0o755) })
	got, _ := walk(t, root, WalkOptions{})
	expect(t, got, "closed directory unreadable", "open/mcp.json")
}

// A folder whose path is longer than the system takes can not be opened by anybody, root included.
func TestWalkReportsAFolderThatTheSystemCanNotOpen(t *testing.T) {
	root := t.TempDir()
	name := strings.Repeat("d", 250)
	deep := root
	t.Chdir(root)
	for len(deep) < 4096 {
		if err := os.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chdir(name); err != nil {
			t.Fatal(err)
		}
		deep = filepath.Join(deep, name)
	}
	if err := os.Chdir(root); err != nil {
		t.Fatal(err)
	}
	got, _ := walk(t, root, WalkOptions{})
	if len(got) != 1 || !strings.HasSuffix(got[0], " directory unreadable") {
		t.Errorf("visited %d entries: %.80q", len(got), got)
	}
}
