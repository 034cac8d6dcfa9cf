//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"time"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
)

const selfPath = ""

// supervised: only Linux has a supervisor.
func supervised(c proc.Command, _ bool, _ time.Duration) proc.Command { return c }

var errLinux = errors.New("this part of a sandbox is for Linux")

func supervise(bool, time.Duration, string, []string) int { return stageFailed(errLinux) }
func confine(policy, string, []string) error              { return errLinux }
func wrap(policy, string, []string) error                 { return errLinux }
func landlockUsable() error {
	return refuse("--executor docker, or host", "Landlock is a part of Linux")
}
func bubblewrapUsable(context.Context, Spec) error {
	return refuse("--executor docker, or host", "bubblewrap is for Linux")
}
func landlockPlan(context.Context, Spec, []string) (*Plan, error) { return nil, landlockUsable() }
func bubblewrapPlan(context.Context, Spec, []string) (*Plan, error) {
	return nil, bubblewrapUsable(nil, Spec{})
}

func portsUsable(Spec) error { return landlockUsable() }

func landlockABI() int { return 0 }
