//go:build solaris || illumos || aix || plan9 || js || wasip1

package files

import "os"

// hold holds nothing here; closing it does nothing.
func hold(string) (*os.File, error) { return nil, nil }
