//go:build linux

package main

import (
	"bytes"
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

func threadTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(1 /* RUSAGE_THREAD */, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
