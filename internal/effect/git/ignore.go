package git

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// Ignorer says which paths under one folder git ignores: by the .gitignore files from the root of their
// repository down and by its info/exclude, not by the user's global excludes. A nested repository
// answers for itself, whatever the outer one ignores. Each folder's rules are read once, when a path in
// it is first asked for; asking in the order of a walk keeps it so. It is not safe for concurrent use.
type Ignorer struct {
	repos    *Repos
	base     string   // what the paths asked for are relative to, with slashes
	stack    []folder // from the repository's root, or the base, to the folder asked for last
	problems []error
}

// folder is one level of the stack.
type folder struct {
	path    string // absolute, with slashes
	repo    *Repo  // nil outside of one
	root    int    // the level of the repository's root
	rules   []pattern
	exclude []pattern // info/exclude, at the root
	ignored bool
}

// Ignorer answers for paths below the folder root, which may lie deep in a repository, above several,
// or in none.
func (rs *Repos) Ignorer(root string) *Ignorer {
	real := realPath(root)
	ig := &Ignorer{repos: rs, base: filepath.ToSlash(real)}
	top := real
	if r, ok := rs.Find(real); ok {
		top = r.Root
	}
	ig.push(filepath.ToSlash(top))
	return ig
}

// Problems are the ignore files that exist and were not read: what they ignore counts as not ignored.
func (ig *Ignorer) Problems() []error { return ig.problems }

// Ignored says whether git would ignore the path rel, slash-separated and below the root, if it were not
// tracked: whether a pattern matches it or a folder that it is in.
func (ig *Ignorer) Ignored(rel string, isDir bool) bool {
	if rel == "" || rel == "." {
		return false
	}
	path := join(ig.base, rel)
	ig.enter(path[:strings.LastIndexByte(path, '/')])
	return ig.match(path, isDir)
}

func join(dir, name string) string {
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

// enter makes dir, at or below the first level's folder, the last level.
func (ig *Ignorer) enter(dir string) {
	for len(ig.stack) > 1 && !within(dir, ig.stack[len(ig.stack)-1].path) {
		ig.stack = ig.stack[:len(ig.stack)-1]
	}
	for {
		at := ig.stack[len(ig.stack)-1].path
		if len(dir) <= len(at) {
			return
		}
		next, from := len(dir), len(at)+1
		if strings.HasSuffix(at, "/") { // a file system's root
			from = len(at)
		}
		if i := strings.IndexByte(dir[from:], '/'); i >= 0 {
			next = from + i
		}
		ig.push(dir[:next])
	}
}

func within(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(dir, "/"))
}

func (ig *Ignorer) push(path string) {
	f := folder{path: path}
	dir := filepath.FromSlash(path)
	if r, ok := ig.repos.at(dir); ok {
		f.repo, f.root = r, len(ig.stack)
		if r.broken == "" {
			f.exclude = ig.read(filepath.Join(r.common, "info", "exclude"), "")
		}
	} else if len(ig.stack) > 0 {
		parent := &ig.stack[len(ig.stack)-1]
		f.repo, f.root = parent.repo, parent.root
		f.ignored = ig.match(path, true)
	}
	if f.repo != nil && !f.ignored {
		// Git does not follow a .gitignore that is a link.
		f.rules = ig.read(filepath.Join(dir, ".gitignore"), dir)
	}
	ig.stack = append(ig.stack, f)
}

// match judges path, an entry of the last level's folder. The last pattern of the deepest file that
// matches decides; info/exclude comes after all of them.
func (ig *Ignorer) match(path string, isDir bool) bool {
	last := len(ig.stack) - 1
	if ig.stack[last].repo == nil || ig.stack[last].ignored {
		return ig.stack[last].ignored
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	for i := last; i >= ig.stack[last].root; i-- {
		if p := lastMatch(ig.stack[i].rules, ig.stack[i].path, path, name, isDir); p != nil {
			return !p.negated
		}
	}
	root := &ig.stack[ig.stack[last].root]
	p := lastMatch(root.exclude, root.path, path, name, isDir)
	return p != nil && !p.negated
}

func lastMatch(rules []pattern, dir, path, name string, isDir bool) *pattern {
	below := strings.TrimPrefix(path[len(dir):], "/")
	for i := len(rules) - 1; i >= 0; i-- {
		if rules[i].match(below, name, isDir) {
			return &rules[i]
		}
	}
	return nil
}

func (ig *Ignorer) read(path, base string) []pattern {
	data, _, err := files.Read(path, files.ReadOptions{MaxBytes: limits.Default.IgnoreBytes, Base: base})
	switch files.ReasonOf(err) {
	case "":
	case files.Missing, files.SymbolicLink, files.DanglingLink:
		return nil
	default:
		ig.problems = append(ig.problems, err)
		return nil
	}
	patterns, all := parsePatterns(data, limits.Default.IgnorePatterns)
	if !all {
		ig.problems = append(ig.problems, &files.Error{Path: path, Reason: files.Oversized, Err: errors.New("it has too many patterns")})
		return nil
	}
	return patterns
}
