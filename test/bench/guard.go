//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// role makes this program another: a server that answers with what it is sent, or a relay that copies and looks at nothing.
const role = "MCPASSAY_BENCH_ROLE"

// play plays a role.
func play(what string) {
	if what == "http" {
		playHTTP()
		return
	}
	if what == "copy" {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), role+"=echo")
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if cmd.Start() != nil {
			os.Exit(1)
		}
		go func() { _, _ = io.Copy(in, os.Stdin); in.Close() }()
		_, _ = io.Copy(os.Stdout, out)
		_ = cmd.Wait()
		return
	}
	in := bufio.NewReaderSize(os.Stdin, 2<<20)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		if _, err := os.Stdout.Write(echoed(line)); err != nil {
			return
		}
	}
}

// echoed is what the server that plays along answers. The id stands first and the text last in what this bench sends: a server that
// parses would hide what a relay takes.
func echoed(line []byte) []byte {
	id := line[len(`{"jsonrpc":"2.0","id":`):]
	id = id[:bytes.IndexByte(id, ',')]
	answer := []byte(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":`)
	switch {
	case bytes.Contains(line[:min(len(line), 100)], []byte(`"initialize"`)):
		return append(answer, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}}`+"\n"...)
	case bytes.Contains(line[:min(len(line), 100)], []byte(`"tools/list"`)):
		return append(answer, `{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"message":{"type":"string"}}}}]}}`+"\n"...)
	}
	text := line[bytes.LastIndex(line[:200], []byte(`"message":`))+len(`"message":`) : len(line)-len("}}}\n")]
	answer = append(answer, `{"content":[{"type":"text","text":`...)
	return append(append(answer, text...), "}]}}\n"...)
}

// session is one run of a server, directly or behind something.
type session struct {
	start       time.Duration
	p50, p99    map[int]time.Duration // by the size of what is sent
	small, tall int                   // RssAnon in KiB after small and after large frames
}

var sizes = []struct{ bytes, calls int }{{1 << 10, 1500}, {10 << 10, 400}, {1 << 20, 30}}

func speak(home string, argv ...string) (s session, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), role+"=echo", "HOME="+home, "XDG_STATE_HOME=")
	if argv[0] == os.Args[0] && len(argv) > 1 {
		cmd = exec.Command(argv[0])
		cmd.Env = append(os.Environ(), role+"="+argv[1])
	}
	cmd.Dir = home
	in, err := cmd.StdinPipe()
	if err != nil {
		return s, err
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return s, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return s, err
	}
	defer func() {
		in.Close()
		_ = cmd.Wait()
	}()
	out := bufio.NewReaderSize(pipe, 2<<20)
	n := 0
	call := func(method, params string) (time.Duration, error) {
		n++
		at := time.Now()
		if _, err := io.WriteString(in, `{"jsonrpc":"2.0","id":`+strconv.Itoa(n)+`,"method":"`+method+`","params":`+params+"}\n"); err != nil {
			return 0, err
		}
		line, err := out.ReadBytes('\n')
		took := time.Since(at)
		if err != nil || !bytes.Contains(line, []byte(`"result"`)) {
			return 0, fmt.Errorf("%s: %.200s, %v", method, line, err)
		}
		return took, nil
	}
	if _, err := call("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`); err != nil {
		return s, err
	}
	s.start = time.Since(began)
	if _, err := call("tools/list", `{}`); err != nil {
		return s, err
	}
	s.p50, s.p99 = map[int]time.Duration{}, map[int]time.Duration{}
	for _, size := range sizes {
		quoted, _ := json.Marshal(strings.Repeat("The quick brown fox jumps over it. ", size.bytes/35))
		var all []time.Duration
		for range size.calls {
			took, err := call("tools/call", `{"name":"echo","arguments":{"message":`+string(quoted)+`}}`)
			if err != nil {
				return s, err
			}
			all = append(all, took)
		}
		slices.Sort(all)
		s.p50[size.bytes], s.p99[size.bytes] = all[len(all)/2], all[len(all)*99/100]
		if kib, err := rssAnon(cmd.Process.Pid); err != nil {
			return s, err
		} else if s.tall = kib; size.bytes < 1<<20 {
			s.small = kib
		}
	}
	return s, nil
}

func rssAnon(pid int) (kib int, err error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(raw), "RssAnon:")
	_, err = fmt.Sscan(rest, &kib)
	return kib, err
}

// guardingBench holds what the guard adds, the median of paired runs, and what it keeps.
func guardingBench(bin string) (failed int, err error) {
	home, err := os.MkdirTemp("", "mcpassay-guard")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(home)
	home, err = filepath.EvalSymlinks(home)
	if err != nil {
		return 0, err
	}
	if _, err := speak(home, bin, "guard", "run", "--", os.Args[0]); err != nil { // the first use is kept
		return 0, err
	}
	added := map[string][]time.Duration{}
	var ratios, machine []float64
	small, tall := 0, 0
	for range runs {
		machine = append(machine, slower())
		direct, err := speak(home, os.Args[0])
		if err != nil {
			return 0, err
		}
		copied, err := speak(home, os.Args[0], "copy")
		if err != nil {
			return 0, err
		}
		guarded, err := speak(home, bin, "guard", "run", "--", os.Args[0])
		if err != nil {
			return 0, err
		}
		add := func(what string, d time.Duration) { added[what] = append(added[what], d) }
		add("start", guarded.start-direct.start)
		add("p50 at 1 KiB", guarded.p50[1<<10]-direct.p50[1<<10])
		add("p99 at 1 KiB", guarded.p99[1<<10]-direct.p99[1<<10])
		add("p99 at 10 KiB", guarded.p99[10<<10]-direct.p99[10<<10])
		add("p99 at 1 MiB", guarded.p99[1<<20]-direct.p99[1<<20])
		ratios = append(ratios, float64(guarded.p50[1<<10])/float64(copied.p50[1<<10]))
		small, tall = max(small, guarded.small), max(tall, guarded.tall)
	}
	slices.Sort(machine)
	slices.Sort(ratios)
	slow := machine[runs/2]
	for _, b := range []struct {
		what   string
		budget time.Duration
	}{{"start", 12 * time.Millisecond}, {"p50 at 1 KiB", 80 * time.Microsecond}, {"p99 at 1 KiB", 250 * time.Microsecond}, {"p99 at 10 KiB", 800 * time.Microsecond},
		{"p99 at 1 MiB", 20 * time.Millisecond}} {
		slices.Sort(added[b.what])
		here := added[b.what][runs/2]
		is := there(here, slow)
		if b.what == "start" {
			is = there(here, slowerStart())
		}
		fmt.Printf("%-44s %10s %6.1fx %10s %10s%s\n", "guard adds, "+b.what, here.Round(time.Microsecond), slow, is.Round(time.Microsecond), b.budget, mark(is <= b.budget))
		if is > b.budget {
			failed++
		}
	}
	fmt.Printf("%-44s %28.2fx %9.2fx%s\n", "guard against a relay that copies, p50", ratios[runs/2], 1.8, mark(ratios[runs/2] <= 1.8))
	fmt.Printf("%-44s %59s\n", "guard, RssAnon; after 1 MiB frames", fmt.Sprintf("%.1f MiB of 12; %.1f of 32%s", float64(small)/1024, float64(tall)/1024, mark(small <= 12<<10 && tall <= 32<<10)))
	if ratios[runs/2] > 1.8 {
		failed++
	}
	if small > 12<<10 || tall > 32<<10 {
		failed++
	}
	return failed, nil
}
