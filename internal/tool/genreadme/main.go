// Command genreadme writes the generated parts of README.md and docs/demo.svg. A test fails when one is stale.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcpassay/mcpassay/internal/tool/readme"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := write(root); err != nil {
		fmt.Fprintln(os.Stderr, "genreadme:", err)
		os.Exit(1)
	}
}

func write(root string) error {
	page, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		return err
	}
	files, err := readme.Files(string(page))
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
