//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	ledgerdoor "github.com/mcpassay/mcpassay/internal/effect/ledger"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/ledger"
)

// An append to a log of a million records takes at most appendCPU, and reads at most appendBytes.
const (
	appendCPU   = 5 * time.Millisecond
	appendBytes = 64 * limits.KiB
	appends     = 50
)

// appending appends to a log of a million records.
func appending(string) (failed int, err error) {
	dir, err := os.MkdirTemp("", "mcpassay-log")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	l := &ledgerdoor.Log{Path: filepath.Join(dir, "audit.jsonl"), Limits: limits.Default, Now: time.Now}
	l.Limits.LogBytes = 1 << 40
	r := &ledger.Record{Seq: 1_000_000, Prev: "sha256:", Kind: ledger.RunKind, Event: []byte(`{"verb":"lint"}`)}
	line, err := r.Seal()
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(l.Path, bytes.Repeat(line, 1_000_000), 0o600); err != nil {
		return 0, err
	}
	var times []time.Duration
	most := 0
	for range appends {
		before, read := spent(), readSoFar()
		if _, err := l.Append(ledger.RunKind, map[string]any{"verb": "lint"}); err != nil {
			return 0, err
		}
		times = append(times, spent()-before)
		most = max(most, readSoFar()-read)
	}
	slices.Sort(times)
	cpu := times[appends/2]
	looking := readSoFar()
	looking = readSoFar() - looking
	ok := cpu <= appendCPU && most-looking <= appendBytes+64 // the numbers in what is looked at grow, too
	fmt.Printf("%-44s %10s %10s %5d KiB %5d KiB%s\n", "append to a log of a million records, read", cpu.Round(time.Microsecond), appendCPU, (most-looking)>>10, appendBytes>>10, mark(ok))
	if !ok {
		failed++
	}
	return failed, nil
}

// spent is the CPU time of this process.
func spent() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// readSoFar is how many bytes this process has read.
func readSoFar() (n int) {
	raw, _ := os.ReadFile("/proc/self/io")
	_, rest, _ := strings.Cut(string(raw), "rchar: ")
	fmt.Sscan(rest, &n)
	return n
}
