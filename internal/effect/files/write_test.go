package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/canon"
)

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// alone fails where anything but the file at path is in its folder.
func alone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 || entries[0].Name() != filepath.Base(path) {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

func perm(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != want {
		t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
	}
}

func TestWriteAtomicReplacesAndKeepsTheMode(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o664, 0o755} {
		path := put(t, filepath.Join(t.TempDir(), "mcp.json"), "old")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		err := WriteAtomic(path, []byte("new"), WriteOptions{ExpectDigest: canon.Digest([]byte("old"))})
		if err != nil || content(t, path) != "new" {
			t.Fatalf("%v: the file holds %q", err, content(t, path))
		}
		perm(t, path, mode)
		alone(t, path)
	}
}

func TestWriteAtomicMakesANewFilePrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.sarif")
	if err := WriteAtomic(path, []byte("x"), WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	perm(t, path, 0o600)
}

func TestWriteAtomicLeavesAloneWhatItDoesNotKnow(t *testing.T) {
	dir := t.TempDir()
	old := canon.Digest([]byte("old"))
	changed := put(t, filepath.Join(dir, "changed", "mcp.json"), "somebody else's")
	real := put(t, filepath.Join(dir, "real", "mcp.json"), "old")
	folder := filepath.Join(dir, "folder", "mcp.json")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "linked", "x"), "")
	for _, c := range []struct {
		path string
		opt  WriteOptions
		want Reason
	}{
		{changed, WriteOptions{ExpectDigest: old}, Changed},
		{filepath.Join(dir, "real", "none.json"), WriteOptions{ExpectDigest: old}, Missing},
		{filepath.Join(dir, "none", "mcp.json"), WriteOptions{}, Missing},
		{folder, WriteOptions{}, NotRegular},
		{link(t, real, filepath.Join(dir, "linked", "mcp.json")), WriteOptions{ExpectDigest: old}, SymbolicLink},
		{link(t, real, filepath.Join(dir, "linked", "b.json")), WriteOptions{}, SymbolicLink},
		{filepath.Join(link(t, "real", filepath.Join(dir, "alias")), "mcp.json"), WriteOptions{Base: dir}, SymbolicLink},
	} {
		if err := WriteAtomic(c.path, []byte("new"), c.opt); ReasonOf(err) != c.want {
			t.Errorf("WriteAtomic(%s): %v, want %s", c.path, err, c.want)
		}
	}
	if content(t, changed) != "somebody else's" || content(t, real) != "old" {
		t.Error("a file was written")
	}
	alone(t, changed)
	alone(t, real)
}

func TestWriteAtomicSeesAChangeUpToTheLastMoment(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), "mcp.json"), "old")
	err := WriteAtomic(path, []byte("new"), WriteOptions{ExpectDigest: canon.Digest([]byte("old")), before: func(step string) error {
		if step == "rename" {
			put(t, path, "edited by its owner")
		}
		return nil
	}})
	if ReasonOf(err) != Changed || content(t, path) != "edited by its owner" {
		t.Errorf("%v: the file holds %q", err, content(t, path))
	}
	alone(t, path)

	path = filepath.Join(t.TempDir(), "new.json")
	err = WriteAtomic(path, []byte("new"), WriteOptions{before: func(string) error { put(t, path, "theirs"); return nil }})
	if ReasonOf(err) != Changed || content(t, path) != "theirs" {
		t.Errorf("%v: the file holds %q", err, content(t, path))
	}
}

func TestWriteAtomicThatFailsLeavesTheOldFileAndNothingElse(t *testing.T) {
	full := errors.New("no space left")
	for _, fail := range []string{"write", "mode", "sync", "rename"} {
		path := put(t, filepath.Join(t.TempDir(), "mcp.json"), "old")
		err := WriteAtomic(path, []byte("new"), WriteOptions{before: func(step string) error {
			if step == fail {
				return fmt.Errorf("disk: %w", full)
			}
			return nil
		}})
		if ReasonOf(err) != Unwritable || !errors.Is(err, full) || content(t, path) != "old" {
			t.Errorf("%s: %v, the file holds %q", fail, err, content(t, path))
		}
		alone(t, path)
	}
}

func TestBackupIsPrivateAndNeverOverwritten(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state", "mcpassay")
	path := put(t, filepath.Join(t.TempDir(), ".mcp.json"), "")
	first, err := Backup(state, path, []byte("secret one"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := Backup(state, path, []byte("secret two"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Backup(state, path, []byte("secret one"))
	if err != nil || again != first || second == first {
		t.Errorf("%s, %s, %s: %v", first, second, again, err)
	}
	other, err := Backup(state, path+".other", []byte("secret one"))
	if err != nil || other == first {
		t.Errorf("another file's backup is %s, %v", other, err)
	}
	if content(t, first) != "secret one" || content(t, second) != "secret two" {
		t.Error("a backup does not hold what it was given")
	}
	if !strings.HasPrefix(filepath.Base(first), ".mcp.json.") {
		t.Errorf("%s does not name the file", first)
	}
	perm(t, first, 0o600)
	perm(t, filepath.Dir(first), 0o700)
	perm(t, state, 0o700)

	if err := os.WriteFile(first, []byte("tampered"), 0o600); err != nil {
		t.Fatal(err)
	}
	if to, err := Backup(state, path, []byte("secret one")); ReasonOf(err) != Changed || to != "" {
		t.Errorf("over a backup with other content: %q, %v", to, err)
	}
	if content(t, first) != "tampered" {
		t.Error("a backup was overwritten")
	}
}

func TestBackupClosesAnOpenFolderAndRefusesALinkedOne(t *testing.T) {
	state, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(state, "backups"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Backup(state, "mcp.json", nil); err != nil {
		t.Fatal(err)
	}
	perm(t, filepath.Join(state, "backups"), 0o700)

	state = t.TempDir()
	link(t, elsewhere, filepath.Join(state, "backups"))
	if to, err := Backup(state, "mcp.json", []byte("x")); ReasonOf(err) != SymbolicLink {
		t.Errorf("through a link: %q, %v", to, err)
	}
	if _, err := Backup("", "mcp.json", nil); err == nil {
		t.Error("a backup without a state folder")
	}
}

func TestBackupOfAFileWithALongOrOddName(t *testing.T) {
	state := t.TempDir()
	for _, name := range []string{strings.Repeat("é", 127), "\xff\xfe.json", strings.Repeat("x", 255)} {
		to, err := Backup(state, filepath.Join("/some", name), []byte("x"))
		if err != nil || content(t, to) != "x" {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestANewFileReplacesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := WriteAtomic(path, []byte("one"), WriteOptions{New: true}); err != nil {
		t.Fatal(err)
	}
	if err := WriteAtomic(path, []byte("two"), WriteOptions{New: true}); ReasonOf(err) != Changed {
		t.Errorf("%v", err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "one" {
		t.Errorf("%q, %v", raw, err)
	}
	if err := Remove(path); err != nil {
		t.Error(err)
	}
	if err := Remove(path); ReasonOf(err) != Missing {
		t.Errorf("removed twice: %v", err)
	}
}
