package files

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestOneWriterAtATimeChangesAFolder(t *testing.T) {
	switch runtime.GOOS {
	case "solaris", "illumos", "aix":
		t.Skip("has no such locks")
	}
	path := filepath.Join(t.TempDir(), "mcpassay.lock")
	lim := limits.Default
	lim.WriterWait, lim.WriterPause = 30*time.Millisecond, time.Millisecond
	release, err := Exclusive(t.Context(), path, lim)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Exclusive(t.Context(), path, lim); ReasonOf(err) != Unwritable {
		t.Errorf("a second writer: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Exclusive(ctx, path, lim); err == nil {
		t.Error("a writer that was interrupted")
	}
	release()
	again, err := Exclusive(t.Context(), path, lim)
	if err != nil {
		t.Fatal(err)
	}
	again()
	if _, err := Exclusive(t.Context(), filepath.Join(path, "nowhere", "x"), lim); err == nil {
		t.Error("a folder that is not there was held")
	}
}
