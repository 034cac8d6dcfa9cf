//go:build unix

package files

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const childTarget = "MCPASSAY_TEST_WRITE"

// TestChildThatWrites is no test: it is the process that TestWriteAtomicSurvivesAKill kills.
func TestChildThatWrites(t *testing.T) {
	path := os.Getenv(childTarget)
	if path == "" {
		t.Skip("run by TestWriteAtomicSurvivesAKill")
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		for _, fill := range versions() {
			if err := WriteAtomic(path, fill, WriteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func versions() [2][]byte {
	return [2][]byte{bytes.Repeat([]byte("old "), 64<<10), bytes.Repeat([]byte("new!"), 48<<10)}
}

func TestWriteAtomicSurvivesAKill(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mcp.json")
	both := versions()
	if err := os.WriteFile(path, both[0], 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil { // whatever the umask is
		t.Fatal(err)
	}
	replaced := false
	for round := range 12 {
		child := exec.Command(os.Args[0], "-test.run=^TestChildThatWrites$")
		child.Env = append(os.Environ(), childTarget+"="+path)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+7*round) * time.Millisecond)
		if err := child.Process.Kill(); err != nil {
			t.Error(err)
		}
		if err := child.Wait(); err == nil || strings.Contains(err.Error(), "exit status") {
			t.Errorf("the child ended by itself: %v", err)
		}
		data := []byte(content(t, path))
		replaced = replaced || bytes.Equal(data, both[1])
		if !bytes.Equal(data, both[0]) && !bytes.Equal(data, both[1]) {
			t.Fatalf("after a kill the file holds %d bytes of neither version", len(data))
		}
		perm(t, path, 0o640)
		left, err := filepath.Glob(filepath.Join(dir, ".mcpassay-*.tmp"))
		if err != nil {
			t.Fatal(err)
		}
		for _, tmp := range left {
			if info, err := os.Stat(tmp); err != nil || info.Mode().Perm()&^0o640 != 0 {
				t.Errorf("%s: %v, %v", tmp, info, err)
			}
		}
	}
	if !replaced {
		t.Log("no kill came after a write of the second version")
	}
}

func TestWriteAtomicRefusesAPipe(t *testing.T) {
	path := fifo(t, filepath.Join(t.TempDir(), "mcp.json"))
	in(t, 5*time.Second, func() {
		if err := WriteAtomic(path, []byte("x"), WriteOptions{}); ReasonOf(err) != NotRegular {
			t.Error(err)
		}
	})
}

func TestWriteAtomicAsRootKeepsTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may give files away: run as root to see this")
	}
	path := put(t, filepath.Join(t.TempDir(), "mcp.json"), "old")
	if err := os.Chown(path, 1234, 5678); err != nil {
		t.Skip(err)
	}
	if err := WriteAtomic(path, []byte("new"), WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 1234 || st.Gid != 5678 {
		t.Errorf("owner %d:%d", st.Uid, st.Gid)
	}
}

func TestPrivateFilesAreReadAndWrittenPrivately(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	for mode, ok := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o700: true, 0o604: false, 0o620: false, 0o640: false, 0o602: false} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Read(path, ReadOptions{Private: true}); (err == nil) != ok {
			t.Errorf("mode %o: %v", mode, err)
		}
		if err := WriteAtomic(path, []byte("y"), WriteOptions{Private: true}); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %o becomes %v, %v", mode, info, err)
		}
	}
}
