package config

import (
	"path"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// folder is where a server of a project's file is started, as an absolute path with slashes. It answers "" where that
// is not certain: a file of the user, a file that no client is known to read, a cwd that the client fills in.
func folder(f *client.File, s *client.Server) string {
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
		return cwd
	}
	return path.Join(f.Project, cwd)
}

func absolute(p string) bool { return strings.HasPrefix(p, "/") || drive(p) }

// drive says that a path begins with the letter of a drive.
func drive(p string) bool {
	return len(p) > 2 && p[1] == ':' && (p[2] == '/' || p[2] == '\\') && (p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z')
}

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
