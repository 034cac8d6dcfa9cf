//go:build linux && !amd64 && !arm64

package sandbox

import (
	"context"
	"errors"
)

var errProcessor = errors.New("the sandbox has no filter for this processor")

func unusable() error { return refuse("--executor docker, or host", "%s", errProcessor) }

func confine(policy, string, []string) error                        { return errProcessor }
func wrap(policy, string, []string) error                           { return errProcessor }
func landlockUsable() error                                         { return unusable() }
func bubblewrapUsable(context.Context, Spec) error                  { return unusable() }
func landlockPlan(context.Context, Spec, []string) (*Plan, error)   { return nil, unusable() }
func bubblewrapPlan(context.Context, Spec, []string) (*Plan, error) { return nil, unusable() }

func portsUsable(Spec) error { return landlockUsable() }

func landlockABI() int { return 0 }
