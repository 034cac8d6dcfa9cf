package config

import (
	"path"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// ArgsPathMissing is mcp-commands/args-path-missing.
var ArgsPathMissing = &rule.Rule{
	ID:       "mcp-commands/args-path-missing",
	Title:    "an argument names a file that does not exist",
	Trigger:  "An argument looks like the path of a file that the command reads, and there is no such file.",
	Message:  `Server "{name}": arg "{arg}" looks like a file path but doesn't exist`,
	Severity: finding.Warning,
	Tags:     []string{rule.Launch},
	OWASP:    "MCP05",
	Since:    "0.1.0",
	Needs:    []rule.Need{rule.NeedDisk, rule.NeedPlatform},
	Server:   argsPathMissing,
}

func argsPathMissing(p *rule.Pass, s *client.Server) {
	if s.Disabled || s.Hidden || !slices.ContainsFunc(s.Args, func(a client.Str) bool { return strings.ContainsAny(a.Value, `/\`) }) {
		return
	}
	line, ok := s.Line()
	if !ok || line.Docker != nil || line.Script || elsewhere(s) {
		return // the paths are those of a container, of another machine, or for a shell to resolve
	}
	platform, dir := p.Facts.Platform(), folder(p.File, s)
	for i, a := range s.Args {
		if fetched(line, i+1) || i > 0 && written(s.Args[i-1].Value) {
			continue
		}
		name, ok := filePath(a.Value, dir, platform, p.Facts.Home())
		if !ok || !missing(p, name) {
			continue
		}
		var opts []rule.Option
		if built(a.Value) {
			opts = append(opts, rule.WithSeverity(finding.Info))
		}
		p.Report(rule.At(a.Node), rule.Args{"name": s.Name, "arg": secret.MaskArgs(s.Argv())[i+1]}, opts...)
	}
}

// filePath is the absolute path that an argument names, where it certainly means a file of this machine.
func filePath(arg, dir, platform, home string) (string, bool) {
	slashed := arg
	if platform == "windows" {
		slashed = strings.ReplaceAll(arg, `\`, "/")
	}
	switch {
	case arg == "" || arg[0] == '-' || strings.ContainsAny(arg, "${}%<>*?|;&=:, \t\n\"'`@#") && !drive(arg),
		!strings.Contains(slashed, "/"):
		return "", false
	case drive(arg):
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
	if drive(p) {
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

// fetched says that a word is a package, an image or a URL to fetch.
func fetched(l *launch.Line, word int) bool {
	return slices.ContainsFunc(l.Packages, func(p launch.Package) bool { return p.Arg == word })
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

// built says that a path is the product of a build or of an installation, which a fresh clone has not got yet.
func built(p string) bool {
	for _, part := range strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '\\' }) {
		switch part {
		case "dist", "build", "out", "target", "node_modules", ".venv", "venv", "obj", "vendor", ".next", ".build":
			return true
		}
	}
	return false
}
