//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// What serve must do: calls of list_rules in a second of its CPU time; the time that 99 of 100 calls stay below at 100
// connections with a thousand calls a second; the growth of its memory (MiB) under such load; and the time from its start
// to its first answer on stdio. The times are the median of what pairs of runs have beyond the plain program.
const (
	serveRate    = 5_000
	serveP99     = 5 * time.Millisecond
	serveGrowth  = 2
	serveStart   = 20 * time.Millisecond
	serveCalls   = 20_000
	serveClients = 100
	servePace    = 100 * time.Millisecond // of one client
	servePairs   = 5
	serveStarts  = 15
	plainLoad    = 2 * time.Second
)

// serving measures serve over loopback. Only the server's own CPU time counts.
func serving(bin string) (failed int, err error) {
	say := func(name, got, limit string, ok bool) {
		if !ok {
			failed++
		}
		fmt.Printf("%-44s %10s %10s%s\n", name, got, limit, mark(ok))
	}
	at, pid, end, err := started(exec.Command(bin, "serve", "--http", "127.0.0.1:0"))
	if err != nil {
		return 0, err
	}
	defer end()
	if _, err := load(at, 4, serveCalls/10, 0, 0); err != nil { // it has made its answers then
		return 0, err
	}
	before := cpuOf(pid)
	if _, err := load(at, 4, serveCalls, 0, 0); err != nil {
		return 0, err
	}
	rate := int(float64(serveCalls) / (cpuOf(pid) - before).Seconds())
	say("serve, list_rules a CPU second", strconv.Itoa(rate), strconv.Itoa(serveRate), rate >= serveRate)

	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	size, err := sizeOf(at)
	if err != nil {
		return 0, err
	}
	other := exec.Command(self)
	other.Env = append(os.Environ(), plainSize+"="+strconv.Itoa(size))
	plainAt, _, endPlain, err := started(other)
	if err != nil {
		return 0, err
	}
	defer endPlain()
	var beyond, whole []time.Duration
	var memory []int
	calls := 0
	for range servePairs {
		theirs, err := load(plainAt, serveClients, 0, min(plainLoad, *lasting/servePairs), servePace)
		if err != nil {
			return 0, err
		}
		ours, err := load(at, serveClients, 0, *lasting/servePairs, servePace)
		if err != nil {
			return 0, err
		}
		beyond, whole, memory = append(beyond, p99(ours)-p99(theirs)), append(whole, p99(ours)), append(memory, anon(pid))
		calls += len(ours)
	}
	slices.Sort(beyond)
	name := fmt.Sprintf("serve, p99 of %d at %d connections", calls, serveClients)
	say(name, beyond[servePairs/2].Round(10*time.Microsecond).String(), serveP99.String(), beyond[servePairs/2] <= serveP99)
	fmt.Printf("%-44s %10s\n", "  with the machine's own, at best", slices.Min(whole).Round(10*time.Microsecond))
	grown := float64(memory[servePairs-1]-memory[0]) / 1024
	say("serve, growth of memory in "+(*lasting-*lasting/servePairs).String(), fmt.Sprintf("%+.1f MiB", grown), fmt.Sprintf("%d MiB", serveGrowth), grown <= serveGrowth)

	var starts []time.Duration
	least := time.Hour
	for range serveStarts {
		idle := exec.Command(self)
		idle.Env = append(os.Environ(), plainSize+"=0")
		theirs, err := answered(idle)
		if err != nil {
			return 0, err
		}
		ours, err := answered(exec.Command(bin, "serve"))
		if err != nil {
			return 0, err
		}
		starts, least = append(starts, ours-theirs), min(least, ours)
	}
	slices.Sort(starts)
	say("serve, start to first answer on stdio", starts[serveStarts/2].Round(100*time.Microsecond).String(), serveStart.String(), starts[serveStarts/2] <= serveStart)
	fmt.Printf("%-44s %10s\n", "  with the machine's own, at best", least.Round(100*time.Microsecond))
	return failed, nil
}

func p99(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)*99/100]
}

// started starts a server that says its address as serve does.
func started(cmd *exec.Cmd) (at string, pid int, end func(), err error) {
	errs, err := cmd.StderrPipe()
	if err != nil {
		return "", 0, nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", 0, nil, err
	}
	end = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	line, err := bufio.NewReader(errs).ReadString('\n')
	_, rest, ok := strings.Cut(line, "http://")
	at, _, found := strings.Cut(rest, "/mcp")
	if err != nil || !ok || !found {
		end()
		return "", 0, nil, fmt.Errorf("the server said %q, %w", line, err)
	}
	return at, cmd.Process.Pid, end, nil
}

// plainSize names the variable that makes this program the one that serve is paired with: how many bytes it answers with,
// or 0 on stdio.
const plainSize = "MCPASSAY_BENCH_PLAIN"

// plain answers whatever it is asked with so many bytes, as soon as it can.
func plain(size string) {
	n, err := strconv.Atoi(size)
	if err != nil {
		os.Exit(2)
	}
	if n == 0 {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		fmt.Println(`{"result":{}}`)
		return
	}
	answer := []byte(strings.Repeat(" ", n))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		os.Exit(2)
	}
	fmt.Fprintf(os.Stderr, "MCP at http://%s/mcp\n", l.Addr())
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Length", size)
		_, _ = w.Write(answer)
	}))
}

// answered starts a server on stdio and gives the time to its first answer.
func answered(cmd *exec.Cmd) (took time.Duration, err error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() { in.Close(); _ = cmd.Wait() }()
	_, _ = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"0"}}}`+"\n")
	line, err := bufio.NewReader(out).ReadString('\n')
	took = time.Since(begin)
	if err == nil && !strings.Contains(line, `"result"`) {
		err = errors.New(line)
	}
	return took, err
}

const listRules = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_rules","arguments":{}}}`

// sizeOf is how many bytes the answer to listRules has.
func sizeOf(at string) (int, error) {
	resp, err := http.Post("http://"+at+"/mcp", "application/json", strings.NewReader(listRules))
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	return int(n), err
}

// load calls list_rules over so many connections: a number of times in all, or for a time with a pause between two calls
// of one connection. It gives how long each call took.
func load(at string, connections, calls int, lasting, pause time.Duration) (times []time.Duration, err error) {
	const body = listRules
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
