package policy

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestTheNearestFileUpToTheRepositoryIsFound(t *testing.T) {
	for _, c := range []struct{ name, files, repos, dir, want string }{
		{"here", "/r/a/mcpassay.yaml /r/mcpassay.yaml", "/r", "/r/a", "/r/a/mcpassay.yaml"},
		{"above", "/r/mcpassay.yaml", "/r", "/r/a/b", "/r/mcpassay.yaml"},
		{"beside .git", "/r/mcpassay.yaml", "/r", "/r", "/r/mcpassay.yaml"},
		{"not above the repository", "/mcpassay.yaml", "/r", "/r/a", ""},
		{"not above a repository inside of another", "/r/mcpassay.yaml", "/r /r/sub", "/r/sub/a", ""},
		{"no .yml", "/r/mcpassay.yml", "/r", "/r", ""},
		{"without a repository, here", "/tmp/a/mcpassay.yaml /tmp/mcpassay.yaml", "", "/tmp/a", "/tmp/a/mcpassay.yaml"},
		{"without a repository, not another person's", "/tmp/mcpassay.yaml", "", "/tmp/a", ""},
		{"an unclean folder", "/r/mcpassay.yaml", "/r", "/r/a/../b/", "/r/mcpassay.yaml"},
	} {
		in := func(list string) func(string) bool {
			return func(p string) bool { return strings.Contains(" "+list+" ", " "+filepath.ToSlash(p)+" ") }
		}
		got, ok := Find(c.dir, in(c.files), in(c.repos))
		if filepath.ToSlash(got) != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %v, want %q", c.name, got, ok, c.want)
		}
	}
}

func TestTheSearchUpwardsEnds(t *testing.T) {
	deep := "/r" + strings.Repeat("/d", limits.Default.WalkUp)
	yes := func(p string) bool {
		return filepath.ToSlash(p) == "/r" || filepath.ToSlash(p) == "/r/mcpassay.yaml"
	}
	if got, ok := Find(deep, yes, yes); !ok || filepath.ToSlash(got) != "/r/mcpassay.yaml" {
		t.Errorf("as many folders up as the limit: %q", got)
	}
	if got, ok := Find(deep+"/d", yes, yes); ok {
		t.Errorf("more folders up than the limit: %q", got)
	}
}
