package cli

import (
	"path/filepath"
	"strings"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/effect/git"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// facts answers what rules ask beside the file. Each answer is looked up when it is asked for and kept.
type facts struct {
	io       IO
	platform string
	env      bool
	vars     map[string]bool // the variables that are set, made when one is asked for
	dirs     files.DirCache
	repos    git.Repos
}

func (f *facts) Platform() string { return f.platform }
func (f *facts) Home() string     { return f.io.Home }

// Exists is unknown where the files of another system are judged.
func (f *facts) Exists(path string) rule.Tri {
	if f.platform != f.io.Platform {
		return rule.Unknown
	}
	ok, err := f.dirs.Exists(path)
	if err != nil {
		return rule.Unknown
	}
	return rule.Of(ok)
}

func (f *facts) Env(name string) rule.Tri {
	if !f.env {
		return rule.Unknown
	}
	if f.vars == nil { // empty and unset differ, and Getenv does not tell
		f.vars = map[string]bool{}
		for _, kv := range f.io.Environ() {
			k, _, _ := strings.Cut(kv, "=")
			f.vars[f.fold(k)] = true
		}
	}
	return rule.Of(f.vars[f.fold(name)])
}

// fold is a variable's name as its system tells names apart.
func (f *facts) fold(name string) string {
	if f.platform == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

func (f *facts) OnPath(command string) rule.Tri {
	if !f.env || f.platform != f.io.Platform || f.io.Getenv("PATH") == "" {
		return rule.Unknown
	}
	return rule.Of(files.LookPath(command, f.io.Getenv("PATH"), f.io.Getenv("PATHEXT"), f.io.Cwd, f.platform))
}

// Tracked asks the index of the repository that holds the file. A file outside of every repository is not tracked.
func (f *facts) Tracked(file *client.File) (rule.Tri, string) {
	if file.Path == "-" {
		return rule.No, ""
	}
	repo := f.repo(filepath.Dir(file.Abs))
	if repo == nil {
		return rule.No, ""
	}
	yes, why := repo.Tracked(file.Abs)
	if why != "" {
		return rule.Unknown, why
	}
	return rule.Of(yes), ""
}

func (f *facts) repo(dir string) *git.Repo {
	r, ok := f.repos.Find(dir)
	if !ok {
		return nil
	}
	return r
}
