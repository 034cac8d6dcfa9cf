// Command genrules writes internal/catalog/all_gen.go: every package variable of type *rule.Rule under
// internal/rules, in the order of their categories and files. A test in internal/catalog fails when it is stale.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcpassay/mcpassay/internal/tool/rulelist"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	text, err := rulelist.Generate(root)
	if err == nil {
		err = os.WriteFile(filepath.Join(root, "internal", "catalog", "all_gen.go"), text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "genrules:", err)
		os.Exit(1)
	}
}
