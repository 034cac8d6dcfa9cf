//go:build linux

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// A probe of a server on loopback may take so long, the server's own time included, and so much memory (MiB).
const (
	probeTime   = 600 * time.Millisecond
	probeMemory = 30
)

// probing measures a probe of a real server over HTTP. It needs Node and the server of the tests, and says so where they
// are missing.
func probing(bin string) (failed int, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return 0, err
	}
	found, _ := filepath.Glob(filepath.Join(cache, "mcpassay-test", "*", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js"))
	node, err := exec.LookPath("node")
	if len(found) == 0 || err != nil {
		fmt.Println("probe of server-everything: not measured, needs Node and the servers that go test ./test installs")
		return 0, nil
	}
	at, end, err := listening(node, found[0])
	if err != nil {
		return 0, err
	}
	defer end()
	var times []time.Duration
	peak := 0
	for i := range runs + watched {
		cmd := exec.Command(bin, "probe", "--deep=false", "--format", "none", "http://"+at+"/mcp")
		begin := time.Now()
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		done, top := make(chan struct{}), make(chan int, 1)
		look := i >= runs // looking at a process slows it
		if look {
			go watch(cmd.Process.Pid, done, top)
		}
		err := cmd.Wait()
		close(done)
		if err != nil {
			return 0, fmt.Errorf("probe: %w", err)
		}
		if look {
			peak = max(peak, <-top)
		} else {
			times = append(times, time.Since(begin))
		}
	}
	slices.Sort(times)
	ok := times[runs/2] <= probeTime && peak <= probeMemory<<10
	if !ok {
		failed++
	}
	fmt.Printf("%-44s %10s %10s %9s %9s%s\n", "probe of server-everything, wall", times[runs/2].Round(time.Millisecond), probeTime,
		fmt.Sprintf("%.1f MiB", float64(peak)/1024), fmt.Sprintf("%d MiB", probeMemory), mark(ok))
	return failed, nil
}

// listening starts the server on a free port and waits for it.
func listening(node, script string) (at string, end func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	at = l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(at)
	cmd := exec.Command(node, script, "streamableHttp")
	cmd.Env = append(os.Environ(), "PORT="+port)
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	end = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	for range 200 {
		if conn, err := net.Dial("tcp", at); err == nil {
			conn.Close()
			return at, end, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	end()
	return "", nil, fmt.Errorf("server-everything does not listen on %s", at)
}
