//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/flow/edit"
	"github.com/mcpassay/mcpassay/internal/flow/pin"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
)

const (
	halfFile  = "lint a 4 MiB file"
	wholeFile = "lint an 8 MiB file"
)

// budgets are those of every issue so far. Findings are no failure of a run here.
var budgets = []budget{
	{name: "version", args: []string{"version"}, cpu: 10 * time.Millisecond},
	{name: "lint an empty project", args: []string{"lint", "--allow-empty"}, cpu: 10 * time.Millisecond},
	{name: "doctor, 10 servers", setup: tenServers, args: []string{"doctor"}, cpu: 25 * time.Millisecond, rss: 16, exits: []int{1}},
	{name: "doctor, 10 servers, approved with 400 tools", setup: tenApproved, args: []string{"doctor"}, cpu: 25 * time.Millisecond, rss: 16, exits: []int{1}},
	{name: "doctor in a folder of 40,000 files", setup: manyFiles, args: []string{"doctor"}, cpu: 50 * time.Millisecond, rss: 16, exits: []int{1}},
	{name: "list, 30 servers of 8 clients", setup: eightClients, args: []string{"list"}, cpu: 40 * time.Millisecond, rss: 30},
	{name: "sync --check, 30 servers of 8 clients", setup: eightClients, args: []string{"sync", "--check"}, cpu: 40 * time.Millisecond, rss: 30},
	{name: "sync --check, 30 servers with 600 tools locked", setup: eightLocked, args: []string{"sync", "--check"}, cpu: 40 * time.Millisecond, rss: 30},
	{name: "lint 1,000 projects x 3 configs", setup: thousandProjects, args: []string{"lint"}, cpu: 250 * time.Millisecond, exits: []int{1}},
	{name: "lint one file, 10,000 servers", setup: oneFile(10_000, 0), args: []string{"lint"}, cpu: 60 * time.Millisecond, rss: 32, exits: []int{1}},
	{name: halfFile, setup: oneFile(0, 4<<20), args: []string{"lint", ".mcp.json"}, cpu: 300 * time.Millisecond, rss: 96, exits: []int{1}},
	{name: wholeFile, setup: oneFile(0, 8<<20-1<<12), args: []string{"lint", ".mcp.json"}, cpu: 300 * time.Millisecond, rss: 96, exits: []int{1}},
	{name: "lint 1,000 tools, JSON report", setup: tools(1000), args: []string{"lint", "--json", "tools.json"}, cpu: 50 * time.Millisecond, rss: 24, exits: []int{1}, report: true},
	{name: "lint 10,000 tools, JSON report", setup: tools(10_000), args: []string{"lint", "--json", "tools.json"}, cpu: 300 * time.Millisecond, rss: 80, exits: []int{1}, report: true},
	{name: "lint a hostile card of 4 MiB", setup: hostileCard, args: []string{"lint", "--json", "tools.json"}, cpu: 500 * time.Millisecond, rss: 160, exits: []int{1, 2}, report: true},
	{name: "verify 50 servers with 2,000 tools, offline", setup: approvedLock, args: []string{"verify", "--offline"}, cpu: 60 * time.Millisecond},
	{name: "verify 30 locked packages, offline", setup: lockedPackages, args: []string{"verify", "--offline"}, env: askedRegistry, cpu: 40 * time.Millisecond, rss: 30},
	{name: "verify 30 signed packages, offline", setup: signedPackages, args: []string{"verify", "--offline", "--trusted-root", trustedRoot}, env: askedRegistry, cpu: 40 * time.Millisecond, rss: 30},
	{name: "guard inspect 5,000 frames of 1 KB", setup: frames(5000), args: []string{"guard", "inspect", "session.jsonl"}, cpu: 45 * time.Millisecond, rss: 48},
	{name: "diff of two such locks", setup: twoLocks, args: []string{"diff", "mcpassay.lock", "later.lock"}, cpu: 80 * time.Millisecond, exits: []int{1}},
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// entry is a server as people write them: a launcher with a pinned package, a variable, sometimes a remote.
func entry(i int) string {
	if i%5 == 4 {
		return fmt.Sprintf(`"remote-%d": {"type": "http", "url": "https://api.example.com/%d/mcp", "headers": {"Authorization": "Bearer ${TOKEN_%d}"}}`, i, i, i)
	}
	return fmt.Sprintf(`"server-%d": {"command": "npx", "args": ["-y", "@example/server-%d@1.4.%d", "--port", "%d"], "env": {"API_KEY": "${KEY_%d}", "LOG_LEVEL": "info"}}`, i, i, i%10, 3000+i, i)
}

func config(root string, from, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "{\n  %q: {\n", root)
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString("    " + entry(from+i))
	}
	b.WriteString("\n  }\n}\n")
	return b.String()
}

var tenFiles = map[string]string{
	"home/.claude.json":               config("mcpServers", 0, 3),
	"home/.cursor/mcp.json":           config("mcpServers", 3, 3),
	"home/.config/Code/User/mcp.json": config("servers", 6, 2),
	".mcp.json":                       config("mcpServers", 8, 2),
}

func tenServers(dir string) error {
	for name, text := range tenFiles {
		if err := write(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

// eightClients gives 30 servers to each of eight clients, in their own dialects.
func eightClients(dir string) error {
	home := filepath.Join(dir, "home")
	for id, path := range map[string]string{
		"claude-code": ".claude.json", "cursor": ".cursor/mcp.json", "vscode": ".config/Code/User/mcp.json", "codex": ".codex/config.toml",
		"windsurf": ".codeium/windsurf/mcp_config.json", "gemini-cli": ".gemini/settings.json", "opencode": ".config/opencode/opencode.json", "kiro": ".kiro/settings/mcp.json",
	} {
		f := client.Identify(client.Where{Path: "~/" + path, Env: client.Env{OS: "linux", Home: home}})
		if f.Client == nil || f.Client.ID != id {
			return fmt.Errorf("%s is not the file of %s", path, id)
		}
		e := edit.Open(f, nil, "linux", limits.Default)
		for i := range 30 {
			res, err := e.Put(eachHas(i))
			if err != nil {
				return err
			}
			e = res.After
		}
		if err := write(filepath.Join(home, path), string(e.Raw)); err != nil {
			return err
		}
	}
	return nil
}

// eachHas is the server of a number that each of the eight clients has.
func eachHas(i int) client.Spec {
	name := fmt.Sprintf("server-%d", i)
	if i%5 == 4 {
		return client.Spec{Name: name, Transport: client.HTTP, URL: client.Plain(fmt.Sprintf("https://api.example.com/%d/mcp", i))}
	}
	return client.Spec{Name: name, Transport: client.Stdio, Command: client.Plain("npx"),
		Args: []client.Text{client.Plain("-y"), client.Plain(fmt.Sprintf("@example/server-%d@1.4.%d", i, i%10))},
		Env:  []client.Setting{{Name: "LEVEL", Value: client.Plain("info")}}}
}

// eightLocked is the same with a lock that holds each of the servers, and twenty tools of each.
func eightLocked(dir string) error {
	if err := eightClients(dir); err != nil {
		return err
	}
	cards, _, err := locked(30, 20, nil)
	if err != nil {
		return err
	}
	l := &lock.Lock{}
	for i, s := range cards.Servers {
		spec := eachHas(i)
		s.Name = spec.Name
		if s.Launch, err = lock.LaunchOfSpec(spec, lock.Places{Project: dir, Home: filepath.Join(dir, "home")}); err != nil {
			return err
		}
		l.Put(s)
		pin.Approve(l, lock.Approval{Server: s.Name, Launch: s.LaunchDigest(), Surface: s.SurfaceDigest(), By: "ada", At: "2026-11-30T12:00:00Z"})
	}
	return write(filepath.Join(dir, lock.FileName), string(l.Encode()))
}

// thousandProjects makes 21,000 entries: 1,000 folders that each hold three configs in folders of their own and a
// small source tree.
func thousandProjects(dir string) error {
	for i := range 1000 {
		p := filepath.Join(dir, fmt.Sprintf("group-%02d", i/100), fmt.Sprintf("project-%03d", i))
		files := map[string]string{
			".mcp.json":        config("mcpServers", i, 3),
			".cursor/mcp.json": strings.ReplaceAll(config("mcpServers", i, 3), "${", "${env:"),
			".vscode/mcp.json": strings.ReplaceAll(config("servers", i, 3), "${", "${env:"),
			".gitignore":       "dist/\n*.log\n",
		}
		for j := range 10 {
			files[fmt.Sprintf("src/file%d.ts", j)] = ""
		}
		files["docs/README.md"], files["package.json"] = "", "{}"
		for name, text := range files {
			if err := write(filepath.Join(p, name), text); err != nil {
				return err
			}
		}
	}
	return nil
}

// oneFile makes a .mcp.json with n servers, or of about that many bytes.
func oneFile(n, bytes int) func(string) error {
	return func(dir string) error {
		count := n
		if bytes > 0 {
			count = bytes / (len(config("mcpServers", 100_000, 1000)) / 1000)
		}
		return write(filepath.Join(dir, ".mcp.json"), config("mcpServers", 0, count))
	}
}

// manyFiles is a working folder in which doctor looks for locks until it has seen enough, as a home may be.
func manyFiles(dir string) error {
	for i := range 40_000 {
		if err := write(filepath.Join(dir, fmt.Sprintf("d%d", i%40), fmt.Sprintf("e%d", i%800), fmt.Sprintf("f%d", i)), ""); err != nil {
			return err
		}
	}
	return tenServers(dir)
}
