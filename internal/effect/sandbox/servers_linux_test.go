package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// servers are real ones, by package, with how many tools each had when this was written.
var servers = []struct {
	name  string
	args  []string
	tools int
}{
	{"server-everything", []string{"stdio"}, 13},
	{"server-filesystem", []string{"DIR"}, 14},
	{"server-memory", nil, 9},
}

const serversVersion = "2026.8.31"

// installed gives the folder of npm packages, filled once a machine.
var installed = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "mcpassay-test", serversVersion)
	args := []string{"install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir}
	missing := false
	for _, s := range servers {
		args = append(args, "@modelcontextprotocol/"+s.name+"@"+serversVersion)
		_, err := os.Stat(filepath.Join(dir, "node_modules/@modelcontextprotocol", s.name, "dist/index.js"))
		missing = missing || err != nil
	}
	if missing {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
		if out, err := exec.Command("npm", args...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("npm %s: %w: %s", strings.Join(args, " "), err, out)
		}
	}
	return dir, nil
})

// npmServers gives the folder, or skips.
func npmServers(t *testing.T) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			lacking(t, "needs %s: apt-get install nodejs npm", program)
		}
	}
	dir, err := installed()
	if err != nil {
		lacking(t, "needs the npm servers: %v", err)
	}
	return dir
}

// tools asks a server for its tools as a client of 2025-11-25 does.
func tools(t *testing.T, c *proc.Child) int {
	t.Helper()
	for _, l := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
	} {
		if err := c.WriteLine([]byte(l)); err != nil {
			t.Fatalf("%v: %s", err, c.Stderr())
		}
	}
	for {
		var answer struct {
			ID     int
			Result struct{ Tools []json.RawMessage }
		}
		if err := json.Unmarshal([]byte(next(t, c)), &answer); err != nil {
			t.Fatal(err)
		}
		if answer.ID == 2 {
			return len(answer.Result.Tools)
		}
	}
}

func TestRealServersListTheirToolsInTheSandbox(t *testing.T) {
	for _, b := range []Backend{Landlock, Bubblewrap, Host} {
		for _, server := range servers {
			t.Run(string(b)+" "+server.name, func(t *testing.T) {
				need(t, b)
				dir := npmServers(t)
				docs := t.TempDir()
				argv := []string{"node", filepath.Join(dir, "node_modules/@modelcontextprotocol", server.name, "dist/index.js")}
				for _, a := range server.args {
					argv = append(argv, strings.ReplaceAll(a, "DIR", docs))
				}
				c := start(t, Spec{Executor: b, Argv: argv, Parent: os.Environ(), Limits: limits.Default})
				if n := tools(t, c); n != server.tools {
					t.Errorf("%d tools, want %d", n, server.tools)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				if exit, _ := c.Exit(); exit.Code != 0 {
					t.Errorf("%+v: %s", exit, c.Stderr())
				}
			})
		}
	}
}
