//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What the guard over HTTP may add to a call of 1 KiB: it is a second HTTP server and a second HTTP client, which take most of it.
const (
	guardHTTPp50 = 400 * time.Microsecond
	guardHTTPp99 = 1500 * time.Microsecond
	guardHTTP    = 12 << 10 // its RssAnon in KiB
	httpCalls    = 600      // in each of the runs
)

// playHTTP is a server with a URL that answers with what it is sent.
func playHTTP() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		os.Exit(1)
	}
	fmt.Println(l.Addr())
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if bytes.Contains(body, []byte(`"initialize"`)) {
			w.Header().Set("Mcp-Session-Id", strconv.FormatInt(time.Now().UnixNano(), 36))
		}
		_, _ = w.Write(echoed(body))
	})}
	_ = server.Serve(l)
}

// guardingHTTPBench holds what the guard over HTTP adds to a call, of two that are made one after the other.
func guardingHTTPBench(bin string) (failed int, err error) {
	home, err := os.MkdirTemp("", "mcpassay-guard")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(home)
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), role+"=http")
	out, err := server.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := server.Start(); err != nil {
		return 0, err
	}
	defer func() { _ = server.Process.Kill(); _ = server.Wait() }()
	at, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return 0, err
	}
	direct := "http://" + strings.TrimSpace(at) + "/mcp"
	guard := exec.Command(bin, "guard", "run", "--listen", "127.0.0.1:0", "--upstream", direct)
	guard.Env, guard.Dir = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="), home
	errs, err := guard.StderrPipe()
	if err != nil {
		return 0, err
	}
	if err := guard.Start(); err != nil {
		return 0, err
	}
	defer func() { _ = guard.Process.Kill(); _ = guard.Wait() }()
	guarded := ""
	for lines := bufio.NewScanner(errs); guarded == "" && lines.Scan(); {
		if before, _, ok := strings.Cut(lines.Text(), " stands before"); ok {
			_, guarded, _ = strings.Cut(before, "guard: ")
		}
	}
	call := func(url, session, method, params string) (took time.Duration, id string, err error) {
		r, err := http.NewRequest("POST", url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+"}\n"))
		if err != nil {
			return 0, "", err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		began := time.Now()
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, "", err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		took = time.Since(began)
		if err != nil || !bytes.Contains(text, []byte(`"result"`)) {
			return 0, "", fmt.Errorf("%s: %.200s, %v", method, text, err)
		}
		return took, resp.Header.Get("Mcp-Session-Id"), nil
	}
	quoted, _ := json.Marshal(strings.Repeat("The quick brown fox jumps over it. ", (1<<10)/35))
	ends := []string{direct, guarded}
	var p50, p99 []time.Duration
	var machine []float64
	for range runs {
		machine = append(machine, slower())
		var sessions [2]string
		for i, url := range ends {
			if _, sessions[i], err = call(url, "", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`); err != nil {
				return 0, err
			}
			if _, _, err = call(url, sessions[i], "tools/list", `{}`); err != nil {
				return 0, err
			}
		}
		var took [2][]time.Duration
		for range httpCalls {
			for i, url := range ends {
				d, _, err := call(url, sessions[i], "tools/call", `{"name":"echo","arguments":{"message":`+string(quoted)+`}}`)
				if err != nil {
					return 0, err
				}
				took[i] = append(took[i], d)
			}
		}
		for i := range took {
			slices.Sort(took[i])
		}
		p50 = append(p50, took[1][httpCalls/2]-took[0][httpCalls/2])
		p99 = append(p99, took[1][httpCalls*99/100]-took[0][httpCalls*99/100])
	}
	slices.Sort(machine)
	for _, b := range []struct {
		what   string
		all    []time.Duration
		budget time.Duration
	}{{"p50 at 1 KiB", p50, guardHTTPp50}, {"p99 at 1 KiB", p99, guardHTTPp99}} {
		slices.Sort(b.all)
		here := b.all[runs/2]
		is := there(here, machine[runs/2])
		fmt.Printf("%-44s %10s %6.1fx %10s %10s%s\n", "guard over HTTP adds, "+b.what, here.Round(time.Microsecond), machine[runs/2], is.Round(time.Microsecond), b.budget, mark(is <= b.budget))
		if is > b.budget {
			failed++
		}
	}
	kib, err := rssAnon(guard.Process.Pid)
	if err != nil {
		return failed, err
	}
	fmt.Printf("%-44s %59s\n", "guard over HTTP, RssAnon", fmt.Sprintf("%.1f MiB of %d%s", float64(kib)/1024, guardHTTP>>10, mark(kib <= guardHTTP)))
	if kib > guardHTTP {
		failed++
	}
	return failed, nil
}
