package git

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestFindRepoLooksUpwards(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b", "c")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if r, ok := FindRepo(deep); ok {
		t.Skipf("the temporary folder lies in a repository: %s", r.Root)
	}
	bareRepo(t, root)
	inner := bareRepo(t, filepath.Join(root, "a", "b"))
	for dir, want := range map[string]string{root: root, filepath.Join(root, "a"): root, deep: inner.Root, filepath.Join(root, "a", "none"): root} {
		if r, ok := FindRepo(dir); !ok || r.Root != realPath(want) {
			t.Errorf("FindRepo(%s) = %+v", dir, r)
		}
	}
}

func TestAFolderNamedGitIsARepositoryOnlyWithWhatGitNeeds(t *testing.T) {
	root := t.TempDir()
	outer := bareRepo(t, root)
	for _, missing := range []string{"HEAD", "objects", "refs", ""} {
		inner := filepath.Join(root, "inner"+missing)
		bareRepo(t, inner)
		if err := os.RemoveAll(filepath.Join(inner, ".git", missing)); err != nil {
			t.Fatal(err)
		}
		if r, ok := FindRepo(inner); !ok || r.Root != outer.Root {
			t.Errorf("without %q: %+v, %v", missing, r, ok)
		}
	}
}

func TestReposOpenEachRepositoryOnce(t *testing.T) {
	root := t.TempDir()
	bareRepo(t, root)
	var rs Repos
	a, _ := rs.Find(root)
	b, _ := rs.Find(filepath.Join(root, "x", "y"))
	if a == nil || a != b {
		t.Errorf("%p and %p", a, b)
	}
}

// A file .git that leads nowhere: what is tracked is unknown, and the repository above has no say.
func TestAGitFileThatLeadsNowhereIsUnknown(t *testing.T) {
	for name, c := range map[string]struct{ gitFile, reason string }{
		"nothing":    {"gitdir: ../none\n", "no repository"},
		"absolute":   {"gitdir: /nowhere/at/all\n", "no repository"},
		"not a link": {"hello\n", "does not name"},
		"empty":      {"", "does not name"},
		"too large":  {"gitdir: " + strings.Repeat("x", 1<<20), "does not name"},
		"itself":     {"gitdir: .git", "no repository"},
	} {
		root := t.TempDir()
		bareRepo(t, root)
		put(t, filepath.Join(root, "inner", ".git"), c.gitFile)
		r, ok := FindRepo(filepath.Join(root, "inner"))
		if !ok || r.Root != realPath(filepath.Join(root, "inner")) {
			t.Fatalf("%s: %+v, %v", name, r, ok)
		}
		tracked(t, r, filepath.Join(r.Root, ".mcp.json"), Unknown, c.reason)
	}
}

func TestTrackedWithoutAnIndexIsNo(t *testing.T) {
	r := bareRepo(t, t.TempDir())
	tracked(t, r, filepath.Join(r.Root, ".mcp.json"), No, "")
}

func TestTrackedOutsideOfTheRepositoryIsUnknown(t *testing.T) {
	r := bareRepo(t, t.TempDir())
	tracked(t, r, filepath.Join(t.TempDir(), ".mcp.json"), Unknown, "outside")
}

func TestAnUnreadableIndexIsUnknown(t *testing.T) {
	r := bareRepo(t, t.TempDir())
	if err := os.Mkdir(filepath.Join(r.Root, ".git", "index"), 0o755); err != nil {
		t.Fatal(err)
	}
	tracked(t, r, filepath.Join(r.Root, ".mcp.json"), Unknown, "directory")
}

func TestWhatTheConfigSaysOfTheFormatIsHeeded(t *testing.T) {
	for config, reason := range map[string]string{
		"": "",
		"[core]\n\trepositoryformatversion = 0\n\tbare = false\n":                                "",
		"[core]\nrepositoryformatversion=1\n[extensions]\nworktreeConfig = true\n":               "",
		"[extensions]\n\tobjectFormat = sha1\n":                                                  "",
		"[EXTENSIONS] ObjectFormat = \"SHA256\" ; as clone --ref-format\n":                       "objectformat = SHA256",
		"[extensions]\n\tobjectformat = sha256 # comment\n":                                      "objectformat = sha256",
		"[core]\n\trepositoryformatversion = 2\n":                                                "version 2",
		"[core]\n\trepositoryformatversion = x\n":                                                "no number",
		"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tnewThing = true\n":               "newthing = true",
		"[extensions \"sub\"]\n\tobjectformat = sha256\n; [extensions]\n# objectformat=sha256\n": "",
		"[remote \"origin\"]\n\turl = x\n[extensions]\n\tbare":                                   "bare = true",
		strings.Repeat("# long\n", 1<<16):                                                        "too large",
	} {
		r := bareRepo(t, t.TempDir())
		put(t, filepath.Join(r.Root, ".git", "config"), config)
		want := No
		if reason != "" {
			want = Unknown
		}
		tracked(t, r, filepath.Join(r.Root, ".mcp.json"), want, reason)
	}
}

func TestAConfigOverItsLimitIsNotRead(t *testing.T) {
	r := bareRepo(t, t.TempDir())
	put(t, filepath.Join(r.Root, ".git", "config"), strings.Repeat("#", limits.Default.GitFileBytes))
	tracked(t, r, filepath.Join(r.Root, ".mcp.json"), No, "")
	r = bareRepo(t, t.TempDir())
	put(t, filepath.Join(r.Root, ".git", "config"), strings.Repeat("#", limits.Default.GitFileBytes+1))
	tracked(t, r, filepath.Join(r.Root, ".mcp.json"), Unknown, "config can not be read")
}

func TestTrackedInWorkTreesAndSubmodules(t *testing.T) {
	needGit(t)
	dir := t.TempDir()
	main, lib := filepath.Join(dir, "main"), filepath.Join(dir, "lib")
	for _, repo := range []string{main, lib} {
		put(t, filepath.Join(repo, ".mcp.json"), "{}")
		git(t, repo, "", "init", "-q")
		git(t, repo, "", "add", ".")
		git(t, repo, "", "commit", "-qm", "x")
	}
	git(t, main, "", "worktree", "add", "-q", "../tree")
	git(t, main, "", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../lib", "sub")
	put(t, filepath.Join(dir, "tree", "more.json"), "{}")
	git(t, filepath.Join(dir, "tree"), "", "add", "more.json")

	put(t, filepath.Join(main, ".git", "info", "exclude"), "*.log\n")
	var rs Repos
	for root, want := range map[string]bool{"main": true, "tree": true, "main/sub": false} {
		if got := rs.Ignorer(filepath.Join(dir, root)).Ignored("x.log", false); got != want {
			t.Errorf("info/exclude in %s: %v", root, got)
		}
	}
	for file, want := range map[string]answer{
		"main/.mcp.json": Yes, "main/more.json": No, "main/.gitmodules": Yes,
		"tree/.mcp.json": Yes, "tree/more.json": Yes, "tree/new.json": No,
		"main/sub/.mcp.json": Yes, "main/sub/more.json": No,
	} {
		path := filepath.Join(dir, file)
		r, ok := rs.Find(filepath.Dir(path))
		if !ok {
			t.Fatalf("no repository for %s", path)
		}
		tracked(t, r, path, want, "")
	}
}

func TestTrackedIsAskedOfTheRealPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege here")
	}
	needGit(t)
	dir := t.TempDir()
	repo := filepath.Join(dir, "repo")
	put(t, filepath.Join(repo, "real", "mcp.json"), "{}")
	git(t, repo, "", "init", "-q")
	git(t, repo, "", "add", ".")
	for from, to := range map[string]string{"repo/alias": "real", "outside": "repo"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	r, ok := FindRepo(filepath.Join(dir, "outside"))
	if !ok {
		t.Fatal("no repository through a link")
	}
	for _, path := range []string{"repo/real/mcp.json", "repo/alias/mcp.json", "outside/real/mcp.json"} {
		tracked(t, r, filepath.Join(dir, path), Yes, "")
	}
	tracked(t, r, filepath.Join(dir, "repo/REAL/mcp.json"), No, "")
	t.Chdir(filepath.Join(repo, "real"))
	tracked(t, r, "mcp.json", Yes, "")
}

func TestWhatAWalkKnowsGivesTheSameRepository(t *testing.T) {
	base := t.TempDir()
	root := filepath.Join(base, "root")
	bareRepo(t, filepath.Join(root, "repo"))
	bareRepo(t, base)
	put(t, filepath.Join(root, "repo", "a", "x"), "")
	put(t, filepath.Join(root, "b", "x"), "")
	named := filepath.Join(base, "named")
	if err := os.Symlink(root, named); err != nil {
		t.Skip(err)
	}
	for _, root := range []string{root, named, root + "/"} {
		var rs Repos
		for dir, noGit := range map[string]bool{"repo": false, "repo/a": true, "b": true} {
			rs.Walked(root, filepath.Join(root, dir), noGit)
		}
		for _, dir := range []string{"", "repo", "repo/a", "b", "c"} {
			dir := filepath.Join(root, dir)
			got, _ := rs.Find(dir)
			want, _ := FindRepo(dir)
			if got == nil || want == nil || got.Root != want.Root {
				t.Errorf("%s: %+v, want %+v", dir, got, want)
			}
		}
	}
}
