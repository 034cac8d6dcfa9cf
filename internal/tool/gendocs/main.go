// Command gendocs writes the generated pages of docs. A test in internal/cli fails when one is stale.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcpassay/mcpassay/internal/cli"
)

func main() {
	root := "docs"
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := write(root); err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}

func write(root string) error {
	for _, dir := range []string{"cli", "rules"} { // nothing else lives there: a page whose verb or rule is gone goes too
		if err := os.RemoveAll(filepath.Join(root, dir)); err != nil {
			return err
		}
	}
	for name, text := range cli.Docs() {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
