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
	if s.Disabled || s.Hidden || !slices.ContainsFunc(s.Args, func(a client.Str) bool { return pathLike(a.Value) }) {
		return
	}
	line, ok := s.Line()
	if !ok || line.Docker != nil || line.Script || elsewhere(s) {
		return // the paths are those of a container, of another machine, or for a shell to resolve
	}
	platform, dir := p.Facts.Platform(), folder(p, s)
	var masked []string
	for i, a := range s.Args {
		if fetched(line, i+1) || i > 0 && written(s.Args[i-1].Value) {
			continue
		}
		name, ok := filePath(a.Value, dir, platform, p.Facts.Home())
		if !ok || !missing(p, name) {
			continue
		}
		var opts []rule.Option
		if at := built(a.Value); at >= 0 {
			if builds(p, dir, a.Value[:at]) {
				continue
			}
			opts = append(opts, rule.WithSeverity(finding.Info))
		}
		if masked == nil {
			masked = secret.MaskArgs(s.Argv())
		}
		p.Report(rule.At(a.Node), rule.Args{"name": s.Name, "arg": masked[i+1]}, opts...)
	}
}

// fetched says that a word is a package, an image or a URL to fetch.
func fetched(l *launch.Line, word int) bool {
	return slices.ContainsFunc(l.Packages, func(p launch.Package) bool { return p.Arg == word })
}

// builds says that the folder above what a build makes, or the one that the server runs in, has the recipe of a build:
// the file is made when somebody runs it.
func builds(p *rule.Pass, dir, above string) bool {
	for _, d := range [...]string{dir, path.Join(dir, strings.ReplaceAll(above, `\`, "/"))} {
		for _, recipe := range [...]string{"package.json", "Makefile", "pyproject.toml", "Cargo.toml", "go.mod", "pom.xml", "build.gradle", "build.gradle.kts"} {
			if d != "" && p.Facts.Exists(path.Join(d, recipe)) == rule.Yes {
				return true
			}
		}
	}
	return false
}
