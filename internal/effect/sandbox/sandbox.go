// Package sandbox confines a local server: given what a config or a person wants started, it makes a command for package
// proc that starts the same inside bounds, and says in plain words which bounds hold and which this system can not keep.
//
// On Linux every command is run below a supervisor, which is this program again ("mcpassay __sandbox supervise"). It is
// a subreaper, so that also a process whose parent died stays below it, and it ends only when all below it has ended,
// also when mcpassay itself is killed. Beyond that:
//
//   - landlock: this program again ("__sandbox confine") restricts itself with Landlock and a seccomp filter, then
//     becomes the server. Nothing needs to be installed.
//   - bubblewrap: new namespaces of every kind, an own small tree of files, and the same filter.
//   - docker: a container without network, capabilities or a writable root. Tested by its command line only, not run.
//   - job: on Windows a Job Object, which bounds the tree, not its files or network. Tested by its plan only, not run.
//   - seatbelt: on macOS a profile for sandbox-exec. Tested by its text only, not run, and never chosen by auto.
//   - host: no bounds but the supervisor.
//
// What no backend catches: a process that hands itself to another service of the machine (systemd-run, at, a container
// engine) where it can reach one, which only host leaves possible; and under host a child that kills its supervisor,
// whose other children then live on.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// Backend is a way to confine a server; its text is the value of --executor.
type Backend string

// The backends. Auto is the best of this machine that keeps files and network, None runs nothing.
const (
	Auto       Backend = "auto"
	None       Backend = "none"
	Landlock   Backend = "landlock"
	Bubblewrap Backend = "bubblewrap"
	Docker     Backend = "docker"
	Host       Backend = "host"
	Job        Backend = "job"
	Seatbelt   Backend = "seatbelt"
)

// Backends are all of them, in the order in which help lists them.
func Backends() []Backend {
	return []Backend{Auto, None, Landlock, Bubblewrap, Docker, Seatbelt, Job, Host}
}

// Spec is what to start.
type Spec struct {
	// Executor is the backend, "" for Auto.
	Executor Backend
	// Argv is the command as the config or the person gave it.
	Argv []string
	// Parent is our own environment, Entry what the config's entry sets, as NAME=VALUE; InheritEnv passes all of Parent.
	Parent, Entry []string
	InheritEnv    bool
	// Dir is the working folder, read-only for the server; "" for an empty writable one.
	Dir string
	// Workspace are further folders and files that the server may read.
	Workspace []string
	// AllowNet turns the network on.
	AllowNet bool
	// Profile is what the server may reach beside its program, in place of all else that is said here; nil for none.
	Profile *Profile
	// Lasting says that the server lives as long as its client: its processor time has no end.
	Lasting bool
	// Image is the container image for Docker.
	Image  string
	Limits limits.Set

	// writable is a folder that the command may fill, and pathMeta that it may change the mode and times of files by
	// name, as package managers do.
	writable string
	pathMeta bool
	// closed are the paths of what is secret, found out once for all that is asked of them.
	closed []string
}

// Plan is how to start it.
type Plan struct {
	proc.Command
	Backend Backend
	// Enforced and NotEnforced say for a person what is bounded and what is not.
	Enforced, NotEnforced []string
	// Cleanup removes what was made for the plan. It must be called once the child is closed.
	Cleanup func() error
}

// Refusal is why nothing is started, and what to do about it.
type Refusal struct{ Reason, Hint string }

func (r *Refusal) Error() string { return r.Reason }

func refuse(hint, format string, args ...any) error {
	return &Refusal{Reason: fmt.Sprintf(format, args...), Hint: hint}
}

// New plans the start of a server. Nothing of the server runs yet.
func New(ctx context.Context, s Spec) (*Plan, error) {
	if s.Executor == "" {
		s.Executor = Auto
	}
	if s.Executor == Auto {
		b, err := choose(ctx, s)
		if err != nil {
			return nil, err
		}
		s.Executor = b
	}
	if s.Executor == None {
		return nil, refuse("--executor auto starts it in the best sandbox of this machine", "--executor none starts no server")
	}
	if len(s.Argv) == 0 && s.Executor != Docker {
		return nil, refuse("name its command", "the server has no command")
	}
	if err := s.Profile.check(s); err != nil {
		return nil, err
	}
	s.closed = s.secrets()
	if !s.AllowNet && !s.Profile.connects() && slices.Contains(candidates[:], s.Executor) {
		s.Entry = slices.Concat(offline(s.Argv), s.Entry) // which may say otherwise
	}
	env, err := proc.Environ(s.Parent, s.Entry, s.InheritEnv, s.Limits)
	if err != nil {
		return nil, err
	}
	plan, ok := map[Backend]func(context.Context, Spec, []string) (*Plan, error){
		Landlock: landlockPlan, Bubblewrap: bubblewrapPlan, Docker: dockerPlan, Host: hostPlan, Job: jobPlan, Seatbelt: seatbeltPlan,
	}[s.Executor]
	if !ok {
		return nil, refuse("one of "+names(Backends()), "no executor is named %q", string(s.Executor))
	}
	if err := usable(ctx, s.Executor, s); err != nil {
		return nil, err
	}
	p, err := plan(ctx, s, env)
	if err != nil {
		return nil, err
	}
	p.Backend = s.Executor
	if p.Cleanup == nil {
		p.Cleanup = func() error { return nil }
	}
	return p, nil
}

// candidates are the backends that keep files and network, the best first: bubblewrap hides what landlock only closes.
var candidates = [...]Backend{Bubblewrap, Landlock}

// choose gives the best backend that works here. A named image is a wish for a container.
func choose(ctx context.Context, s Spec) (Backend, error) {
	order := candidates[:]
	if s.Image != "" {
		order = append([]Backend{Docker}, order...)
	}
	var why []string
	for _, b := range order {
		err := usable(ctx, b, s)
		if err == nil {
			return b, nil
		}
		why = append(why, string(b)+": "+err.Error())
	}
	return "", refuse("install bubblewrap, or use --executor docker --executor-image IMAGE; --executor host starts it without any bounds",
		"nothing here keeps a server from files and network (%s)", strings.Join(why, "; "))
}

// usable says why a backend can not be used, nil if it can.
func usable(ctx context.Context, b Backend, s Spec) error {
	switch b {
	case Landlock:
		return landlockUsable()
	case Bubblewrap:
		return bubblewrapUsable(ctx, s)
	case Docker:
		return dockerUsable(s)
	case Job:
		return jobUsable()
	case Seatbelt:
		return seatbeltUsable()
	}
	return nil
}

func names(bs []Backend) string {
	var all []string
	for _, b := range bs {
		all = append(all, string(b))
	}
	return strings.Join(all, ", ")
}

// hostPlan starts the command as it is.
func hostPlan(_ context.Context, s Spec, env []string) (*Plan, error) {
	path, err := proc.Look(s.Argv[0], env, s.Dir)
	if err != nil {
		return nil, notFound(err)
	}
	p := &Plan{
		Command:     supervised(proc.Command{Path: path, Argv: s.Argv, Env: env, Dir: s.Dir}, false, s.Limits.ChildKill),
		NotEnforced: []string{"files: it reads and writes all that you can", "network: it reaches all that you can", "memory, processor and processes"},
	}
	if !s.InheritEnv {
		p.Enforced = append(p.Enforced, "environment: only harmless variables and those that its entry names")
	}
	if p.Supervised || runtime.GOOS == "windows" {
		p.Enforced = append(p.Enforced, ended)
	} else {
		p.NotEnforced = append(p.NotEnforced, "processes that leave its process group live on")
	}
	return p, nil
}

const ended = "processes: all that it starts ends with it"

func notFound(err error) error {
	var absent *proc.NotFoundError
	if errors.As(err, &absent) {
		return refuse("install it, or give its whole path", "%s", err)
	}
	return err
}

// folder checks a folder or file that a server is to read: an existing one, by its whole name, that does not bring a
// home folder or the system's own files with it.
func (s Spec) folder(path string) (string, error) {
	whole, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(whole)
	}
	if err != nil {
		return "", fmt.Errorf("workspace: %w", err)
	}
	if !s.mayOpen(whole) {
		return "", refuse("name a folder inside it, or use --executor host",
			"%s is or holds a home folder, keys or system files, and is not opened to a server", path)
	}
	return whole, nil
}

// private gives a server a home and a place for temporary files of its own.
func private(env []string, home, tmp string) []string {
	for _, kv := range [][2]string{{"HOME", home}, {"TMPDIR", tmp}, {"TEMP", tmp}, {"TMP", tmp}} {
		env = proc.Set(env, kv[0], kv[1])
	}
	return env
}

// confined are the bounds that landlock and bubblewrap share.
func confined(s Spec) []string {
	files, network := s.Profile.words()
	all := []string{files, "privileges: none, and none to be gained", "the size of a file"}
	if !s.Lasting {
		all = append(all, "processor time")
	}
	switch {
	case network != "":
		return append(all, network, "unix sockets: none")
	case s.AllowNet:
		return append(all, "unix sockets: none")
	}
	return append(all, "network: no socket of any kind")
}
