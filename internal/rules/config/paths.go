package config

import (
	"path"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// folder is where a server of a project's file is started, as an absolute path with slashes. It answers "" where that
// is not certain: a file of the user, a file that no client is known to read, a cwd that the client fills in, and one of
// somebody else's machine.
func folder(p *rule.Pass, s *client.Server) string {
	f := s.File
	if f.Scope != client.ScopeProject || f.Loc == nil || f.Project == "" || s.Project != "" {
		return ""
	}
	cwd := strings.ReplaceAll(s.Cwd.Value, `\`, "/")
	switch {
	case cwd == "":
		return f.Project
	case cwd == "${workspaceFolder}":
		return f.Project
	case strings.ContainsAny(cwd, "$%{<~"):
		return ""
	case absolute(cwd):
		if launch.DrivePath(cwd) != (p.Facts.Platform() == "windows") || otherHome(cwd, p.Facts.Home()) {
			return ""
		}
		return cwd
	}
	return path.Join(f.Project, cwd)
}

func absolute(p string) bool { return strings.HasPrefix(p, "/") || launch.DrivePath(p) }

// relative says that a text is a path that starts at the folder itself, in the spelling of the platform.
func relative(p, platform string) bool {
	if platform == "windows" {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	return strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../")
}

// below joins a path of the config to a folder.
func below(dir, p, platform string) string {
	if platform == "windows" {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	return path.Join(dir, p)
}

// missing says that none of the paths exists, for certain.
func missing(p *rule.Pass, paths ...string) bool {
	for _, name := range paths {
		if p.Facts.Exists(name) != rule.No {
			return false
		}
	}
	return true
}

// pathLike says that an argument has a slash and nothing that a path of a config does not have.
func pathLike(arg string) bool {
	if arg == "" || arg[0] == '-' || arg[0] == '@' || strings.IndexByte(arg, '/') < 0 && strings.IndexByte(arg, '\\') < 0 {
		return false
	}
	return !strings.ContainsAny(arg, "${}%<>*?|;&=:, \t\n\"'`@#") || launch.DrivePath(arg)
}

// filePath is the absolute path that an argument names, where it certainly means a file of this machine.
func filePath(arg, dir, platform, home string) (string, bool) {
	slashed := arg
	if platform == "windows" {
		slashed = strings.ReplaceAll(arg, `\`, "/")
	}
	switch {
	case !pathLike(arg), !strings.Contains(slashed, "/"):
		return "", false
	case launch.DrivePath(arg):
		if platform != "windows" || strings.ContainsAny(arg[2:], "${}%<>*?|:,") || otherHome(slashed, home) {
			return "", false
		}
		return slashed, path.Ext(slashed) != ""
	case slashed[0] == '/':
		if platform == "windows" || path.Ext(slashed) == "" || otherHome(slashed, home) || strings.HasPrefix(slashed, "//") {
			return "", false
		}
		return slashed, true
	case dir == "":
		return "", false
	case relative(arg, platform), known(slashed):
		return below(dir, arg, platform), true
	}
	return "", false
}

// otherHome says that a path lies in the home folder of somebody else, or of another system: launch/machine-path
// reports those.
func otherHome(p, home string) bool {
	if home != "" && strings.HasPrefix(p, strings.ReplaceAll(home, `\`, "/")+"/") {
		return false
	}
	if launch.DrivePath(p) {
		p = p[2:]
	}
	for _, root := range [...]string{"/Users/", "/home/", "/root/"} {
		if len(p) > len(root) && strings.EqualFold(p[:len(root)], root) {
			return true
		}
	}
	return false
}

// known says that a path without ./ is the file of a program or its settings, and not owner/repo.git or s/a/b.c.
func known(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	if len(first) < 2 || strings.Contains(strings.TrimPrefix(first, "."), ".") { // s/a/b.c, github.com/owner/x.js
		return false
	}
	switch strings.ToLower(path.Ext(p)) {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".py", ".pyz", ".rb", ".php", ".pl", ".lua", ".sh", ".ps1", ".bat",
		".jar", ".dll", ".exe", ".wasm", ".csproj", ".fsproj", ".json", ".jsonc", ".yaml", ".yml", ".toml", ".ini", ".env":
		return true
	}
	return false
}

// written says that a flag takes a path that the command makes by itself, or one of another folder.
func written(flag string) bool {
	if !strings.HasPrefix(flag, "-") {
		return false
	}
	flag = strings.ToLower(flag)
	for _, w := range [...]string{"out", "log", "db", "database", "sqlite", "cache", "memory", "save", "dest", "storage", "store", "data",
		"report", "export", "tmp", "temp", "sock", "pid", "write", "create", "persist", "profile", "state", "index", "download"} {
		if strings.Contains(flag, w) {
			return true
		}
	}
	return false
}

// elsewhere says that the command changes folder or machine before it reads its arguments.
func elsewhere(s *client.Server) bool {
	switch program := strings.TrimSuffix(path.Base(strings.ReplaceAll(s.Command.Value, `\`, "/")), ".exe"); program {
	case "ssh", "wsl", "kubectl", "docker", "podman", "docker-compose", "flatpak", "nix", "nix-shell", "devcontainer":
		return true
	}
	return slices.ContainsFunc(s.Args, func(a client.Str) bool {
		switch flag, _, _ := strings.Cut(a.Value, "="); flag {
		case "-C", "--directory", "--cwd", "--dir", "--prefix", "--chdir", "--project-directory", "--working-directory":
			return true
		}
		return false
	})
}

// built says that a path is the product of a build or of an installation, which a fresh clone has not got yet, and where
// in it that folder begins: -1 for none.
func built(p string) int {
	at := 0
	for part := range strings.FieldsFuncSeq(p, func(r rune) bool { return r == '/' || r == '\\' }) {
		switch part {
		case "dist", "build", "out", "target", "node_modules", ".venv", "venv", "obj", "vendor", ".next", ".build":
			return at + strings.Index(p[at:], part)
		}
		at += strings.Index(p[at:], part) + len(part)
	}
	return -1
}
