package test

import (
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpassay/mcpassay/test/registry"
)

// startRegistry starts a registry of our own making (package registry) and sets REGISTRY to its URL, behind which the name of a
// fault makes it one with that fault, and SECRET to what its publishers should not have said: registry
func startRegistry(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 0 || neg {
		ts.Fatalf("usage: registry")
	}
	s := registry.New()
	ts.Defer(s.Close)
	ts.Setenv("REGISTRY", s.URL)
	ts.Setenv("SECRET", registry.Secret)
}
