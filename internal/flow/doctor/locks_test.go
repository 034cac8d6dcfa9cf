package doctor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
)

// drawer is a disk of files by path, with those that a search below a folder finds.
type drawer struct {
	files map[string][]byte
	below []string
	all   bool
}

func (d drawer) Read(path string, max int, _ string) (load.Content, error) {
	raw, ok := d.files[path]
	switch {
	case !ok:
		return load.Content{}, &load.Refusal{Reason: "missing"}
	case len(raw) > max:
		return load.Content{}, &load.Refusal{Reason: "oversized"}
	}
	return load.Content{Bytes: raw, Identity: path}, nil
}
func (d drawer) Exists(path string) bool                         { return d.files[path] != nil }
func (d drawer) Absent(path string) bool                         { return d.files[path] == nil }
func (d drawer) Expand(client.Candidate) []string                { return nil }
func (d drawer) Below(string, string, int, int) ([]string, bool) { return d.below, d.all }

// cabinet is a disk with so many locks of so many bytes below the working folder.
func cabinet(n, size int) drawer {
	d := drawer{files: map[string][]byte{"/p/.mcp.json": []byte(`{"mcpServers": {"shop": {"command": "shop"}}}`)}, all: true}
	for i := range n {
		s := &lock.Server{Name: strings.Repeat("n", max(1, size)), Launch: lock.Launch{Transport: "stdio", Command: fmt.Sprint(i)}}
		at := fmt.Sprintf("/p/%03d/mcpassay.lock", i)
		d.files[at] = (&lock.Lock{Servers: []*lock.Server{s}}).Encode()
		d.below = append(d.below, at)
	}
	return d
}

func visit(d drawer, lim limits.Set) *Visit {
	v := Look(d, Options{Configs: []string{"/p/.mcp.json"}, NoDiscover: true, Cwd: "/p", Limits: lim, Env: client.Env{OS: "linux", Home: "/h", Getenv: func(string) string { return "" }},
		Shown: func(abs string) string { return abs }, Command: func(words ...string) string { return strings.Join(words, " ") }})
	return v
}

func TestOnlySoManyLocksAreRead(t *testing.T) {
	lim := limits.Default
	for _, more := range []int{0, 1} {
		v := visit(cabinet(lim.Locks+more, 1), lim)
		if got := len(v.Machine.Locks); got != lim.Locks || len(v.locks.notes) != more {
			t.Errorf("%d and %d more: %d read, %q", lim.Locks, more, got, v.locks.notes)
		}
	}
}

func TestLocksAreReadUpToSoManyBytesInAll(t *testing.T) {
	lim := limits.Default
	d := cabinet(3, 10)
	size := len(d.files[d.below[0]])
	for allowed, skipped := range map[int]int{3 * size: 0, 3*size - 1: 1} {
		lim.LockBytes = allowed
		v := visit(d, lim)
		if len(v.Machine.Locks) != 3-skipped || len(v.locks.left.Skipped) != skipped {
			t.Errorf("%d bytes: %d read, %v skipped", allowed, len(v.Machine.Locks), v.locks.left.Skipped)
		}
	}
}

func TestASearchForLocksThatWasCutOffIsSaid(t *testing.T) {
	d := cabinet(1, 1)
	d.all = false
	if v := visit(d, limits.Default); len(v.locks.notes) != 1 || !strings.Contains(v.locks.notes[0], "10000") {
		t.Errorf("%q", v.locks.notes)
	}
}

func TestASecondLookStartsAnew(t *testing.T) {
	d := cabinet(2, 1)
	v := visit(d, limits.Default)
	d.files["/p/mcpassay.lock"] = []byte("broken")
	v.FindLocks()
	if len(v.Machine.Locks) != 2 || len(v.locks.left.Locks) != 1 || !v.locks.unusable["/p/mcpassay.lock"] {
		t.Errorf("%d locks, %d broken", len(v.Machine.Locks), len(v.locks.left.Locks))
	}
}
