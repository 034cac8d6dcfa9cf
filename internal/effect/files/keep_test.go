package files

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestBackupsAreDatedPrivateAndFew(t *testing.T) {
	dir := t.TempDir()
	state, path := filepath.Join(dir, "state"), filepath.Join(dir, "mcp.json")
	lim := limits.Default
	lim.BackupsKept = 3
	at := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	lasting, err := Backup(state, path, []byte("a secret was here"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := Keep(state, at, filepath.Join(dir, "other", "mcp.json"), []byte("other"), lim)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for i := range 5 {
		to, err := Keep(state, at.Add(time.Duration(i)*time.Second), path, fmt.Appendf(nil, "version %d", i), lim)
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, to)
	}
	for i, to := range kept {
		data, err := os.ReadFile(to)
		if gone := i < 2; gone != os.IsNotExist(err) || !gone && string(data) != fmt.Sprintf("version %d", i) {
			t.Errorf("backup %d: %q, %v", i, data, err)
		}
	}
	if !strings.HasPrefix(filepath.Base(kept[4]), "20261201T100004.") {
		t.Errorf("%s does not begin with its date", kept[4])
	}
	for _, to := range []string{kept[4], lasting, other} {
		info, err := os.Stat(to)
		if err != nil {
			t.Error(err)
		} else if runtime.GOOS != windows && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", to, info.Mode())
		}
	}
	if _, err := Keep("", at, path, nil, lim); err == nil {
		t.Error("a backup without a folder")
	}
}

func TestOneRuleForLinkedDotfiles(t *testing.T) {
	base := t.TempDir()
	home, outside := filepath.Join(base, "home"), filepath.Join(base, "outside")
	real := put(t, filepath.Join(home, "dotfiles", "cursor", "mcp.json"), "{}")
	put(t, filepath.Join(outside, "mcp.json"), "{}")
	plain := put(t, filepath.Join(home, ".kiro", "mcp.json"), "{}")
	link(t, filepath.Join(home, "dotfiles", "cursor"), filepath.Join(home, ".cursor"))
	link(t, "../dotfiles/cursor/mcp.json", filepath.Join(home, ".kiro", "linked.json"))
	link(t, outside, filepath.Join(home, ".out"))
	link(t, "nowhere", filepath.Join(home, "dangling.json"))
	for path, want := range map[string]string{
		filepath.Join(home, ".cursor", "mcp.json"): real, filepath.Join(home, ".kiro", "linked.json"): real, plain: plain,
		filepath.Join(home, ".none", "mcp.json"): filepath.Join(home, ".none", "mcp.json"),
	} {
		got, err := Follow(path, home)
		if err != nil || got != want {
			t.Errorf("Follow(%s) = %s, %v", path, got, err)
		}
		if err == nil && want == real {
			if _, _, err := Read(got, ReadOptions{Base: home}); err != nil {
				t.Error(err)
			}
			if err := WriteAtomic(got, []byte("{ }"), WriteOptions{Base: home}); err != nil {
				t.Error(err)
			}
		}
	}
	if info, err := os.Lstat(filepath.Join(home, ".kiro", "linked.json")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is no link any more")
	}
	for path, want := range map[string]Reason{filepath.Join(home, ".out", "mcp.json"): SymbolicLink, filepath.Join(home, "dangling.json"): DanglingLink} {
		if got, err := Follow(path, home); ReasonOf(err) != want {
			t.Errorf("Follow(%s) = %s, %v", path, got, err)
		}
	}
}

func TestNotesAreKeptAndTakenAway(t *testing.T) {
	state, path := t.TempDir(), "/home/u/.cursor/mcp.json"
	if doc, err := Noted(state, "places", path, 1000); doc != nil || err != nil {
		t.Errorf("%q, %v", doc, err)
	}
	if err := Note(state, "places", path, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if doc, err := Noted(state, "places", path, 1000); string(doc) != "{}" || err != nil {
		t.Errorf("%q, %v", doc, err)
	}
	if doc, err := Noted("", "places", path, 1000); doc != nil || err != nil {
		t.Errorf("%q, %v", doc, err)
	}
	for range 2 {
		if err := Note(state, "places", path, nil); err != nil {
			t.Error(err)
		}
	}
	if doc, err := Noted(state, "places", path, 1000); doc != nil || err != nil {
		t.Errorf("%q, %v", doc, err)
	}
}

func TestAFolderIsMadeForAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "mcp.json")
	if err := MakeFolder(path); err != nil {
		t.Fatal(err)
	}
	if err := WriteAtomic(path, []byte("{}"), WriteOptions{New: true}); err != nil {
		t.Error(err)
	}
	if err := MakeFolder(filepath.Join(path, "c", "d")); ReasonOf(err) == "" {
		t.Errorf("a folder in a file: %v", err)
	}
}
