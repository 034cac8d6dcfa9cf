//go:build linux

package main

import (
	"bytes"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Budgets are for a machine on which a JSON tokenizer reads 560 MB/s, which is where they were measured. This one may be slower,
// and is from one minute to the next: so the same tokenizer runs before every run that is timed, and what a budget is held against
// is the time that the run would have taken there. A faster machine gets nothing for it.
const (
	referenceRate  = 560e6 // bytes a second
	referenceBytes = 8 << 20
)

var referenceText = []byte(config("mcpServers", 0, 10_000))

// slower says how many times slower this machine is now than the reference, in CPU time of one thread. It is at least 1.
func slower() float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := threadTime()
	n := 0
	var b bytes.Buffer
	d := jsontext.NewDecoder(&b)
	for n < referenceBytes {
		b.Reset()
		b.Write(referenceText)
		d.Reset(&b)
		for {
			if _, err := d.ReadToken(); err != nil {
				break
			}
		}
		n += len(referenceText)
	}
	return max(1, (threadTime()-began).Seconds()/(float64(n)/referenceRate))
}

// there is a time of this machine on the reference.
func there(here time.Duration, slower float64) time.Duration {
	return time.Duration(float64(here) / slower)
}

// nodeStart is what starting Node and nothing else took where the budgets were measured ("node -e 0", Node 20). What starting a
// program takes is the system's work, page by page, and a machine may be much slower at that than at reading JSON.
const nodeStart = 24 * time.Millisecond

// slowerStart says how many times slower this machine starts a program than the reference, at least 1; where there is no Node, what
// slower says.
func slowerStart() float64 {
	best := time.Hour
	for range runs {
		cmd := exec.Command("node", "-e", "0")
		if cmd.Run() != nil {
			return slower()
		}
		u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		best = min(best, time.Duration(u.Utime.Nano()+u.Stime.Nano()))
	}
	return max(1, best.Seconds()/nodeStart.Seconds())
}

// start is what this program's start takes here, and how much slower that is than there: the least of several runs of "version".
type start struct {
	here   time.Duration
	slower float64
}

func startOf(bin string) (s start, err error) {
	s.here = time.Hour
	for range 3 * runs {
		cmd := exec.Command(bin, "version")
		if err := cmd.Run(); err != nil {
			return s, err
		}
		u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		s.here = min(s.here, time.Duration(u.Utime.Nano()+u.Stime.Nano()))
	}
	s.slower = slowerStart()
	return s, nil
}

// there is a run's time on the reference: its start by how programs start there, the rest by how they read.
func (s start) there(here time.Duration, slower float64) time.Duration {
	first := min(here, s.here)
	return there(first, s.slower) + there(here-first, slower)
}

func threadTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(1 /* RUSAGE_THREAD */, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
