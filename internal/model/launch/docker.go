package launch

import "strings"

// Docker is what a container run asks of the machine. Each Arg is the word to point at, -1 inside a script
// and where the thing is absent.
type Docker struct {
	// Privileged is --privileged.
	Privileged    bool
	PrivilegedArg int
	// Socket says that a container engine's own socket is handed in: root on the machine.
	Socket    bool
	SocketArg int
	// Home says that a whole home folder, the folder of all homes, a drive or / is bound.
	Home    bool
	HomeArg int
	// Mounts are the values of -v, --volume and --mount, as written.
	Mounts []Setting
	// Interactive is -i: without it a stdio server in a container gets no input.
	Interactive bool
	// Network is the last --network.
	Network    string
	NetworkArg int
	// Caps are the values of --cap-add.
	Caps []Setting
	// Host are the other namespaces shared with the machine: "pid", "ipc", "uts", "userns", "cgroupns".
	Host []Setting
	// SecurityOpts are the values of --security-opt, Devices of --device.
	SecurityOpts, Devices []Setting
	// Detach is -d: the client that started the container hears nothing of it. TTY is -t, which needs a terminal.
	Detach    bool
	DetachArg int
	TTY       bool
	TTYArg    int
}

// Setting is a value that a flag gave, and the word to point at.
type Setting struct {
	Value string
	Arg   int
}

// container reads docker run and its kin; the image's own command may be a runner again.
func (r *reader) container(l *Line, rn *runner, name string, ws []word, at int) {
	l.Runner = name
	d := &Docker{PrivilegedArg: -1, SocketArg: -1, HomeArg: -1, NetworkArg: -1, DetachArg: -1, TTYArg: -1}
	l.Docker = d
	i := rn.flags.walk(ws, at, func(f flag) { d.flag(l, f) })
	l.rest = ws[min(i, len(ws)):]
	if i >= len(ws) {
		return
	}
	image, ok := specOf(rn.eco, ws[i])
	l.rest = ws[i+1:]
	if ok {
		l.Packages = append(l.Packages, image)
		l.Package = &image
	}
	if len(l.rest) == 0 || !r.enter() {
		return
	}
	defer r.leave()
	inner := r.command(l.rest)
	l.Packages = append(l.Packages, inner.Packages...)
	l.scripted(&inner)
}

// flag takes over one flag of a container run.
func (d *Docker) flag(l *Line, f flag) {
	v, arg := f.value.text, f.at.arg
	off := f.kind == kindNone && (v == "false" || v == "0" || v == "f" || v == "F" || v == "FALSE" || v == "False")
	if f.kind != kindNone && f.value.arg >= 0 {
		arg = f.value.arg
	}
	switch f.name {
	case "--privileged":
		d.Privileged, d.PrivilegedArg = !off, arg
	case "-i", "--interactive":
		d.Interactive = !off
	case "-d", "--detach":
		d.Detach, d.DetachArg = !off, arg
	case "-t", "--tty":
		d.TTY, d.TTYArg = !off, arg
	case "--use-api-socket":
		if !off {
			d.Socket, d.SocketArg = true, arg
		}
	case "--network", "--net":
		d.Network, d.NetworkArg = v, arg
	case "--cap-add":
		d.Caps = append(d.Caps, Setting{v, arg})
	case "--security-opt":
		d.SecurityOpts = append(d.SecurityOpts, Setting{v, arg})
	case "--device":
		d.Devices = append(d.Devices, Setting{v, arg})
	case "--pid", "--ipc", "--uts", "--userns", "--cgroupns":
		if v == "host" {
			d.Host = append(d.Host, Setting{f.name[len("--"):], arg})
		}
	case "-v", "--volume":
		d.mount(v, source(v), arg)
	case "--mount":
		d.mount(v, mountSource(v), arg)
	case "-e", "--env":
		if v != "" {
			l.assign(f.value)
		}
	}
}

// mount records a mount and judges what it hands in.
func (d *Docker) mount(v, src string, arg int) {
	d.Mounts = append(d.Mounts, Setting{v, arg})
	if !d.Socket && isEngineSocket(src) {
		d.Socket, d.SocketArg = true, arg
	}
	if !d.Home && isHome(src) {
		d.Home, d.HomeArg = true, arg
	}
}

// source is the machine's side of -v SOURCE:TARGET[:OPTIONS], "" for a volume without a source.
func source(v string) string {
	from := 0
	if DrivePath(v) {
		from = len("C:")
	}
	if strings.HasPrefix(v, "${") { // ${HOME:-/x} and ${env:HOME} hold a colon
		if k := strings.IndexByte(v, '}'); k > 0 {
			from = k
		}
	}
	if i := strings.IndexByte(v[from:], ':'); i >= 0 {
		return v[:from+i]
	}
	return ""
}

// mountSource is the same for --mount type=bind,source=X,target=Y.
func mountSource(v string) string {
	for kv := range strings.SplitSeq(v, ",") {
		k, src, _ := strings.Cut(kv, "=")
		if k == "source" || k == "src" {
			return src
		}
	}
	return ""
}

// isEngineSocket says whether a path is the socket of docker, podman, containerd or CRI-O.
func isEngineSocket(path string) bool {
	path = strings.ToLower(strings.ReplaceAll(path, `\`, "/"))
	for _, end := range [...]string{"/docker.sock", "/podman.sock", "/containerd.sock", "/crio.sock", "/docker_engine"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	switch strings.TrimRight(path, "/") {
	case "/var/run", "/run", "/run/podman", "/run/containerd":
		return true
	}
	return false
}

// isHome says whether a path is a whole home folder, all of them, a drive or the root.
func isHome(path string) bool {
	if path == "" {
		return false
	}
	path = strings.ReplaceAll(path, `\`, "/")
	trimmed := strings.TrimRight(path, "/")
	switch strings.ToLower(strings.TrimSuffix(trimmed, "/.")) {
	case "", "~", "$home", "${home}", "${env:home}", "${userhome}", "%userprofile%", "${userprofile}", "${env:userprofile}",
		"$env:userprofile", "/root", "/home", "/users", "c:/users", "/c/users", "/mnt/c/users", "/host_mnt/users", "/mnt/c", "/c":
		return true
	}
	if len(trimmed) == len("C:") && letter(trimmed[0]) && trimmed[1] == ':' {
		return true
	}
	for _, homes := range [...]string{"/home/", "/users/", "c:/users/", "/c/users/", "/mnt/c/users/"} {
		if len(trimmed) > len(homes) && strings.EqualFold(trimmed[:len(homes)], homes) {
			return !strings.Contains(trimmed[len(homes):], "/")
		}
	}
	return false
}
