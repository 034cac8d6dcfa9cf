//go:build linux

// Command bench measures the budgets of the issues on the built binary: CPU time (user and system) as the median of
// five runs, and the peak of RssAnon. It prints one line a budget and exits 1 when one is broken.
//
// A time is said as it was here, how many times slower this machine was just then than the one that the budgets are for, and what
// comes of it; that is held against the budget (reference.go).
//
// Figures of wall time are paired with a plain program of a few lines that does the same work at the same time, and are
// what is beyond it.
//
//	go run ./test/bench [-load 5m] [PART OF A NAME]
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// budget is one row: a command in a folder that setup fills.
type budget struct {
	name  string
	setup func(dir string) error
	args  []string
	cpu   time.Duration
	rss   int // MiB, 0 for none
	exits []int
	// env gives variables beside HOME and PATH, nil for none.
	env func(dir string) []string
	// report holds the size of the report on standard output too: 3 times the input, 300 bytes a subject and 4 KiB.
	report bool
}

// runs are timed, watched are looked at for their memory.
const runs, watched = 5, 2

// lasting is how long serve is under load. A leak of a few bytes a call shows in the five minutes of the budget.
var lasting = flag.Duration("load", 10*time.Second, "how `LONG` serve is under load")

func main() {
	if size := os.Getenv(plainSize); size != "" {
		plain(size)
		return
	}
	if what := os.Getenv(role); what != "" {
		play(what)
		return
	}
	flag.Parse()
	if err := run(flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(part string) error {
	work, err := os.MkdirTemp("", "mcpassay-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	bin := filepath.Join(work, "mcpassay")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, "./cmd/mcpassay")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %v\n%s", err, out)
	}
	fmt.Printf("%-44s %10s %7s %10s %10s %9s %9s\n", "work", "CPU", "slower", "is", "budget", "RssAnon", "budget")
	begin, err := startOf(bin)
	if err != nil {
		return err
	}
	fmt.Printf("%-44s %10s %6.1fx %10s\n", "the start of a run, within each", round(begin.here), begin.slower, round(there(begin.here, begin.slower)))
	failed := 0
	cpu := map[string]time.Duration{}
	for _, b := range budgets {
		if !strings.Contains(b.name, part) {
			continue
		}
		ok, took, err := measure(bin, work, b, begin)
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		cpu[b.name] = took
		if !ok {
			failed++
		}
	}
	if half, whole := cpu[halfFile], cpu[wholeFile]; half > 0 && whole > 0 {
		ratio := float64(whole) / float64(half)
		fmt.Printf("%-44s %28.2fx %9.2fx%s\n", "8 MiB against 4 MiB: linear", ratio, 2.6, mark(ratio <= 2.6))
		if ratio > 2.6 {
			failed++
		}
	}
	for _, other := range []struct {
		name string
		run  func(bin string) (int, error)
	}{{"package initialisation", inits}, {"scan", scanning}, {"probe", probing}, {"serve", serving}, {"audit of 30 servers", auditing}, {"append to a log", appending}, {"guard", guardingBench}, {"guard over HTTP", guardingHTTPBench}} {
		if !strings.Contains(other.name, part) {
			continue
		}
		n, err := other.run(bin)
		if err != nil {
			return err
		}
		failed += n
	}
	if strings.Contains("kinds of texts", part) {
		n, err := kinds(bin)
		if err != nil {
			return err
		}
		failed += n
	}
	if failed > 0 {
		return fmt.Errorf("%d budgets are broken", failed)
	}
	return nil
}

func mark(ok bool) string {
	if ok {
		return ""
	}
	return "   OVER"
}

func measure(bin, work string, b budget, begin start) (ok bool, cpu time.Duration, err error) {
	dir := filepath.Join(work, strings.Map(func(r rune) rune {
		if r == ' ' || r == '/' || r == ',' {
			return '-'
		}
		return r
	}, b.name))
	home := filepath.Join(dir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return false, 0, err
	}
	if b.setup != nil {
		if err := b.setup(dir); err != nil {
			return false, 0, err
		}
	}
	var times []time.Duration
	var machine []float64
	peak := 0
	for i := range runs + watched {
		if i < runs {
			machine = append(machine, slower())
		}
		cmd := exec.Command(bin, b.args...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		if b.env != nil {
			cmd.Env = append(cmd.Env, b.env(dir)...)
		}
		var errs bytes.Buffer
		cmd.Stderr = &errs
		var out bytes.Buffer
		if b.report && i == 0 {
			cmd.Stdout = &out
		}
		if err := cmd.Start(); err != nil {
			return false, 0, err
		}
		done, top := make(chan struct{}), make(chan int, 1)
		look := i >= runs // looking at a process slows it: its time is taken in other runs
		if look {
			go watch(cmd.Process.Pid, done, top)
		}
		_ = cmd.Wait()
		if b.report && i == 0 {
			if size, room, err := reportSize(dir, out.Bytes()); err != nil {
				return false, 0, err
			} else if size > room {
				return false, 0, fmt.Errorf("the report has %d bytes, more than %d", size, room)
			}
		}
		close(done)
		if look {
			peak = max(peak, <-top)
		}
		if code := cmd.ProcessState.ExitCode(); !slices.Contains(append(b.exits, 0), code) {
			return false, 0, fmt.Errorf("exit code %d: %s", code, errs.String())
		}
		if u := cmd.ProcessState.SysUsage().(*syscall.Rusage); !look {
			times = append(times, time.Duration(u.Utime.Nano()+u.Stime.Nano()))
		}
	}
	slices.Sort(times)
	slices.Sort(machine)
	here := times[runs/2]
	cpu = begin.there(here, machine[runs/2])
	ok = cpu <= b.cpu && (b.rss == 0 || peak <= b.rss<<10)
	memory, limit := "", ""
	if b.rss > 0 {
		memory, limit = fmt.Sprintf("%.1f MiB", float64(peak)/1024), fmt.Sprintf("%d MiB", b.rss)
	}
	fmt.Printf("%-44s %10s %6.1fx %10s %10s %9s %9s%s\n", b.name, round(here), machine[runs/2], round(cpu), b.cpu, memory, limit, mark(ok))
	return ok, cpu, nil
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

// reportSize is the size of a report and the room that it has.
func reportSize(dir string, report []byte) (size, room int, err error) {
	var r struct{ Subjects []json.RawMessage }
	if err := json.Unmarshal(report, &r); err != nil {
		return 0, 0, err
	}
	input, err := os.Stat(filepath.Join(dir, "tools.json"))
	if err != nil {
		return 0, 0, err
	}
	return len(report), 3*int(input.Size()) + 300*len(r.Subjects) + 4<<10, nil
}

// watch follows RssAnon (KiB) of a process until done.
func watch(pid int, done chan struct{}, top chan int) {
	peak := 0
	path := fmt.Sprintf("/proc/%d/status", pid)
	for {
		select {
		case <-done:
			top <- peak
			return
		default:
		}
		raw, err := os.ReadFile(path)
		if err == nil {
			if _, rest, ok := strings.Cut(string(raw), "RssAnon:"); ok {
				if n, err := strconv.Atoi(strings.Fields(rest)[0]); err == nil {
					peak = max(peak, n)
				}
			}
		}
		time.Sleep(200 * time.Microsecond)
	}
}

// inits holds package initialisation under 6 ms in all and 1 ms for any one package (the best of five runs).
func inits(bin string) (failed int, err error) {
	best, worst, who := time.Hour, time.Duration(0), ""
	machine := 1e9
	for range runs {
		machine = min(machine, slowerStart())
		cmd := exec.Command(bin, "version")
		cmd.Env = []string{"GODEBUG=inittrace=1"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			return 0, err
		}
		total, most, name := time.Duration(0), time.Duration(0), ""
		for line := range strings.Lines(string(out)) {
			f := strings.Fields(line)
			if len(f) < 6 || f[0] != "init" {
				continue
			}
			ms, err := strconv.ParseFloat(f[4], 64)
			if err != nil {
				return 0, fmt.Errorf("inittrace: %q", line)
			}
			d := time.Duration(ms * float64(time.Millisecond))
			total += d
			if d > most {
				most, name = d, f[1]
			}
		}
		if total < best {
			best, worst, who = total, most, name
		}
	}
	all, one := there(best, machine) <= 6*time.Millisecond, there(worst, machine) <= time.Millisecond
	fmt.Printf("%-44s %10s %6.1fx %10s %10s%s\n", "package initialisation", round(best), machine, round(there(best, machine)), 6*time.Millisecond, mark(all))
	fmt.Printf("%-44s %10s %6.1fx %10s %10s%s\n", "  the slowest: "+who, worst, machine, there(worst, machine).Round(10*time.Microsecond), time.Millisecond, mark(one))
	for _, ok := range []bool{all, one} {
		if !ok {
			failed++
		}
	}
	return failed, nil
}
