package sandbox

import (
	"cmp"
	"context"
	"runtime"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
)

// Here is what a look at this machine says of a backend: there, installed where it was not tried, or why not.
type Here struct {
	Backend Backend
	State   string // usable, installed, absent
}

// LookAround says which backends that keep a server in bounds are here. It starts nothing: whether bubblewrap may make
// namespaces, or a container engine answers, only a start tells. environ is ours.
func LookAround(environ []string) []Here {
	found := func(program string) string {
		if _, err := proc.Look(program, environ, ""); err != nil {
			return ""
		}
		return "installed"
	}
	state := func(err error) string {
		if err != nil {
			return "absent"
		}
		return "usable"
	}
	var all []Here
	switch runtime.GOOS {
	case "linux":
		all = append(all, Here{Landlock, state(usable(context.Background(), Landlock, Spec{}))}, Here{Bubblewrap, cmp.Or(found("bwrap"), "absent")})
	case "windows":
		all = append(all, Here{Job, state(jobUsable())})
	}
	return append(all, Here{Docker, cmp.Or(found("docker"), "absent")})
}
