package test

import (
	"os"
	"path/filepath"
	"testing"
)

// shared is a file or folder of the measured facts and public cases that lie beside the repository, in ../shared. They
// are no part of it: where they are absent the test skips.
func shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "shared", filepath.FromSlash(name))
	if root := os.Getenv("MCPASSAY_SHARED"); root != "" {
		path = filepath.Join(root, filepath.FromSlash(name))
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not here: it lies beside the repository, or in the folder that MCPASSAY_SHARED names", name)
	}
	return path
}
