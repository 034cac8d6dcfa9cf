package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// manyServers is a .mcp.json with n servers as people write them.
func manyServers(n int) string {
	var b strings.Builder
	b.WriteString("{\n  \"mcpServers\": {\n")
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `    "server-%d": {"command": "npx", "args": ["-y", "@example/server-%d@1.4.2"], "env": {"API_KEY": "${KEY_%d}", "LOG_LEVEL": "info"}}`, i, i, i)
	}
	b.WriteString("\n  }\n}\n")
	return b.String()
}

func quiet(dir string) IO {
	return IO{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Getenv: func(name string) string { return map[string]string{"GOGC": "off"}[name] },
		Environ: func() []string { return nil }, Cwd: dir, Home: filepath.Join(dir, "home"), Platform: "linux", Now: time.Now}
}

func BenchmarkLint10kServers(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(manyServers(10_000)), 0o644); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if code := Main([]string{"lint", "--env", "none"}, quiet(dir)); code == exitIncomplete {
			b.Fatal("incomplete")
		}
	}
}

// BenchmarkLint3kFiles is 1,000 projects of three small configs in one tree.
func BenchmarkLint3kFiles(b *testing.B) {
	dir := b.TempDir()
	for i := range 1000 {
		p := filepath.Join(dir, fmt.Sprintf("g%02d/p%03d", i/100, i))
		for _, name := range []string{".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", "src/a.ts", "src/b.ts", "src/c.ts", "package.json"} {
			text := ""
			if strings.HasSuffix(name, "mcp.json") {
				text = manyServers(3)
			}
			if err := os.MkdirAll(filepath.Dir(filepath.Join(p, name)), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(p, name), []byte(text), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if code := Main([]string{"lint", "--env", "none"}, quiet(dir)); code == exitIncomplete {
			b.Fatal("incomplete")
		}
	}
}

// BenchmarkLint10kFindings is the same file where every entry has a finding.
func BenchmarkLint10kFindings(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(manyServers(10_000)), 0o644); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if code := Main([]string{"lint"}, quiet(dir)); code == exitIncomplete {
			b.Fatal("incomplete")
		}
	}
}

// BenchmarkLint10kTools is a list of 10,000 tools, as a JSON report. MCPASSAY_TOOLS names the list.
func BenchmarkLint10kTools(b *testing.B) {
	list := os.Getenv("MCPASSAY_TOOLS")
	if list == "" {
		b.Skip("MCPASSAY_TOOLS names no list of tools")
	}
	b.ReportAllocs()
	for b.Loop() {
		if code := Main([]string{"lint", "--env", "none", "--json", list}, quiet(filepath.Dir(list))); code == exitIncomplete {
			b.Fatal("incomplete")
		}
	}
}
