package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// BenchmarkRule is what each rule costs on a clean file of 1,000 servers: the budget of a file is shared by all.
//
//	go test ./test -run '^$' -bench Rule -benchmem
func BenchmarkRule(b *testing.B) {
	var text strings.Builder
	text.WriteString(`{"mcpServers": {`)
	for i := range 1000 {
		if i > 0 {
			text.WriteString(",\n")
		}
		if i%5 == 4 {
			fmt.Fprintf(&text, `"remote-%d": {"type": "http", "url": "https://api.example.com/%d/mcp", "headers": {"Authorization": "Bearer ${TOKEN_%d}"}}`, i, i, i)
			continue
		}
		fmt.Fprintf(&text, `"server-%d": {"command": "npx", "args": ["-y", "@example/server-%d@1.4.2", "--port", "3000"], "env": {"API_KEY": "${KEY_%d}", "LOG_LEVEL": "info"}}`, i, i, i)
	}
	text.WriteString("}}")
	facts := &pageFacts{platform: "linux", tracked: rule.Yes, env: map[string]bool{}, exists: map[string]bool{}, onpath: map[string]bool{"npx": true}}
	for i := range 1000 {
		facts.env[fmt.Sprintf("TOKEN_%d", i)], facts.env[fmt.Sprintf("KEY_%d", i)] = true, true
	}
	for _, r := range catalog.All() {
		b.Run(strings.ReplaceAll(r.ID, "/", "."), func(b *testing.B) {
			f := client.Identify(client.Where{Path: ".mcp.json", Root: pageRoot, Env: client.Env{OS: "linux", Home: pageHome, Getenv: pageEnv("linux")}})
			f.Load([]byte(text.String()), limits.Default)
			b.ReportAllocs()
			for b.Loop() {
				engine.Judge(engine.Input{Files: []*client.File{f}, Rules: []*rule.Rule{r}, Facts: facts, Limits: limits.Default})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/server")
		})
	}
}
