package recipe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
)

// What a record may ask of the program that starts a package is a short list: an argument before the package names another
// package, another registry, code to load or a part of this machine. What is not on the list refuses the record.

func refused(word client.Text, program string) error {
	return fmt.Errorf("its record gives %s the argument %q, which is not among those that a record may give", program, word.String())
}

// names says that a word is the package itself, with any version: some records repeat it.
func names(word client.Text, identifier string) bool {
	rest, ok := strings.CutPrefix(word.String(), identifier)
	return ok && (rest == "" || rest[0] == '@' || strings.HasPrefix(rest, "=="))
}

// npx takes nothing beyond the consent that is given anyway.
func npx(runtime []client.Text, identifier string) error {
	for _, w := range runtime {
		if !slices.Contains([]string{"-y", "--yes", "-q", "--quiet", "--silent"}, w.String()) && !names(w, identifier) {
			return refused(w, "the package's runner")
		}
	}
	return nil
}

// uvx takes a version of Python, and the name of a command where it is not that of the package. What the package does not bring
// uvx looks for on this machine, so that a command of a record may be no program that runs what stands behind it.
func uvx(runtime, own []client.Text, identifier, pinned string) (head []client.Text, err error) {
	from := false
	for i := 0; i < len(runtime); i++ {
		w := runtime[i]
		flag, value, joined := strings.Cut(w.String(), "=")
		if !joined && i+1 < len(runtime) {
			value = runtime[i+1].String()
		}
		switch {
		case w.String() == "-q" || w.String() == "--quiet" || !from && names(w, identifier):
			continue
		case (flag == "--python" || flag == "-p") && value != "" && strings.Trim(value, "0123456789.") == "":
			head = append(head, texts("--python", value)...)
		case flag == "--from" && !from && names(client.Plain(value), identifier):
			from = true
		case from && i == len(runtime)-1 && command(w, identifier): // the command
			return append(head, append(texts("--from", pinned), w)...), nil
		default:
			return nil, refused(w, "uvx")
		}
		if !joined {
			i++
		}
	}
	if from { // the command is the first argument of the package
		if len(own) > 0 && !command(own[0], identifier) {
			return nil, refused(own[0], "uvx")
		}
		return append(head, texts("--from", pinned)...), nil
	}
	return append(head, client.Plain(pinned)), nil
}

// command says that a word may be a command that a package of Python brings.
func command(w client.Text, identifier string) bool {
	name := w.String()
	return plainVersion(name) && name[0] != '.' && !asks(w) && (name == identifier || !launch.RunsOthers(name))
}

// docker runs the image by its digest. A variable of the server is handed on by its name, and of the machine a record may
// have the folders that its user names.
func (m *maker) docker(runtime []client.Text, pin *pkg.Pin) (head []client.Text, err error) {
	head = texts("run", "--rm", "-i")
	for i := 0; i < len(runtime); i++ {
		w := runtime[i]
		flag := w.String()
		var value client.Text
		if name, rest, joined := strings.Cut(flag, "="); joined && strings.HasPrefix(flag, "--") && len(w) == 1 && w[0].Variable == "" {
			flag, value = name, client.Plain(rest)
		} else if i+1 < len(runtime) {
			value = runtime[i+1]
		}
		switch flag {
		case "run", "--rm", "-i", "--interactive":
			continue
		case "--init", "--read-only":
			head = append(head, client.Plain(flag))
			continue
		case "-e", "--env":
			name, _, _ := strings.Cut(value.String(), "=")
			if !envName(name) {
				return nil, refused(value, "docker")
			}
			if strings.Contains(value.String(), "=") {
				head = append(head, client.Plain("-e"), value)
			} else if !slices.ContainsFunc(m.Env, func(s client.Setting) bool { return s.Name == name }) {
				m.Env = append(m.Env, client.Setting{Name: name, Value: client.Variable(name)})
			}
		case "-v", "--volume", "--mount":
			if !ofUser(flag, value) {
				return nil, refused(value, "docker")
			}
			head = append(head, client.Plain(flag), value)
		case "--network", "--net":
			if value.String() != "none" && value.String() != "bridge" {
				return nil, refused(value, "docker")
			}
			head = append(head, client.Plain("--network"), value)
		default:
			return nil, refused(w, "docker")
		}
		if len(value) > 0 && !strings.HasSuffix(w.String(), "="+value.String()) {
			i++
		}
	}
	for _, e := range m.Env {
		head = append(head, texts("-e", e.Name)...)
	}
	return append(head, client.Plain(pin.Files[0].Name)), nil
}

// ofUser says that a mount is of a folder that the user names, or of a volume of docker's.
func ofUser(flag string, v client.Text) bool {
	if len(v) == 0 || strings.Contains(v.String(), "..") {
		return false
	}
	volume := func(name string) bool { return plainVersion(name) && name[0] != '.' }
	if flag != "--mount" {
		if v[0].Variable != "" {
			return true
		}
		name, _, ok := strings.Cut(v[0].Plain, ":")
		return ok && volume(name)
	}
	kind, source, sources := "", false, 0
	for field := range strings.SplitSeq(v.String(), ",") {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "type":
			kind = value
		case "src", "source":
			sources++
			source = strings.HasPrefix(value, "${") || kind == "volume" && volume(value)
		case "dst", "destination", "target", "readonly", "ro":
		default:
			return false
		}
	}
	return source && sources == 1 && (kind == "bind" || kind == "volume")
}
