// Command genpages writes the generated parts of hand-written pages of docs. A test fails when they are stale.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcpassay/mcpassay/internal/tool/pages"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := write(root); err != nil {
		fmt.Fprintln(os.Stderr, "genpages:", err)
		os.Exit(1)
	}
}

func write(root string) error {
	files, err := pages.Files(root)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
