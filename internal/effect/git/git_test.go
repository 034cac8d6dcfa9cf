package git

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// needGit skips where git itself, the judge of these tests, is not installed.
func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: apt-get install git (or brew install git)")
	}
}

// git runs git in dir, away from the settings of this machine.
func git(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	// check-ignore answers 1 where nothing is ignored.
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || args[0] != "check-ignore" || exit.ExitCode() != 1) {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

func put(t testing.TB, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// bareRepo lays the least that is a repository, without git.
func bareRepo(t testing.TB, root string) *Repo {
	t.Helper()
	put(t, filepath.Join(root, ".git", "HEAD"), "ref: refs/heads/main\n")
	for _, dir := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(root, ".git", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r, ok := FindRepo(root)
	if !ok || r.Root != realPath(root) {
		t.Fatalf("FindRepo(%s) = %+v, %v", root, r, ok)
	}
	return r
}

// answer is what Tracked says, in a word.
type answer string

const (
	Yes     answer = "yes"
	No      answer = "no"
	Unknown answer = "unknown"
)

func tracked(t *testing.T, r *Repo, path string, want answer, reason string) {
	t.Helper()
	yes, why := r.Tracked(path)
	got := No
	switch {
	case why != "":
		got = Unknown
	case yes:
		got = Yes
	}
	if got != want || !strings.Contains(why, reason) || yes && why != "" {
		t.Errorf("Tracked(%s) = %v %q, want %v %q", path, got, why, want, reason)
	}
}
