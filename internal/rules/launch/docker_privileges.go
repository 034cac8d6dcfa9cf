package launch

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// DockerPrivileges is launch/docker-privileges.
var DockerPrivileges = &rule.Rule{
	ID:       "launch/docker-privileges",
	Title:    "a container that is no wall",
	Trigger:  "A container is started with a right over the machine that a server does not need.",
	Message:  `Server "{name}" gives its container {right}`,
	Severity: finding.Error,
	Tags:     []string{rule.Launch},
	OWASP:    "MCP02",
	CWE:      []int{250},
	Since:    "0.1.0",
	Server:   dockerPrivileges,
}

func dockerPrivileges(p *rule.Pass, s *client.Server) {
	if s.Hidden {
		return
	}
	for _, l := range s.Launches() {
		if l.Docker == nil {
			continue
		}
		for _, r := range rights(l.Docker) {
			p.Report(rule.At(l.Word(r.arg).Node), rule.Args{"name": s.Name, "right": r.what},
				rule.WithSeverity(r.severity), rule.WithKind(r.what))
		}
	}
}

// right is one right over the machine, and the word that gives it.
type right struct {
	what     string
	arg      int
	severity finding.Severity
}

func rights(d *launch.Docker) []right {
	var out []right
	grant := func(when bool, severity finding.Severity, arg int, what string) {
		if when {
			out = append(out, right{what, arg, severity})
		}
	}
	grant(d.Privileged, finding.Error, d.PrivilegedArg, "every right of the machine (--privileged)")
	grant(d.Socket, finding.Error, d.SocketArg, "the container engine's socket, which makes it master of the machine")
	if d.Home {
		whole := slices.ContainsFunc(d.Mounts, func(m launch.Setting) bool { return wholeDisk(m.Value) })
		grant(whole, finding.Error, d.HomeArg, "the whole disk")
		grant(!whole, finding.Warning, d.HomeArg, "a whole home folder, keys and settings included")
	}
	for _, s := range d.Caps {
		c := strings.TrimPrefix(strings.ToUpper(s.Value), "CAP_")
		grant(slices.Contains([]string{"ALL", "SYS_ADMIN", "SYS_MODULE", "SYS_PTRACE", "SYS_RAWIO", "DAC_READ_SEARCH", "BPF"}, c),
			finding.Error, s.Arg, "the capability "+c+", with which it can leave the container")
	}
	for _, s := range d.Host {
		grant(s.Value == "pid", finding.Error, s.Arg, "the machine's processes (--pid host)")
		grant(s.Value == "ipc", finding.Warning, s.Arg, "the machine's shared memory (--ipc host)")
	}
	grant(d.Network == "host", finding.Warning, d.NetworkArg, "the machine's network, its services on localhost included (--network host)")
	for _, s := range d.SecurityOpts {
		o := strings.ReplaceAll(s.Value, ":", "=")
		grant(slices.Contains([]string{"seccomp=unconfined", "apparmor=unconfined", "label=disable", "systempaths=unconfined"}, o),
			finding.Warning, s.Arg, "no filter between it and the kernel ("+o+")")
	}
	for _, s := range d.Devices {
		dev, _, _ := strings.Cut(s.Value, ":")
		raw := dev == "/dev" || dev == "/dev/mem" || dev == "/dev/kmem" || dev == "/dev/kmsg" ||
			strings.HasPrefix(dev, "/dev/sd") || strings.HasPrefix(dev, "/dev/nvme") || strings.HasPrefix(dev, "/dev/vd")
		grant(raw, finding.Error, s.Arg, "a raw device of the machine")
	}
	return out
}

// wholeDisk says that a mount hands in the root of the machine, or a drive.
func wholeDisk(m string) bool {
	if launch.DrivePath(m) { // C:\:/host
		return strings.HasPrefix(m[3:], ":")
	}
	for kv := range strings.SplitSeq(m, ",") {
		if k, v, _ := strings.Cut(kv, "="); (k == "source" || k == "src") && v == "/" {
			return true
		}
	}
	return strings.HasPrefix(m, "/:")
}
