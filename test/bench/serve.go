//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// What serve must do: calls of list_rules in a second of its CPU time, the time that 99 of 100 calls stay below at 100
// connections with a thousand calls a second, the growth of its memory (MiB) between two such loads, and the time from its
// start to its first answer on stdio.
const (
	serveRate    = 5_000
	serveP99     = 5 * time.Millisecond
	serveGrowth  = 2
	serveStart   = 20 * time.Millisecond
	serveCalls   = 20_000
	serveClients = 100
	servePace    = 100 * time.Millisecond // of one client
	serveLoad    = 10 * time.Second
)

// serving measures serve over loopback. Only the server's own CPU time counts.
func serving(bin string) (failed int, err error) {
	cmd := exec.Command(bin, "serve", "--http", "127.0.0.1:0")
	errs, err := cmd.StderrPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	line, err := bufio.NewReader(errs).ReadString('\n')
	_, rest, ok := strings.Cut(line, "http://")
	at, _, found := strings.Cut(rest, "/mcp")
	if err != nil || !ok || !found {
		return 0, fmt.Errorf("serve said %q, %w", line, err)
	}
	say := func(name, got, limit string, ok bool) {
		if !ok {
			failed++
		}
		fmt.Printf("%-44s %10s %10s%s\n", name, got, limit, mark(ok))
	}
	pid := cmd.Process.Pid
	if _, err := load(at, 4, serveCalls/10, 0, 0); err != nil { // it has made its answers then
		return 0, err
	}
	before := cpuOf(pid)
	if _, err := load(at, 4, serveCalls, 0, 0); err != nil {
		return 0, err
	}
	rate := int(float64(serveCalls) / (cpuOf(pid) - before).Seconds())
	say("serve, list_rules a CPU second", strconv.Itoa(rate), strconv.Itoa(serveRate), rate >= serveRate)
	times, err := load(at, serveClients, 0, serveLoad, servePace)
	if err != nil {
		return 0, err
	}
	first := anon(pid)
	slices.Sort(times)
	p99 := times[len(times)*99/100]
	say(fmt.Sprintf("serve, p99 of %d at %d connections", len(times), serveClients), p99.Round(10*time.Microsecond).String(), serveP99.String(), p99 <= serveP99)
	if _, err = load(at, serveClients, 0, serveLoad, servePace); err != nil {
		return 0, err
	}
	grown := float64(anon(pid)-first) / 1024
	say("serve, memory of one more such load", fmt.Sprintf("%+.1f MiB", grown), fmt.Sprintf("%d MiB", serveGrowth), grown <= serveGrowth)
	var starts []time.Duration
	for range runs {
		begin := time.Now()
		if err := answered(bin); err != nil {
			return 0, err
		}
		starts = append(starts, time.Since(begin))
	}
	slices.Sort(starts)
	say("serve, start to first answer, wall", starts[runs/2].Round(100*time.Microsecond).String(), serveStart.String(), starts[runs/2] <= serveStart)
	return failed, nil
}

// answered starts serve on stdio and waits for its first answer.
func answered(bin string) error {
	cmd := exec.Command(bin, "serve")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { in.Close(); _ = cmd.Wait() }()
	_, _ = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"0"}}}`+"\n")
	line, err := bufio.NewReader(out).ReadString('\n')
	if err == nil && !strings.Contains(line, `"result"`) {
		err = errors.New(line)
	}
	return err
}

// load calls list_rules over so many connections: a number of times in all, or for a time with a pause between two calls
// of one connection. It gives how long each call took.
func load(at string, connections, calls int, lasting, pause time.Duration) (times []time.Duration, err error) {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_rules","arguments":{}}}`
	request := "POST /mcp HTTP/1.1\r\nHost: " + at + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: " +
		strconv.Itoa(len(body)) + "\r\n\r\n" + body
	var mu sync.Mutex
	var wg sync.WaitGroup
	end := time.Now().Add(lasting)
	for i := range connections {
		wg.Go(func() {
			time.Sleep(pause * time.Duration(i) / time.Duration(connections)) // they are not in step
			own, fault := one(at, request, calls/connections, end, pause)
			mu.Lock()
			defer mu.Unlock()
			times, err = append(times, own...), errors.Join(err, fault)
		})
	}
	wg.Wait()
	return times, err
}

func one(at, request string, calls int, end time.Time, pause time.Duration) (times []time.Duration, err error) {
	conn, err := net.Dial("tcp", at)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	r := bufio.NewReaderSize(conn, 256<<10)
	for n := 0; n < calls || calls == 0 && time.Now().Before(end); n++ {
		begin := time.Now()
		if _, err := io.WriteString(conn, request); err != nil {
			return nil, err
		}
		length := -1
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return nil, err
			}
			if value, ok := strings.CutPrefix(line, "Content-Length: "); ok {
				length, _ = strconv.Atoi(strings.TrimSpace(value))
			}
			if line == "\r\n" {
				break
			}
		}
		if n, err := r.Discard(length); err != nil || length < 1000 {
			return nil, fmt.Errorf("an answer of %d bytes: %w", n, err)
		}
		times = append(times, time.Since(begin))
		time.Sleep(pause)
	}
	return times, nil
}

// cpuOf is the CPU time of a process that runs, in ticks of 10 ms.
func cpuOf(pid int) time.Duration {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(raw), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// anon is the private memory of a process in KiB.
func anon(pid int) int {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(raw), "RssAnon:")
	n, _ := strconv.Atoi(strings.Fields(rest + " 0")[0])
	return n
}
