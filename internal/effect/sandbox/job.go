package sandbox

import (
	"context"
	"runtime"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
)

func jobUsable() error {
	if runtime.GOOS != "windows" {
		return refuse("--executor auto", "job is for Windows")
	}
	return nil
}

// jobPlan starts the command in a bounded Job Object. This was never run on Windows: its test holds the plan.
func jobPlan(_ context.Context, s Spec, env []string) (*Plan, error) {
	path, err := proc.Look(s.Argv[0], env, s.Dir)
	if err != nil {
		return nil, notFound(err)
	}
	return &Plan{
		Command: proc.Command{Path: path, Argv: s.Argv, Env: env, Dir: s.Dir,
			Job: &proc.JobLimits{Processes: s.Limits.SandboxProcesses, Memory: s.Limits.SandboxMemory, CPU: s.Limits.SandboxCPU}},
		Enforced:    []string{ended, "memory, processor and processes"},
		NotEnforced: []string{"files: it reads and writes all that you can", "network: it reaches all that you can"},
	}, nil
}
