package sandbox

import (
	"context"
	"runtime"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// Bound is what a backend keeps of one thing on this machine: kept, partly or open, and what there is to say of it.
type Bound struct {
	Of    string // one of Things
	State string
	Why   string
}

// The versions of Landlock's interface that bring what is used here (Documentation/userspace-api/landlock.rst).
const (
	abiFiles    = 1 // Linux 5.13
	abiRefer    = 2 // 5.19
	abiTruncate = 3 // 6.2
	abiTCP      = 4 // 6.7
	abiDevices  = 5 // 6.10
	abiScopes   = 6 // 6.12
)

// The states of a bound.
const (
	Kept   = "kept"
	Partly = "partly"
	Open   = "open"
)

// Things are what a server can be kept from, in the order in which they are shown.
func Things() []string {
	return []string{"files to read", "files to write", "TCP", "UDP and names", "unix sockets", "privileges", "process tree"}
}

// Bounds are what a backend keeps here. Absent is why it can not be used, "" where it can; it keeps nothing then.
type Bounds struct {
	Backend Backend
	Absent  string
	Bounds  []Bound
}

// Holding says what each backend keeps on this machine. It starts bubblewrap, which shows nothing but its version, to see whether it
// works. environ is ours.
func Holding(ctx context.Context, environ []string, lim limits.Set) (all []Bounds) {
	for _, b := range []Backend{Bubblewrap, Landlock, Seatbelt, Job, Host} {
		s := Spec{Executor: b, Parent: environ, Limits: lim}
		of := Bounds{Backend: b}
		if err := usable(ctx, b, s); err != nil {
			of.Absent = err.Error()
		} else {
			of.Bounds = bounds(b, runtime.GOOS, landlockABI(), portsUsable(s) == nil)
		}
		all = append(all, of)
	}
	return all
}

// bounds are those of one backend on a system whose kernel has a version of Landlock, 0 for none.
func bounds(b Backend, system string, abi int, ports bool) []Bound {
	why := map[Backend][]Bound{
		Bubblewrap: {{State: Kept, Why: "it sees its program and what is opened"}, {State: Kept, Why: "what is opened, and a folder of its own"}, {}, {State: Kept, Why: "none, but with --allow-net"},
			{State: Kept, Why: "none"}, {State: Kept, Why: "none to be gained"}, {State: Kept, Why: "it sees no other, and all of it ends"}},
		Landlock: {{State: Kept, Why: "its program and what is opened; it can learn that a file exists"}, {State: Kept, Why: "what is opened, and a folder of its own"}, {}, {State: Kept, Why: "none, but with --allow-net"},
			{State: Kept, Why: "none"}, {State: Kept, Why: "none to be gained"}, {State: Kept, Why: "it reaches no other, and all of it ends"}},
		Seatbelt: {{State: Partly, Why: "nothing of home folders and volumes but what is opened; never tried on a Mac"}, {State: Partly, Why: "what is opened; never tried on a Mac"},
			{State: Partly, Why: "none, the ports that are named, or all; never tried on a Mac"}, {State: Partly, Why: "names are asked for by the system's own service; never tried on a Mac"},
			{State: Partly, Why: "none, but with --allow-net; never tried on a Mac"}, {State: Open, Why: "other services of macOS can be asked"}, {State: Partly, Why: "who leaves its group lives on"}},
		Job:  {{State: Open}, {State: Open}, {State: Open}, {State: Open}, {State: Open}, {State: Open}, {State: Kept, Why: "all of it ends; memory, processor and their number are bounded"}},
		Host: {{State: Open}, {State: Open}, {State: Open}, {State: Open}, {State: Open}, {State: Open}, {State: Kept, Why: "all of it ends, unless it kills its supervisor"}},
	}[b]
	switch b {
	case Bubblewrap, Landlock:
		why[2] = Bound{State: Kept, Why: "none, the ports that are named of any host, or all; single hosts are kept by nothing here"}
		if !ports {
			why[2] = Bound{State: Partly, Why: "none, or all: single ports need Linux 6.7, and a bubblewrap that does not run as root"}
		}
	case Host:
		if system != "linux" && system != "windows" {
			why[6] = Bound{State: Partly, Why: "who leaves its group lives on"}
		}
	}
	if b == Landlock && abi < abiTruncate {
		why[1] = Bound{State: Partly, Why: "files that you can write to can be emptied (until Linux 6.2)"}
	}
	if b == Landlock && abi < abiScopes {
		why[6] = Bound{State: Partly, Why: "it can end other processes of yours (until Linux 6.12)"}
	}
	for i, name := range Things() {
		why[i].Of = name
	}
	return why
}
