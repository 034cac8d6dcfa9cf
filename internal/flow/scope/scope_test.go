package scope

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// tree is the files of a project by their paths below it.
type tree map[string]string

func (d tree) rel(p string) string {
	rel, err := filepath.Rel("/p", p)
	if err != nil {
		return p
	}
	return filepath.ToSlash(rel)
}

func (d tree) Read(p string, _ int, _ string) (load.Content, error) {
	text, ok := d[d.rel(p)]
	if !ok {
		return load.Content{}, &load.Refusal{Reason: "missing"}
	}
	return load.Content{Bytes: []byte(text)}, nil
}

func (d tree) IsDir(p string) bool { return p == "/p" }

func (d tree) List(dir, _ string, most int) (found []Entry, all bool) {
	for i := range 100 { // the files have numbers, so that they have an order
		name := fmt.Sprintf("%02d.md", i)
		if _, ok := d[path.Join(d.rel(dir), name)]; !ok {
			continue
		}
		if len(found) == most {
			return found, false
		}
		found = append(found, Entry{Rel: name})
	}
	if len(found) == 0 {
		return []Entry{{Refusal: &load.Refusal{Reason: "missing"}}}, true
	}
	return found, true
}

// So many files are looked at in all folders together: what is beyond is said, and the inventory is not complete.
func TestAProjectWithMoreFilesThanAreLookedAtIsIncomplete(t *testing.T) {
	d := tree{}
	for i := range 6 {
		d[fmt.Sprintf(".claude/agents/%02d.md", i)] = "a"
		d[fmt.Sprintf(".claude/commands/%02d.md", i)] = "b"
	}
	for most, want := range map[int]int{12: 12, 11: 11, 7: 7, 6: 6} {
		lim := limits.Default
		lim.ScopeFiles = most
		r, err := Take(d, "claude-code", "/p", ".", lim)
		if err != nil {
			t.Fatal(err)
		}
		files, said := 0, 0
		for _, p := range r.Candidates {
			files += len(p.Files)
			if strings.Contains(p.Detail, "more files than are looked at") {
				said++
			}
		}
		complete := most >= 12
		if files != want || r.Complete != complete || (r.Coverage.ProjectFiles == "complete") != complete || (said == 0) != complete {
			t.Errorf("of 12 files at most %d: %d are listed, complete %v, said %d times", most, files, r.Complete, said)
		}
	}
	if _, err := Take(d, "no-client", "/p", ".", limits.Default); err == nil {
		t.Error("a client without a list has one")
	}
	if _, err := Take(d, "vscode", "/elsewhere", ".", limits.Default); err == nil {
		t.Error("what is no folder has an inventory")
	}
}
