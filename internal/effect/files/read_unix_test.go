//go:build unix

package files

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// in fails the test where do blocks: that is the fault these tests are for (ctxlint hangs on a FIFO named
// .mcp.json).
func in(t *testing.T, limit time.Duration, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatal("it blocks")
	}
}

func fifo(t *testing.T, path string) string {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func socket(t *testing.T, path string) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		t.Skipf("the temporary folder's path is too long for a socket: %v", err)
	}
	return path
}

func TestReadNeverOpensWhatIsNotAFile(t *testing.T) {
	dir := t.TempDir()
	special := map[string]Kind{
		fifo(t, filepath.Join(dir, "fifo.json")):     FIFO,
		socket(t, filepath.Join(dir, "socket.json")): Socket,
		"/dev/zero": Device,
		"/dev/null": Device,
	}
	for path, kind := range special {
		for _, base := range []string{"", filepath.Dir(path)} {
			in(t, 5*time.Second, func() {
				if e := refused(t, path, ReadOptions{Base: base}, NotRegular); e.Kind != kind {
					t.Errorf("%s is a %v", path, e.Kind)
				}
			})
		}
	}
	named := link(t, "/dev/zero", filepath.Join(dir, "zero.json"))
	if e := refused(t, named, ReadOptions{}, NotRegular); e.Kind != Device {
		t.Errorf("a link to a device is a %v", e.Kind)
	}
}

func TestReadDoesNotBlockOnAFileThatBecomesAPipe(t *testing.T) {
	// The race itself can not be hit at will, so what guards against it is held here: the open flags.
	path := fifo(t, filepath.Join(t.TempDir(), "mcp.json"))
	in(t, 5*time.Second, func() {
		f, err := os.OpenFile(path, openNonBlocking|openNoFollow, 0)
		if err != nil {
			t.Error(err)
			return
		}
		f.Close()
	})
}

func TestReadOfAFileWithoutPermissionIsUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything: run as another user to see this")
	}
	path := put(t, filepath.Join(t.TempDir(), "mcp.json"), "{}")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	refused(t, path, ReadOptions{}, Unreadable)
}

func TestReadOfAPathThatTheSystemRefusesIsUnreadable(t *testing.T) {
	refused(t, filepath.Join(t.TempDir(), "mcp\x00.json"), ReadOptions{}, Unreadable)
}

func TestReadOfAFileThatSaysItIsEmpty(t *testing.T) {
	const path = "/proc/self/status"
	if _, err := os.Stat(path); err != nil {
		t.Skip("no /proc here")
	}
	data, _, err := Read(path, ReadOptions{})
	if err != nil || len(data) == 0 {
		t.Errorf("Read = %d bytes, %v", len(data), err)
	}
	refused(t, path, ReadOptions{MaxBytes: 10}, Oversized)
}
