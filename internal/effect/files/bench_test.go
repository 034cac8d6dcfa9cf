package files

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// tree21k lays 1,000 projects of three configs each: 21,000 entries, as the budget of lint counts them.
func tree21k(tb testing.TB) string {
	root := tb.TempDir()
	body := []byte(`{"mcpServers": {"github": {"command": "npx", "args": ["-y", "@example/server@1.2.3"]}}}`)
	for p := range 1000 {
		project := filepath.Join(root, fmt.Sprintf("project-%04d", p))
		for _, dir := range []string{".cursor", ".vscode", "src", "docs"} {
			if err := os.MkdirAll(filepath.Join(project, dir), 0o755); err != nil {
				tb.Fatal(err)
			}
		}
		names := []string{".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", "README.md", "package.json", "tsconfig.json"}
		for i := range 6 {
			names = append(names, fmt.Sprintf("src/module_%d.ts", i))
		}
		for i := range 4 {
			names = append(names, fmt.Sprintf("docs/page_%d.md", i))
		}
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(project, name), body, 0o644); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return root
}

func isConfig(name, rel string) bool { return name == ".mcp.json" || name == "mcp.json" }

// The budget: 21,000 entries walked and 3,000 files read in well under 0.1 s of CPU time.
func BenchmarkWalk21k(b *testing.B) {
	root := tree21k(b)
	b.ReportAllocs()
	for b.Loop() {
		read := 0
		stats, err := Walk(root, WalkOptions{Candidate: isConfig}, func(e Entry) {
			if _, _, err := Read(e.Path, ReadOptions{Base: filepath.Dir(e.Path)}); err != nil {
				b.Fatal(err)
			}
			read++
		})
		if err != nil || read != 3000 || stats.Entries != 21_000 {
			b.Fatal(read, stats, err)
		}
	}
}

func BenchmarkRead3k(b *testing.B) {
	root := tree21k(b)
	var paths []string
	if _, err := Walk(root, WalkOptions{Candidate: isConfig}, func(e Entry) { paths = append(paths, e.Path) }); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range paths {
			if _, _, err := Read(p, ReadOptions{Base: root}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
