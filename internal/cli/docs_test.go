package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGeneratedPagesAreFresh(t *testing.T) {
	pages := Docs()
	for name, want := range pages {
		got, err := os.ReadFile(filepath.Join("../../docs", name))
		if err != nil || string(got) != want {
			t.Errorf("docs/%s is stale (%v): run make gen", name, err)
		}
	}
	for _, dir := range []string{"cli", "rules"} {
		err := filepath.WalkDir(filepath.Join("../../docs", dir), func(p string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			name, _ := filepath.Rel("../../docs", p)
			if _, ok := pages[filepath.ToSlash(name)]; !ok {
				t.Errorf("docs/%s is of nothing that exists: run make gen", name)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestEveryVerbHasHelp(t *testing.T) {
	for name, page := range Docs() {
		if strings.HasPrefix(name, "cli/") && !strings.Contains(page, "README") && len(page) < 40 {
			t.Errorf("docs/%s says nothing", name)
		}
	}
}
