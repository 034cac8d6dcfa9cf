// Package lint checks config files: it finds them under the paths that a person names, reads each once, and has
// the engine judge them. It opens files and nothing else; whatever it was asked to look at and could not is in the
// result, as skipped or incomplete, never left out.
package lint

import (
	"io"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
)

// Disk is what lint needs of the file system.
type Disk interface {
	load.Disk
	// IsDir says whether the path is a folder, links followed.
	IsDir(path string) bool
	// Walk visits everything below root for which candidate answers true, and of the links those for which link
	// does, in a fixed order.
	Walk(root string, candidate, link func(name, rel string) bool, visit func(Found))
	// Ignorer says which paths, with slashes and below root, git ignores.
	Ignorer(root string) func(rel string) bool
	// Absent says that nothing is at a path, not even a link to nothing. Links above it are followed.
	Absent(path string) bool
	// Expand gives the paths of a candidate: its own, or those that its pattern matches, sorted; where the folder of
	// a pattern can not be listed or must not be entered, a path that can not be read for the same reason.
	Expand(c client.Candidate) []string
}

// Found is one candidate of a walk, or, with a Refusal, a place that could not be looked at.
type Found struct {
	Path, Rel string
	Refusal   *load.Refusal
}

// Options is what to lint.
type Options struct {
	// Paths as typed: folders, files, or "-" for standard input.
	Paths []string
	// Global adds the user's own files.
	Global bool
	Client *client.Client
	Env    client.Env
	Cwd    string
	Stdin  io.Reader
	Limits limits.Set
	// Command gives a command line that is safe to paste.
	Command func(words ...string) string
}

// Collect reads every file that the options name.
func Collect(disk Disk, o Options) *load.Set {
	c := &collector{disk: disk, o: o, set: load.NewSet(disk, o.Limits), user: client.UserFiles(o.Env)}
	for _, p := range o.Paths {
		c.path(p)
	}
	if o.Global {
		c.global()
	}
	return c.set
}

type collector struct {
	disk Disk
	o    Options
	set  *load.Set
	user []client.Candidate
}

func (c *collector) path(typed string) {
	if typed == "-" {
		c.stdin()
		return
	}
	abs := typed
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(c.o.Cwd, typed)
	}
	if !c.disk.IsDir(abs) {
		c.set.Add(load.Ask{Named: true, Where: client.Where{
			Path: Named(typed, c.o.Cwd, c.o.Env.Home), Abs: abs, Root: c.o.Cwd, Env: c.o.Env, Client: c.o.Client}})
		return
	}
	prefix := ""
	if len(c.o.Paths) > 1 {
		prefix = filepath.ToSlash(filepath.Clean(typed))
	}
	// The folders above the named one count: `lint .cursor` is about .cursor/mcp.json.
	above := filepath.ToSlash(abs)
	exact := func(name, rel string) bool {
		return client.IsCandidateName(name) && client.IsProjectFile(path.Join(above, rel))
	}
	candidate := func(name, rel string) bool { return name == lock.FileName || loosely(name) || exact(name, rel) }
	ignored := sync.OnceValue(func() func(string) bool { return c.disk.Ignorer(abs) })
	c.disk.Walk(abs, candidate, func(name, rel string) bool {
		return candidate(name, rel) || clientFolder(rel)
	}, func(f Found) {
		shown := path.Join(prefix, f.Rel)
		if shown == "" {
			shown = "."
		}
		loose := !exact(path.Base(f.Rel), f.Rel)
		if loose && loosely(path.Base(f.Rel)) && ignored()(f.Rel) {
			c.set.Excluded = append(c.set.Excluded, shown)
			return
		}
		if f.Refusal != nil {
			c.set.LeaveOut(shown, load.Ask{Hint: c.hint(f.Path)}, f.Refusal)
			return
		}
		c.set.Add(load.Ask{Base: filepath.Dir(f.Path), Loose: loose, Hint: c.hint(f.Path),
			Where: client.Where{Path: shown, Abs: f.Path, Root: abs, Env: c.o.Env, Client: c.o.Client}})
	})
}

// loosely says whether a file is looked at for its name alone: what stands in it may be something else.
func loosely(name string) bool { return name == manifest.FileName || cardName(name) }

// cardName says whether a file has a name that lint looks for cards under: *tools*.json and *surface*.json.
func cardName(name string) bool {
	const ext = ".json"
	if len(name) < len(ext) || !strings.EqualFold(name[len(name)-len(ext):], ext) {
		return false
	}
	name = strings.ToLower(name)
	return strings.Contains(name, "tools") || strings.Contains(name, "surface")
}

// hint is the command that reads a file or a folder anyway, in the folder where this one ran. A stranger may have
// named it like a flag.
func (c *collector) hint(abs string) string {
	name := Shown(abs, c.o.Cwd, "")
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	return c.o.Command("mcpassay", "lint", name)
}

// clientFolder says whether rel, with slashes, ends in a folder of a project in which a client keeps its files.
func clientFolder(rel string) bool {
	folders := clientFolders()
	for at := len(rel); at > 0; {
		at = strings.LastIndexByte(rel[:at], '/')
		if folders[rel[at+1:]] {
			return true
		}
	}
	return false
}

var clientFolders = sync.OnceValue(func() map[string]bool {
	folders := map[string]bool{}
	for _, c := range client.ProjectCandidates("") {
		if c.Loc.Reads == client.ReadsNo {
			continue
		}
		for dir := path.Dir(filepath.ToSlash(c.Path)); dir != "."; dir = path.Dir(dir) {
			if !strings.Contains(dir, "*") {
				folders[dir] = true
			}
		}
	}
	return folders
})

func (c *collector) stdin() {
	raw, err := io.ReadAll(io.LimitReader(c.o.Stdin, int64(c.o.Limits.NamedBytes)+1))
	if err == nil && len(raw) > c.o.Limits.NamedBytes {
		err = &load.Refusal{Reason: "oversized", Detail: "standard input is too large"}
	}
	c.set.AddBytes(load.Ask{Named: true, Where: client.Where{Path: "-", Root: c.o.Cwd, Env: c.o.Env, Client: c.o.Client}}, raw, err)
}

func (c *collector) global() {
	if c.o.Env.Home == "" {
		c.set.Incomplete = append(c.set.Incomplete, load.NoHome)
	}
	for _, u := range c.user {
		for _, p := range c.disk.Expand(u) {
			if c.disk.Absent(p) { // behind a link of the user's own, where nothing was skipped
				continue
			}
			c.set.Add(load.Ask{Base: u.Base, Hint: c.hint(p),
				Where: client.Where{Path: Shown(p, "", c.o.Env.Home), Abs: p, Env: c.o.Env}})
		}
	}
}

// Named is the path that reports print for a file that a person named: as Shown, and from the working folder where it
// was typed so, that two machines print the same.
func Named(typed, cwd, home string) string {
	switch rel, err := filepath.Rel(cwd, filepath.Join(cwd, typed)); {
	case filepath.IsAbs(typed):
		return Shown(typed, cwd, home)
	case err == nil && filepath.IsLocal(rel):
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(filepath.Clean(typed))
}

// Shown is the path that reports print: relative to the working folder where the file is below it, ~/… below the
// home folder, else absolute; always with slashes.
func Shown(abs, cwd, home string) string {
	for _, base := range []struct{ dir, prefix string }{{cwd, ""}, {home, "~/"}} {
		if base.dir == "" {
			continue
		}
		rel, err := filepath.Rel(base.dir, abs)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return base.prefix + filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(abs)
}
