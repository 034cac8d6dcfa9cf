//go:build unix

package cli

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestNPMIsAskedForItsRegistryAndNotForLong(t *testing.T) {
	for script, want := range map[string]string{
		"echo notice; echo https://r.example/": "https://r.example/", "echo 'printf %s https://r.example/'; printf 'https://r.example/'": "https://r.example/", "exit 1": "", "echo undefined": "", "sleep 30": "",
	} {
		bin := t.TempDir()
		if err := os.WriteFile(filepath.Join(bin, "npm"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		a := &app{limits: limits.Default, io: IO{Environ: func() []string { return []string{"PATH=" + bin + ":/bin:/usr/bin"} }}}
		if want == "" {
			a.limits.NPMTime, a.limits.ChildGrace, a.limits.ChildKill = 300*time.Millisecond, 100*time.Millisecond, 100*time.Millisecond
		}
		got, err := a.npmRegistry(context.Background())
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", script, got, err)
		}
	}
	a := &app{limits: limits.Default, io: IO{Environ: func() []string { return []string{"PATH=" + t.TempDir()} }}}
	if _, err := a.npmRegistry(context.Background()); err == nil {
		t.Error("no npm answered")
	}
}

func TestAnAgeIsSaidInItsLargestUnit(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0 seconds", time.Second: "1 second", 119 * time.Second: "119 seconds", 3 * time.Minute: "3 minutes", 119 * time.Minute: "119 minutes", 47 * time.Hour: "47 hours", 72 * time.Hour: "3 days"} {
		if got := ago(d); got != want {
			t.Errorf("%v: %s", d, got)
		}
	}
}
