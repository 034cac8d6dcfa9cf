//go:build !unix

package test

import "github.com/rogpeppe/go-internal/testscript"

func fifo(ts *testscript.TestScript, neg bool, args []string) {
	ts.Fatalf("there are no named pipes here: begin the script with [!unix] skip")
}

func socket(ts *testscript.TestScript, neg bool, args []string) {
	ts.Fatalf("there are no socket files here: begin the script with [!unix] skip")
}
