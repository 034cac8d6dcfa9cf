//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// overhead is how much longer a scan may take than the server that it starts needs for itself.
const overhead = 30 * time.Millisecond

// scanning compares a scan of a real server over stdio with that server's own start, in pairs, and holds the median of
// the differences. It needs Node and the server of the tests, and says so where they are missing.
func scanning(bin string) (failed int, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return 0, err
	}
	found, _ := filepath.Glob(filepath.Join(cache, "mcpassay-test", "*", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js"))
	node, err := exec.LookPath("node")
	if len(found) == 0 || err != nil {
		fmt.Println("scan of server-everything: not measured, needs Node and the servers that go test ./test installs")
		return 0, nil
	}
	argv := []string{node, found[0]}
	for _, executor := range []string{"host", "landlock", "bubblewrap"} {
		var own, more []time.Duration
		for range runs {
			start, err := answer(argv)
			if err != nil {
				return 0, err
			}
			begin := time.Now()
			cmd := exec.Command(bin, append([]string{"scan", "--format", "none", "--executor", executor, "--"}, argv...)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				return 0, fmt.Errorf("scan: %w: %s", err, out)
			}
			own, more = append(own, start), append(more, time.Since(begin)-start)
		}
		slices.Sort(own)
		slices.Sort(more)
		limit, ok := "", true
		if executor == "host" {
			limit, ok = overhead.String(), more[runs/2] <= overhead
		}
		if !ok {
			failed++
		}
		fmt.Printf("%-44s %10s %10s   beside its own %s%s\n", "scan of server-everything, "+executor, "+"+more[runs/2].Round(time.Millisecond).String(), limit,
			own[runs/2].Round(time.Millisecond), mark(ok))
	}
	return failed, nil
}

// answer is how long a server takes from its start through one handshake and one list to its end.
func answer(argv []string) (time.Duration, error) {
	begin := time.Now()
	cmd := exec.Command(argv[0], argv[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	_, _ = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"0"}}}`+"\n")
	_, _ = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n")
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return 0, err
		}
		if strings.Contains(line, `"id":2`) {
			break
		}
	}
	in.Close()
	_, _ = io.Copy(io.Discard, lines)
	_ = cmd.Wait()
	return time.Since(begin), nil
}
