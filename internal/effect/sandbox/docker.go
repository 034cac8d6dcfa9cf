package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/model/launch"
)

func dockerUsable(s Spec) error {
	if s.Image == "" {
		return refuse("--executor-image IMAGE, best by digest", "docker needs the image to run the server in")
	}
	_, err := proc.Look("docker", s.Parent, "")
	if err != nil {
		return refuse("install docker, or use --executor auto", "docker is not installed")
	}
	return nil
}

// clients are the prefixes of variables that the docker client takes for itself. A server's entry that set one would
// steer the client, outside the container.
var clients = []string{"DOCKER_", "BUILDKIT_", "BUILDX_", "COMPOSE_", "LD_", "DYLD_", "GODEBUG", "GOTRACEBACK", "SSL_CERT_",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSH_", "XDG_", "PATH", "HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP",
	"SYSTEMROOT", "COMSPEC", "PATHEXT", "WINDIR"}

// ofTheClient are what the client needs from us.
var ofTheClient = []string{"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "XDG_RUNTIME_DIR"}

// dockerPlan starts the command in a container. This was never run against an engine: its tests hold the command line.
func dockerPlan(ctx context.Context, s Spec, _ []string) (*Plan, error) {
	if s.Dir != "" || len(s.Workspace) > 0 {
		return nil, refuse("put them into the image, or use another --executor", "a container is not shown folders of this machine")
	}
	if strings.HasPrefix(s.Image, "-") {
		return nil, refuse("--executor-image IMAGE", "%q is no image", s.Image)
	}
	docker, err := proc.Look("docker", s.Parent, "")
	if err != nil {
		return nil, notFound(err)
	}
	entry := s.Entry
	if s.InheritEnv {
		entry = slices.DeleteFunc(slices.Concat(s.Parent, s.Entry), func(kv string) bool { return ofClient(kv) && !slices.Contains(s.Entry, kv) })
	}
	name := "mcpassay-" + strings.ToLower(rand.Text())
	argv, err := dockerArgv(s, name, entry)
	if err != nil {
		return nil, err
	}
	base, err := proc.Environ(s.Parent, nil, false, s.Limits)
	if err != nil {
		return nil, err
	}
	for _, v := range ofTheClient {
		if value := proc.Get(s.Parent, v); value != "" {
			base = proc.Set(base, v, value)
		}
	}
	env, err := proc.Environ(base, entry, true, s.Limits)
	if err != nil {
		return nil, err
	}
	p := &Plan{
		Command: supervised(proc.Command{Path: docker, Argv: argv, Env: env}, false, s.Limits.ChildKill),
		Enforced: []string{"files: those of the image, read-only, and a small /tmp", "privileges: none, and none to be gained",
			"memory, processor and processes", "processes: the container is removed in the end"},
		// The client may be killed while its container lives, so the container is removed by its name.
		Cleanup: func() error {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Limits.SandboxProbe)
			defer cancel()
			exit, stderr, err := proc.Run(ctx, proc.Command{Path: docker, Argv: []string{"docker", "rm", "-f", name}, Env: base}, s.Limits)
			if err == nil && exit.Code != 0 && !strings.Contains(string(stderr), "No such container") {
				err = errors.New(exit.Reason)
			}
			if err != nil {
				return fmt.Errorf("remove container %s: %w", name, err)
			}
			return nil
		},
	}
	p.NotEnforced = []string{"processes: should mcpassay itself be killed, the container may live on"}
	if s.AllowNet {
		p.NotEnforced = append(p.NotEnforced, anywhere)
	} else {
		p.Enforced = append(p.Enforced, "network: none")
	}
	return p, nil
}

func ofClient(kv string) bool {
	name, _, _ := strings.Cut(kv, "=")
	return slices.ContainsFunc(clients, func(c string) bool {
		return strings.EqualFold(name, c) || strings.HasSuffix(c, "_") && strings.HasPrefix(strings.ToUpper(name), c)
	})
}

// dockerArgv is the whole command line. Variables are given by name, so that no value is seen in a list of processes.
func dockerArgv(s Spec, name string, entry []string) ([]string, error) {
	network, pull := "none", "never"
	if s.AllowNet {
		network, pull = "bridge", "missing"
	}
	memory := strconv.Itoa(s.Limits.SandboxMemory)
	argv := []string{"docker", "run", "--rm", "--interactive", "--name", name, "--init",
		"--network", network, "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", "65534:65534",
		"--pids-limit", strconv.Itoa(s.Limits.SandboxProcesses), "--memory", memory, "--memory-swap", memory,
		"--cpus", strconv.Itoa(s.Limits.SandboxCPUs),
		"--tmpfs", "/tmp:rw,noexec,nosuid,nodev,size=" + strconv.Itoa(s.Limits.SandboxTmp), "--workdir", "/tmp", "--env", "HOME=/tmp",
		"--pull", pull}
	for _, kv := range entry {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || !launch.IsName(name) || ofClient(kv) {
			return nil, refuse("set it in the image, or use another --executor",
				"the entry sets %.40q, which the docker client would take for itself", name)
		}
		argv = append(argv, "--env", name)
	}
	return append(append(argv, s.Image), s.Argv...), nil
}
