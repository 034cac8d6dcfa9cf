// Command genmigrating writes the generated parts of docs/migrating.md. A test fails when they are stale.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcpassay/mcpassay/internal/tool/migrating"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := write(root); err != nil {
		fmt.Fprintln(os.Stderr, "genmigrating:", err)
		os.Exit(1)
	}
}

func write(root string) error {
	path := filepath.Join(root, filepath.FromSlash(migrating.Page))
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	script, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(migrating.Script)))
	if err != nil {
		return err
	}
	text, err := migrating.Fill(string(page), string(script))
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
