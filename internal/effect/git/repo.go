// Package git says whether a git repository tracks or ignores a file. It reads the repository's own files
// and never runs git, whose answers depend on the machine (no git installed, another owner, another
// language) and whose configuration can run commands. What it does not understand for certain is
// unknown, never a guess. The user's global settings are not read.
package git

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// Repo is a repository's work tree.
type Repo struct {
	// Root is the folder that holds .git: absolute, links resolved.
	Root string

	dir    string // the git folder of this work tree: HEAD, index
	common string // the one that all its work trees share: config, info/exclude
	broken string // why neither can be used, or ""
	index  func() (nameList, string)
}

// Repos are the repositories that one run comes by, each opened once. The zero value is ready; it is
// safe for concurrent use.
type Repos struct {
	mu    sync.Mutex
	known map[string]*Repo  // by folder, links resolved; nil where there is no .git
	reals map[string]string // the path without links, by absolute folder
}

// FindRepo gives the repository that the folder dir lies in.
func FindRepo(dir string) (*Repo, bool) { return new(Repos).Find(dir) }

// Find gives the repository that the folder dir lies in: that of dir, or of the nearest folder above.
func (rs *Repos) Find(dir string) (*Repo, bool) {
	for dir = rs.real(dir); ; {
		if r, ok := rs.at(dir); ok {
			return r, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, false
		}
		dir = parent
	}
}

// real is realPath, with one look for a folder whose parent is known.
func (rs *Repos) real(dir string) string {
	if !filepath.IsAbs(dir) {
		return realPath(dir)
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.reals == nil {
		rs.reals = map[string]string{}
	}
	return rs.resolve(filepath.Clean(dir))
}

func (rs *Repos) resolve(dir string) string {
	if real, ok := rs.reals[dir]; ok {
		return real
	}
	real := dir
	if parent := filepath.Dir(dir); parent != dir {
		above := rs.resolve(parent)
		real = filepath.Join(above, filepath.Base(dir))
		if mode, err := files.Look(real, false); err != nil || mode&(os.ModeSymlink|os.ModeIrregular) != 0 {
			real = realPath(dir)
		}
	}
	rs.reals[dir] = real
	return real
}

// Walked notes what a walk knows of the folder dir, which it reached from root without following a link: where it is,
// and with noGit that it is no repository's root. That spares two looks at it.
func (rs *Repos) Walked(root, dir string, noGit bool) {
	rel, err := filepath.Rel(root, dir)
	if err != nil || !filepath.IsLocal(rel) || !filepath.IsAbs(root) {
		return
	}
	real := rs.real(root)
	rs.mu.Lock()
	defer rs.mu.Unlock()
	real = filepath.Join(real, rel)
	rs.reals[filepath.Clean(dir)] = real
	if _, ok := rs.known[real]; noGit && !ok {
		if rs.known == nil {
			rs.known = map[string]*Repo{}
		}
		rs.known[real] = nil
	}
}

// at gives the repository whose root is dir, an absolute path without links.
func (rs *Repos) at(dir string) (*Repo, bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r, ok := rs.known[dir]
	if !ok {
		r = open(dir)
		if rs.known == nil {
			rs.known = make(map[string]*Repo)
		}
		rs.known[dir] = r
	}
	return r, r != nil
}

// open looks for a repository as git does: a folder .git that is one in truth, or a file .git that
// names one (work trees, submodules). Such a file that leads nowhere still ends the search upwards.
func open(root string) *Repo {
	dotGit := filepath.Join(root, ".git")
	mode, err := files.Look(dotGit, true)
	if err != nil {
		return nil
	}
	r := &Repo{Root: root, dir: dotGit, common: dotGit}
	r.index = sync.OnceValues(r.readIndex)
	if !mode.IsDir() {
		line, err := smallFile(dotGit)
		target, ok := strings.CutPrefix(line, "gitdir: ")
		if err != nil || !ok {
			r.broken = "the file .git does not name a git folder"
			return r
		}
		if r.dir, ok = follow(root, target); !ok {
			r.broken = "the file .git names a folder on another machine"
			return r
		}
		r.common = r.dir
	}
	switch line, err := smallFile(filepath.Join(r.dir, "commondir")); {
	case err == nil:
		var ok bool
		if r.common, ok = follow(r.dir, line); !ok {
			r.broken = "commondir names a folder on another machine"
			return r
		}
	case files.ReasonOf(err) != files.Missing:
		r.broken = "commondir can not be read"
		return r
	}
	if _, err := os.Lstat(filepath.Join(r.dir, "HEAD")); err == nil && isFolder(r.common, "objects") && isFolder(r.common, "refs") {
		return r
	}
	if mode.IsDir() {
		return nil
	}
	r.broken = "the file .git names a folder that is no repository"
	return r
}

// follow gives the path that a file in dir names. A network path that a stranger wrote is not followed:
// Windows would send the user's credentials there.
func follow(dir, path string) (string, bool) {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	volume := filepath.VolumeName(path)
	return path, !strings.HasPrefix(volume, `\\`) || volume == filepath.VolumeName(dir)
}

func isFolder(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && info.IsDir()
}

// smallFile gives a one-line file of git without its line end.
func smallFile(path string) (string, error) {
	data, _, err := files.Read(path, files.ReadOptions{MaxBytes: limits.Default.GitFileBytes})
	return strings.TrimRight(string(data), "\r\n"), err
}

// realPath gives dir as an absolute path without links, as far as that can be had.
func realPath(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return filepath.Clean(dir)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	return abs
}

// Tracked says whether the file at path is in the repository's index (committed, staged, in conflict or
// marked to be added); where why is not "", that is unknown, and why says for what reason. path is that of
// the file itself, not of a link to it, and r the repository it lies in (Repos.Find of its folder). Names
// are compared byte by byte on every file system. The index is read when first asked for, once.
func (r *Repo) Tracked(path string) (yes bool, why string) {
	index, why := r.index()
	if why != "" {
		return false, why
	}
	rel, err := filepath.Rel(r.Root, filepath.Join(realPath(filepath.Dir(path)), filepath.Base(path)))
	if err != nil || !filepath.IsLocal(rel) {
		return false, "the file is outside the repository"
	}
	return index.has(filepath.ToSlash(rel)), ""
}

func (r *Repo) readIndex() (nameList, string) {
	if r.broken != "" {
		return nameList{}, r.broken
	}
	if why := r.unsupported(); why != "" {
		return nameList{}, why
	}
	data, _, err := files.Read(filepath.Join(r.dir, "index"), files.ReadOptions{MaxBytes: limits.Default.IndexBytes})
	if files.ReasonOf(err) == files.Missing {
		return nameList{}, "" // nothing was ever added
	}
	if err != nil {
		return nameList{}, "the index can not be read: " + err.Error()
	}
	names, err := decodeIndex(data, limits.Default.IndexBytes)
	if err != nil {
		return nameList{}, err.Error()
	}
	return names, ""
}

// unsupported says what the repository's config states that changes what its files mean, or "".
func (r *Repo) unsupported() string {
	data, _, err := files.Read(filepath.Join(r.common, "config"), files.ReadOptions{MaxBytes: limits.Default.GitFileBytes})
	if files.ReasonOf(err) == files.Missing {
		return ""
	}
	if err != nil {
		return "the repository's config can not be read: " + err.Error()
	}
	version := 0
	var extensions []string
	for s := range configSettings(string(data)) {
		switch {
		case s.section == "core" && s.key == "repositoryformatversion":
			if version, err = strconv.Atoi(s.value); err != nil {
				return "the repository's format version is no number"
			}
		case s.section == "extensions" && s.key == "objectformat" && strings.EqualFold(s.value, "sha1"):
		case s.section == "extensions" && !harmlessExtension(s.key):
			extensions = append(extensions, s.key+" = "+s.value)
		}
	}
	switch {
	case version > 1:
		return "the repository has format version " + strconv.Itoa(version)
	case len(extensions) > 0:
		return "the repository uses the extension " + strings.Join(extensions, ", ")
	}
	return ""
}

// harmlessExtension knows the extensions of git's repository format that leave the index as it is.
func harmlessExtension(key string) bool {
	switch key {
	case "noop", "noop-v1", "preciousobjects", "partialclone", "worktreeconfig", "relativeworktrees",
		"refstorage", "submodulepathconfig", "compatobjectformat":
		return true
	}
	return false
}
