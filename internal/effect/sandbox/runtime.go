package sandbox

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/model/launch"
)

// system is what every program may read: code and the data that the C library asks for. Nothing here is a person's.
var system = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime", "/etc/timezone",
	"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust/extracted",
	"/etc/ca-certificates", "/etc/crypto-policies", "/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/os-release",
	"/sys/devices/system/cpu"}

// names of hosts and services are for those who have a network.
var network = []string{"/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols"}

// managers are the version managers whose programs are stand-ins that look the real one up below a root of their own.
// (nvm and fnm link to the real program, which is found without.)
var managers = []struct{ folder, variable string }{
	{".pyenv/shims", "PYENV_ROOT"}, {".rbenv/shims", "RBENV_ROOT"}, {".nodenv/shims", "NODENV_ROOT"}, {".volta/bin", "VOLTA_HOME"},
}

// needs is what a command needs to run.
type needs struct {
	path  string   // the file to run
	read  []string // what it must read, beside the system
	write []string // what its profile lets it write
	ports []string // and connect to
	env   []string
}

// needs follows a command to its interpreter, its libraries and its code. What is no part of a program, such as a
// folder of documents among its arguments, is not opened.
func (s Spec) needs(env []string) (needs, error) {
	path, err := proc.Look(s.Argv[0], env, s.Dir)
	if err != nil {
		return needs{}, notFound(err)
	}
	r := needs{path: path, env: env}
	s.program(&r, path, 0)
	var line launch.Line
	line.Parse(s.Argv)
	if len(line.Wrappers) > 0 && line.Program != "" {
		if inner, err := proc.Look(line.Program, env, s.Dir); err == nil {
			s.program(&r, inner, 0)
		}
	}
	if code := s.script(&line); code != "" {
		r.read = append(r.read, s.project(code))
	}
	opened := slices.Clone(s.Workspace)
	if s.Profile == nil && s.Dir != "" {
		opened = append(opened, s.Dir)
	}
	for _, w := range opened {
		whole, err := s.folder(w)
		if err != nil {
			return needs{}, err
		}
		r.read = append(r.read, whole)
	}
	// A link may lead anywhere: what it leads to is opened only if it is nothing secret.
	r.read = slices.DeleteFunc(r.read, func(p string) bool { return !s.mayOpen(p) })
	read, write, err := s.rooms()
	if err != nil {
		return needs{}, err
	}
	r.read, r.write = append(r.read, read...), write
	if s.Profile.connects() {
		for _, port := range s.Profile.Connect {
			r.ports = append(r.ports, strconv.Itoa(int(port)))
		}
		if slices.Contains(s.Profile.Connect, dns) && proc.Get(r.env, "RES_OPTIONS") == "" {
			r.env = proc.Set(r.env, "RES_OPTIONS", "use-vc") // names are asked for over TCP, by C libraries that know how
		}
	}
	return r, nil
}

// program adds what a program needs: every file on the way of its symbolic links with what lies around it, and for a
// script its interpreter.
func (s Spec) program(r *needs, path string, depth int) {
	const most = 8 // links and interpreters that lead to others
	if depth > most {
		return
	}
	for _, m := range managers {
		if root, ok := strings.CutSuffix(filepath.Dir(path), string(filepath.Separator)+m.folder); ok {
			top, _, _ := strings.Cut(m.folder, "/")
			root = filepath.Join(root, top)
			r.read = append(r.read, root)
			r.env = proc.Set(r.env, m.variable, root)
		}
	}
	first := s.firstLine(path)
	if first == "" {
		r.read = append(r.read, s.around(path)...)
	} else {
		r.read = append(r.read, path)
	}
	if to, err := os.Readlink(path); err == nil {
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		s.program(r, to, depth+1)
		return
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		s.program(r, real, depth+1) // a folder on the way is the link
		return
	}
	if first == "" {
		return
	}
	r.read = append(r.read, s.project(path))
	words := strings.Fields(first)
	if len(words) == 0 {
		return
	}
	s.program(r, words[0], depth+1)
	if filepath.Base(words[0]) == "env" {
		for _, w := range words[1:] {
			if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
				if path, err := proc.Look(w, r.env, ""); err == nil {
					s.program(r, path, depth+1)
				}
				return
			}
		}
	}
}

// firstLine is what follows "#!" in a script, "" for anything else.
func (s Spec) firstLine(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, s.Limits.ShebangBytes)
	n, _ := io.ReadFull(f, b)
	line, _, _ := strings.Cut(string(b[:n]), "\n")
	line, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return ""
	}
	return line
}

// around is what a program's libraries may lie in: the prefix above its bin, where that is a program's own, else the
// program and the folders of libraries beside it.
func (s Spec) around(path string) []string {
	if strings.Contains(filepath.ToSlash(path), modules) {
		return []string{s.project(path)}
	}
	dir := filepath.Dir(path)
	prefix := dir
	if filepath.Base(dir) == "bin" {
		prefix = filepath.Dir(dir)
	}
	if s.mayOpen(prefix) {
		return []string{prefix}
	}
	all := []string{path}
	if prefix != dir {
		for _, lib := range []string{"lib", "lib64", "libexec"} {
			all = append(all, filepath.Join(prefix, lib))
		}
	}
	return all
}

// interpreters are the programs whose first file argument is their code.
var interpreters = []string{"node", "nodejs", "python", "deno", "bun", "tsx", "ts-node", "ruby", "perl", "php", "java", "dotnet",
	"sh", "bash", "dash", "zsh"}

// script is the file of code that an interpreter is given, "" if none.
func (s Spec) script(line *launch.Line) string {
	isInterpreter := func(i string) bool {
		return line.Program == i || i == "python" && strings.HasPrefix(line.Program, i)
	}
	if !slices.ContainsFunc(interpreters, isInterpreter) {
		return ""
	}
	for _, a := range line.Rest {
		if strings.HasPrefix(a, "-") {
			continue
		}
		if !filepath.IsAbs(a) {
			a = filepath.Join(s.Dir, a)
		}
		if whole, err := filepath.Abs(a); err == nil {
			if info, err := os.Stat(whole); err == nil && info.Mode().IsRegular() {
				if real, err := filepath.EvalSymlinks(whole); err == nil {
					return real
				}
			}
		}
	}
	return ""
}

// marks are the files that a project's own folder holds.
var marks = []string{"package.json", "pyproject.toml", "setup.py", "deno.json", "Gemfile", "composer.json", "go.mod", ".git"}

// modules is where npm packages lie, each beside those that it needs.
const modules = "/node_modules/"

// project is what code that lies in a file needs beside itself: the outermost node_modules, else the folder of its
// project, else its own folder, and only itself where those hold more than a program.
func (s Spec) project(file string) string {
	if i := strings.Index(filepath.ToSlash(file), modules); i >= 0 {
		if dir := file[:i+len(modules)-1]; s.mayOpen(dir) {
			return dir
		}
	}
	dir := filepath.Dir(file)
	for range s.Limits.ProjectUp {
		for _, m := range marks {
			if _, err := os.Lstat(filepath.Join(dir, m)); err == nil && s.mayOpen(dir) {
				return dir
			}
		}
		dir = filepath.Dir(dir)
	}
	if dir := filepath.Dir(file); s.mayOpen(dir) {
		return dir
	}
	return file
}

// within says whether path is dir or lies below it. Both are clean.
func within(path, dir string) bool {
	const slash = string(filepath.Separator)
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, slash))
	return ok && (rest == "" || rest[:1] == slash)
}

// existing gives the paths that are there, sorted, without those that lie below another.
func existing(paths ...[]string) []string {
	all := slices.Concat(paths...)
	for i, p := range all {
		all[i] = filepath.Clean(p)
	}
	slices.Sort(all)
	var out []string
	for _, p := range slices.Compact(all) {
		if slices.ContainsFunc(out, func(o string) bool { return within(p, o) }) {
			continue
		}
		if _, err := os.Stat(p); err == nil {
			out = append(out, p)
		}
	}
	return out
}
