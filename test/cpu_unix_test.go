//go:build unix

package test

import (
	"syscall"
	"time"
)

// spent is the processor time that this process took so far: what else a machine does is no part of it.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
