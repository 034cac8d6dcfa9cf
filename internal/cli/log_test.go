package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	ledgerdoor "github.com/mcpassay/mcpassay/internal/effect/ledger"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/ledger"
)

// rotated is a log of several files, the newest first, and the head that each record was once.
func rotated(t *testing.T) (a *app, files []string, heads []ledger.Head) {
	t.Helper()
	dir := t.TempDir()
	a = &app{limits: limits.Default, io: IO{Cwd: dir}}
	l := &ledgerdoor.Log{Path: filepath.Join(dir, "audit.jsonl"), Limits: limits.Default, Now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
	l.Limits.LogBytes = 1500
	for range 20 {
		head, err := l.Append(ledger.RunKind, ledger.Run{Verb: "lint"})
		if err != nil {
			t.Fatal(err)
		}
		heads = append(heads, head)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		files = append(files, e.Name())
	}
	if len(files) < 4 {
		t.Skipf("a log stays one file on this system: %q", files)
	}
	return a, files, heads
}

func TestTheFilesOfALogAreCheckedInWhateverOrderTheyAreNamed(t *testing.T) {
	a, files, heads := rotated(t)
	last := heads[len(heads)-1]
	for range files {
		files = append(files[1:], files[0])
		state, err := a.readLog(files, heads[2].Digest, "")
		if err != nil || state.Head != last || state.Since != last.Seq-heads[2].Seq || len(state.Files) != len(files) {
			t.Errorf("%q: %+v %v", files, state, err)
		}
	}
}

func TestAFileOfALogThatIsMissingIsSaid(t *testing.T) {
	a, files, heads := rotated(t)
	for i, missing := range files {
		_, err := a.readLog(slices.Delete(slices.Clone(files), i, i+1), "", "")
		if missing == "audit.jsonl" { // the end is not told by a chain, but by the head that was kept
			if err != nil {
				t.Error(err)
			}
			_, err = a.readLog(slices.Delete(slices.Clone(files), i, i+1), heads[len(heads)-1].Digest, "")
		}
		var p *problem
		if !errors.As(err, &p) || p.code != exitFindings {
			t.Errorf("without %s: %v", missing, err)
		}
	}
	// Files that are kept elsewhere are stood for by their head.
	state, err := a.readLog([]string{"audit.jsonl"}, "", "")
	if err == nil {
		t.Errorf("the newest file alone is a whole log: %+v", state)
	}
	f, err := a.readLogFile("audit.jsonl", nil)
	if err != nil {
		t.Fatal(err)
	}
	if state, err = a.readLog([]string{"audit.jsonl"}, "", f.after); err != nil || state.Head != heads[len(heads)-1] {
		t.Errorf("%+v %v", state, err)
	}
	if _, err = a.readLog([]string{"audit.jsonl"}, "", heads[0].Digest); err == nil {
		t.Error("it goes on from a record that it does not go on from")
	}
	if _, err = a.readLog([]string{"audit.jsonl", "audit.jsonl"}, "", f.after); err == nil {
		t.Error("a file that was named twice is one log")
	}
}

// TestARecordHoldsNoMoreThanItMay fills every member that a stranger can have a say in.
func TestARecordHoldsNoMoreThanItMay(t *testing.T) {
	a := &app{limits: limits.Default, io: IO{Now: time.Now}}
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := a.audit.begin(a, path, "scan", strings.Repeat("\U0010ffff", a.limits.NameBytes/4)); err != nil {
		t.Fatal(err)
	}
	for range 3 * a.limits.LogTargets {
		a.audit.targets(strings.Repeat("\U0001d4b3", 10_000))
	}
	if err := a.audit.end(0); err != nil {
		t.Fatal(err)
	}
	if err := a.audit.end(1); err != nil {
		t.Fatal(err)
	}
	f, err := (&app{limits: limits.Default}).readLogFile(path, func(r *ledger.Record) {
		if !strings.Contains(string(r.Event), `"targetsLeftOut":64`) {
			t.Errorf("%.200s", r.Event)
		}
	})
	if err != nil || f.Records != 1 {
		t.Errorf("%+v %v", f, err)
	}
}
