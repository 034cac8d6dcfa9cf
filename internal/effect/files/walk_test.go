package files

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func walk(t *testing.T, root string, opt WalkOptions) ([]string, WalkStats) {
	t.Helper()
	if opt.Candidate == nil {
		opt.Candidate = isConfig
	}
	var seen []string
	stats, err := Walk(root, opt, func(e Entry) {
		line := e.Rel
		if e.Kind != Regular {
			line += " " + e.Kind.String()
		}
		if e.Err != nil {
			line += " " + string(e.Err.Reason)
		}
		if e.Path != filepath.Join(root, e.Rel) {
			t.Errorf("entry %+v under %s", e, root)
		}
		seen = append(seen, line)
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen, stats
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("visited:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestWalkGoesDepthFirstInTheOrderOfNames(t *testing.T) {
	root := t.TempDir()
	for _, p := range []string{"b/.mcp.json", "a/z/mcp.json", "a/.mcp.json", ".mcp.json", "a/README.md", "a.d/mcp.json", "a/b/c/d/mcp.json"} {
		put(t, filepath.Join(root, p), "{}")
	}
	for range 2 {
		got, stats := walk(t, root, WalkOptions{})
		expect(t, got, ".mcp.json", "a/.mcp.json", "a/b/c/d/mcp.json", "a/z/mcp.json", "a.d/mcp.json", "b/.mcp.json")
		if stats.Entries != 14 || stats.Truncated {
			t.Errorf("%+v", stats)
		}
	}
}

func TestWalkFromTheWorkingFolderKeepsPathsShort(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "a", ".mcp.json"), "{}")
	t.Chdir(root)
	got, _ := walk(t, ".", WalkOptions{})
	expect(t, got, "a/.mcp.json")
}

func TestWalkDoesNotEnterInstalledCode(t *testing.T) {
	root := t.TempDir()
	for _, p := range []string{
		".git/mcp.json", "node_modules/x/mcp.json", "vendor/x/.mcp.json", ".venv/mcp.json", "venv/mcp.json",
		"__pycache__/mcp.json", ".tox/mcp.json", "py311/pyvenv.cfg", "py311/lib/mcp.json", "deep/node_modules/mcp.json",
	} {
		put(t, filepath.Join(root, p), "{}")
	}
	put(t, filepath.Join(root, "nested", ".git", "HEAD"), "ref: refs/heads/main\n")
	put(t, filepath.Join(root, "nested", ".mcp.json"), "{}")
	got, _ := walk(t, root, WalkOptions{})
	expect(t, got, "nested/.mcp.json")
	// A person who names such a folder means it.
	got, _ = walk(t, filepath.Join(root, "node_modules"), WalkOptions{})
	expect(t, got, "x/mcp.json")
	got, _ = walk(t, filepath.Join(root, "py311"), WalkOptions{})
	expect(t, got, "lib/mcp.json")
}

func TestWalkTellsOfLinksAndFollowsNone(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	put(t, filepath.Join(outside, "mcp.json"), "{}")
	put(t, filepath.Join(root, "p", "mcp.json"), "{}")
	link(t, filepath.Join(outside, "mcp.json"), filepath.Join(root, ".mcp.json"))
	link(t, outside, filepath.Join(root, ".cursor"))
	link(t, outside, filepath.Join(root, "assets"))
	link(t, "..", filepath.Join(root, "p", "up"))
	link(t, "nowhere", filepath.Join(root, "p", ".mcp.json"))
	got, _ := walk(t, root, WalkOptions{})
	expect(t, got, ".mcp.json symbolic link", "p/.mcp.json symbolic link", "p/mcp.json")
	got, _ = walk(t, root, WalkOptions{CandidateLink: func(name, rel string) bool { return name == ".cursor" }})
	expect(t, got, ".cursor symbolic link", "p/mcp.json")
}

func TestWalkTellsOfAFolderUnderAConfigsNameAndEntersIt(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, ".mcp.json", "mcp.json"), "{}")
	got, _ := walk(t, root, WalkOptions{})
	expect(t, got, ".mcp.json directory", ".mcp.json/mcp.json")
}

func TestWalkStopsAtItsBoundsAndSaysSo(t *testing.T) {
	root := t.TempDir()
	for i := range 10 {
		put(t, filepath.Join(root, "a", fmt.Sprintf("mcp-%d", i), "mcp.json"), "{}")
	}
	put(t, filepath.Join(root, "b", "c", "d", ".mcp.json"), "{}")
	got, stats := walk(t, root, WalkOptions{MaxDepth: 2})
	if len(got) != 11 || got[10] != "b/c/d directory too-deep" {
		t.Errorf("visited %q", got)
	}
	if stats.Truncated {
		t.Errorf("%+v", stats)
	}
	_, stats = walk(t, root, WalkOptions{MaxEntries: 5})
	if !stats.Truncated || stats.Entries != 5 || stats.StoppedAt == "" {
		t.Errorf("%+v", stats)
	}
	all := 1 + 10 + 10 + 4
	if _, stats = walk(t, root, WalkOptions{MaxEntries: all}); stats.Truncated || stats.Entries != all {
		t.Errorf("exactly as many entries as allowed: %+v", stats)
	}
	if _, stats = walk(t, root, WalkOptions{MaxEntries: all - 1}); !stats.Truncated {
		t.Errorf("one entry too many: %+v", stats)
	}
}

func TestWalkOfSomethingElseThanAFolderIsAnError(t *testing.T) {
	dir := t.TempDir()
	file := put(t, filepath.Join(dir, "mcp.json"), "{}")
	for path, want := range map[string]Reason{file: NotRegular, filepath.Join(dir, "none"): Missing} {
		_, err := Walk(path, WalkOptions{Candidate: isConfig}, func(e Entry) { t.Errorf("visited %+v", e) })
		if ReasonOf(err) != want {
			t.Errorf("Walk(%s): %v", path, err)
		}
	}
}

func TestWalkFollowsTheNamedRootItself(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "real", ".mcp.json"), "{}")
	named := link(t, "real", filepath.Join(dir, "named"))
	got, _ := walk(t, named, WalkOptions{})
	expect(t, got, ".mcp.json")
}

func TestWalkTellsWhereNoRepositoryBegins(t *testing.T) {
	root := t.TempDir()
	for _, p := range []string{"mcp.json", "folder/.git/HEAD", "folder/mcp.json", "folder/in/mcp.json", "file/.git", "file/mcp.json", "capitals/.GIT", "capitals/mcp.json"} {
		put(t, filepath.Join(root, p), "{}")
	}
	got := ""
	if _, err := Walk(root, WalkOptions{Candidate: isConfig}, func(e Entry) {
		if e.NoGit {
			got += " " + e.Rel
		}
	}); err != nil || got != " folder/in/mcp.json mcp.json" {
		t.Errorf("no repository at%s (%v)", got, err)
	}
	few, last := t.TempDir(), false
	put(t, filepath.Join(few, "mcp.json"), "{}")
	if _, err := Walk(few, WalkOptions{Candidate: isConfig, MaxEntries: 1}, func(e Entry) { last = e.NoGit }); err != nil || !last {
		t.Errorf("a folder of as many entries as allowed: %v, %v", last, err)
	}
	put(t, filepath.Join(few, "z"), "")
	if _, err := Walk(few, WalkOptions{Candidate: isConfig, MaxEntries: 1}, func(e Entry) { last = e.NoGit }); err != nil || last {
		t.Errorf("a folder that was not read whole: %v, %v", last, err)
	}
}
