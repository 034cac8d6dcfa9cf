//go:build unix

package test

import (
	"net"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// fifo makes named pipes: fifo FILE...
func fifo(ts *testscript.TestScript, neg bool, args []string) {
	for _, a := range args {
		ts.Check(syscall.Mkfifo(ts.MkAbs(a), 0o644))
	}
}

// socket makes the socket files that a dead server leaves behind: socket FILE...
func socket(ts *testscript.TestScript, neg bool, args []string) {
	for _, a := range args {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: ts.MkAbs(a), Net: "unix"})
		ts.Check(err)
		l.SetUnlinkOnClose(false)
		ts.Check(l.Close())
	}
}
