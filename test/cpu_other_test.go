//go:build !unix

package test

import "time"

var began = time.Now()

// spent is the time since the start, where no processor time is to be had.
func spent() time.Duration { return time.Since(began) }
