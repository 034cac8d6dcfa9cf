package main

import (
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNewRuleMakesBothFilesOnce(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "internal", "rules", "config")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := create(root, "config/odd-thing"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "odd_thing.go"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := format.Source(text); err != nil || !strings.Contains(string(text), "var OddThing = &rule.Rule{") {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := os.Stat(filepath.Join(dir, "odd_thing.md")); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"config/odd-thing", "config/Odd", "odd", "nowhere/odd"} {
		if err := create(root, bad); err == nil {
			t.Errorf("%q was made", bad)
		}
	}
}
