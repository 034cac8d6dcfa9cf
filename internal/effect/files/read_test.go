package files

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func put(t testing.TB, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// link makes a symbolic link, or skips where the system does not let this user do so.
func link(t *testing.T, target, path string) string {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("this user may not make symbolic links here: %v", err)
	}
	return path
}

func refused(t *testing.T, path string, opt ReadOptions, want Reason) *Error {
	t.Helper()
	data, _, err := Read(path, opt)
	var e *Error
	if !errors.As(err, &e) || e.Reason != want || data != nil {
		t.Fatalf("Read(%s) = %d bytes, %v; want reason %q", path, len(data), err, want)
	}
	return e
}

func TestReadGivesTheBytesAndWhichFileItWas(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), ".mcp.json"), "{}\n")
	data, id, err := Read(path, ReadOptions{})
	if err != nil || string(data) != "{}\n" || id == (ID{}) {
		t.Fatalf("Read = %q, %v, %v", data, id, err)
	}
}

func TestReadAnEmptyFileIsNoError(t *testing.T) {
	data, _, err := Read(put(t, filepath.Join(t.TempDir(), "mcp.json"), ""), ReadOptions{})
	if err != nil || len(data) != 0 {
		t.Fatalf("Read = %q, %v", data, err)
	}
}

func TestReadTakesMaxBytesAndNotOneMore(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), "mcp.json"), "12345678")
	if data, _, err := Read(path, ReadOptions{MaxBytes: 8}); err != nil || len(data) != 8 {
		t.Errorf("8 of 8 bytes: %d, %v", len(data), err)
	}
	refused(t, path, ReadOptions{MaxBytes: 7}, Oversized)
}

func TestReadRefusesAHundredMegabytesWithoutReadingThem(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), "mcp.json"), "")
	if err := os.Truncate(path, 100<<20); err != nil {
		t.Fatal(err)
	}
	allocated := testing.AllocsPerRun(1, func() { refused(t, path, ReadOptions{}, Oversized) })
	if allocated > 100 {
		t.Errorf("%v allocations", allocated)
	}
}

func TestReadOfNothingIsMissing(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, ".cursor"), "a file where a folder is expected")
	for _, path := range []string{"mcp.json", ".cursor/mcp.json", "no/such/mcp.json"} {
		for _, base := range []string{"", dir} {
			e := refused(t, filepath.Join(dir, path), ReadOptions{Base: base}, Missing)
			if !errors.Is(e, fs.ErrNotExist) {
				t.Errorf("%v is not fs.ErrNotExist", e)
			}
		}
	}
}

func TestReadOfADirectorySaysSo(t *testing.T) {
	dir := t.TempDir()
	for _, base := range []string{"", filepath.Dir(dir)} {
		if e := refused(t, dir, ReadOptions{Base: base}, NotRegular); e.Kind != Directory {
			t.Errorf("kind %v", e.Kind)
		}
	}
}

func TestReadFollowsANamedLinkAndTellsTheFileByItsIdentity(t *testing.T) {
	dir := t.TempDir()
	file := put(t, filepath.Join(dir, "real.json"), "{}")
	named := link(t, "real.json", filepath.Join(dir, "named.json"))
	_, a, errA := Read(file, ReadOptions{})
	_, b, errB := Read(named, ReadOptions{})
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if a != b {
		t.Errorf("%v and %v are one file", a, b)
	}
	put(t, filepath.Join(dir, "other.json"), "{}")
	if _, c, _ := Read(filepath.Join(dir, "other.json"), ReadOptions{}); c == a {
		t.Error("two files with one identity")
	}
}

func TestReadRefusesALinkAtEveryComponentBelowTheBase(t *testing.T) {
	base, outside := t.TempDir(), t.TempDir()
	put(t, filepath.Join(outside, "mcp.json"), "{}")
	put(t, filepath.Join(base, "real", ".cursor", "mcp.json"), "{}")
	link(t, outside, filepath.Join(base, "folder"))
	link(t, "real", filepath.Join(base, "inside"))
	link(t, filepath.Join(outside, "mcp.json"), filepath.Join(base, "mcp.json"))
	link(t, "nowhere", filepath.Join(base, "dangling.json"))
	for _, path := range []string{"mcp.json", "folder/mcp.json", "inside/.cursor/mcp.json", "dangling.json"} {
		e := refused(t, filepath.Join(base, path), ReadOptions{Base: base}, SymbolicLink)
		if first, _, below := strings.Cut(path, "/"); below && !strings.Contains(e.Error(), filepath.Join(base, first)) {
			t.Errorf("%v does not name the link", e)
		}
	}
	if _, _, err := Read(filepath.Join(base, "real", ".cursor", "mcp.json"), ReadOptions{Base: base}); err != nil {
		t.Error(err)
	}
	// The base itself was named, so it may be a link.
	named := link(t, filepath.Join(base, "real"), filepath.Join(outside, "named"))
	if _, _, err := Read(filepath.Join(named, ".cursor", "mcp.json"), ReadOptions{Base: named}); err != nil {
		t.Error(err)
	}
}

func TestReadRefusesAPathThatIsNotBelowTheBase(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "base-2", "mcp.json"), "{}")
	put(t, filepath.Join(dir, "base", "x"), "")
	base := filepath.Join(dir, "base")
	for _, path := range []string{filepath.Join(dir, "base-2", "mcp.json"), base + "/../base-2/mcp.json", base} {
		refused(t, path, ReadOptions{Base: base}, Unreadable)
	}
}

func TestReadWorksFromTheWorkingFolder(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a", "mcp.json"), "{}")
	t.Chdir(dir)
	for _, path := range []string{"a/mcp.json", "./a/mcp.json"} {
		if _, _, err := Read(path, ReadOptions{Base: "."}); err != nil {
			t.Error(err)
		}
	}
	refused(t, "../mcp.json", ReadOptions{Base: "."}, Unreadable)
}

func TestReadTellsDanglingAndLoopingLinks(t *testing.T) {
	dir := t.TempDir()
	dangling := link(t, "nowhere", filepath.Join(dir, "dangling"))
	link(t, "b", filepath.Join(dir, "a"))
	loop := link(t, "a", filepath.Join(dir, "b"))
	link(t, ".", filepath.Join(dir, "self"))
	refused(t, dangling, ReadOptions{}, DanglingLink)
	refused(t, filepath.Join(dangling, "mcp.json"), ReadOptions{}, DanglingLink)
	refused(t, loop, ReadOptions{}, LinkLoop)
	refused(t, filepath.Join(dir, "self", "self", "mcp.json"), ReadOptions{}, Missing)
}

func TestReadOnceMoreAfterAChange(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, path string){
		"grown":     func(t *testing.T, path string) { put(t, path, "123456789 and more") },
		"shrunk":    func(t *testing.T, path string) { put(t, path, "123") },
		"replaced":  replace,
		"rewritten": func(t *testing.T, path string) { put(t, path, "abcdefghi"); older(t, path) },
	} {
		t.Run(name, func(t *testing.T) {
			path := put(t, filepath.Join(t.TempDir(), "mcp.json"), "123456789")
			times := 0
			data, _, err := Read(path, ReadOptions{opened: func() {
				if times++; times == 1 {
					change(t, path)
				}
			}})
			want, _ := os.ReadFile(path)
			if err != nil || !bytes.Equal(data, want) || times != 2 {
				t.Errorf("Read = %q, %v after %d tries; the file holds %q", data, err, times, want)
			}
		})
	}
}

func TestReadGivesUpOnAFileThatKeepsChanging(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), "mcp.json"), "1")
	times := 0
	grow := func() {
		times++
		put(t, path, strings.Repeat("x", 10*times))
	}
	refused(t, path, ReadOptions{opened: grow}, Changed)
	if times != 2 {
		t.Errorf("%d tries", times)
	}
	refused(t, path, ReadOptions{opened: func() { replace(t, path) }}, Changed)
}

func TestReadOfAFileThatIsRemovedMeanwhileIsMissing(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), "mcp.json"), "1")
	refused(t, path, ReadOptions{opened: func() { os.Remove(path) }}, Missing)
}

func replace(t *testing.T, path string) {
	t.Helper()
	if err := os.Rename(put(t, path+".new", "abcdefghi"), path); err != nil {
		t.Skipf("an open file can not be replaced here: %v", err)
	}
}

// older moves the time of change, which two writes in one tick of the clock share.
func older(t *testing.T, path string) {
	t.Helper()
	then := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

func TestExistsFollowsLinksAndDoesNotGuess(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "bin", "server"), "")
	link(t, "bin", filepath.Join(dir, "good"))
	link(t, "nowhere", filepath.Join(dir, "bad"))
	var cache DirCache
	for path, want := range map[string]bool{
		"bin": true, "bin/server": true, "good/server": true, "bad": false, "bin/none": false, "bin/server/x": false,
	} {
		path = filepath.Join(dir, path)
		if got, err := Exists(path); got != want || err != nil {
			t.Errorf("Exists(%s) = %v, %v", path, got, err)
		}
		if got, err := cache.Exists(path); got != want || err != nil {
			t.Errorf("DirCache.Exists(%s) = %v, %v", path, got, err)
		}
	}
	if _, err := Exists(filepath.Join(dir, strings.Repeat("n", 5000))); ReasonOf(err) != Unreadable {
		t.Errorf("a name that the system refuses: %v", err)
	}
}

func TestDirCacheAsksOnce(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), "server.js"), "")
	var cache DirCache
	before, _ := cache.Exists(path)
	os.Remove(path)
	after, _ := cache.Exists(path)
	if !before || !after {
		t.Errorf("%v, then %v", before, after)
	}
}

func TestAnErrorSaysWhatAPathIsAndWhy(t *testing.T) {
	dir := t.TempDir()
	file := put(t, filepath.Join(dir, "mcp.json"), "123")
	_, _, tooLarge := Read(file, ReadOptions{MaxBytes: 2})
	_, _, folder := Read(dir, ReadOptions{})
	_, notAFolder := Walk(file, WalkOptions{Candidate: isConfig}, nil)
	_, _, missing := Read(file+"x", ReadOptions{})
	for err, want := range map[error]string{
		tooLarge:   file + ": is too large: more than 2 bytes",
		folder:     dir + ": is not a file but a directory",
		notAFolder: file + ": is a file, not a folder",
		missing:    file + "x: does not exist",
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
