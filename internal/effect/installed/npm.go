package installed

import (
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/model/archive"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
)

const modules = "node_modules"

// npm compares every folder in which the version of the lock lies and which the command may take: npx takes that of the project,
// else the one that is installed for all, else that of its own cache (libnpmexec, lib/index.js).
func (o Options) npm(r *Result, line *launch.Line) {
	var roots []string // folders that hold a node_modules
	switch line.Runner {
	case "npx", "npm exec":
		roots = o.npxRoots(line)
	case "node", "":
		for _, word := range line.Rest {
			if root, ok := o.rootOf(word); ok {
				roots = append(roots, root)
				break
			}
		}
		if len(roots) == 0 {
			r.unenforceable("the command starts no file of a folder where npm installs %s", o.Package.Identifier)
			return
		}
	default:
		r.unenforceable("where %s keeps %s is not known", line.Runner, o.Package.Identifier)
		return
	}
	found := false
	for _, root := range roots {
		if o.folder(r, root) {
			found = true
		}
	}
	if !found && len(r.Wrong) == 0 {
		r.unenforceable("%s %s is not installed yet: nobody compares what %s fetches when it starts", o.Package.Identifier, o.Package.Version, line.Runner)
	}
}

// npxRoots are the places in which npx looks.
func (o Options) npxRoots(line *launch.Line) (roots []string) {
	for dir := o.Dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, modules)); err == nil {
			roots = append(roots, dir)
		}
		if filepath.Dir(dir) == dir {
			break
		}
	}
	if prefix := o.variable("npm_config_prefix"); prefix != "" {
		roots = append(roots, filepath.Join(prefix, "lib"), prefix)
	}
	for _, dir := range filepath.SplitList(o.variable("PATH")) { // a prefix has its programs beside its lib
		if filepath.IsAbs(dir) && filepath.Base(dir) == "bin" {
			if _, err := os.Stat(filepath.Join(dir, "npx")); err == nil {
				roots = append(roots, filepath.Join(filepath.Dir(dir), "lib"))
			}
		}
	}
	var specs []string
	for _, p := range line.Packages {
		specs = append(specs, p.Spec)
	}
	slices.Sort(specs)
	sum := sha512.Sum512([]byte(strings.Join(specs, "\n")))
	const name = 16 // digits of it
	roots = append(roots, filepath.Join(o.cache(), "_npx", hex.EncodeToString(sum[:])[:name]))
	slices.Sort(roots)
	return slices.Compact(roots)
}

// cache is the folder of npm's cache.
func (o Options) cache() string {
	if dir := o.variable("npm_config_cache"); dir != "" {
		return dir
	}
	if o.Platform == "windows" {
		return filepath.Join(o.variable("LOCALAPPDATA"), "npm-cache")
	}
	return filepath.Join(o.Home, ".npm")
}

// rootOf is the folder above the node_modules in which a file of the package lies.
func (o Options) rootOf(word string) (string, bool) {
	if !filepath.IsAbs(word) {
		word = filepath.Join(o.Dir, word)
	}
	for _, file := range []string{word, followed(word)} {
		at := "/" + modules + "/" + o.Package.Identifier + "/"
		if i := strings.Index(filepath.ToSlash(file), at); i >= 0 {
			return file[:i], true
		}
	}
	return "", false
}

func followed(file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real
	}
	return file
}

// manifest is what is read of a package.json, and of an entry of npm's list of what it installed.
type manifest struct {
	Name, Version    string
	Bin              json.RawMessage
	Integrity        string
	HasInstallScript bool
	Packages         map[string]manifest
}

func (o Options) read(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > int64(o.Limits.InstalledBytes) {
		return nil, errors.New("it is no file, or too large")
	}
	return os.ReadFile(file)
}

// folder compares what is installed below a root. It answers false where the version of the lock is not there.
func (o Options) folder(r *Result, root string) bool {
	dir := filepath.Join(root, modules, filepath.FromSlash(o.Package.Identifier))
	raw, err := o.read(filepath.Join(dir, "package.json"))
	var m manifest
	if err != nil || json.Unmarshal(raw, &m) != nil || m.Version != o.Package.Version {
		return false
	}
	var list, mine manifest
	if raw, err := o.read(filepath.Join(root, modules, ".package-lock.json")); err == nil && json.Unmarshal(raw, &list) == nil {
		mine = list.Packages[modules+"/"+o.Package.Identifier]
	}
	if mine.Integrity != "" && !o.known(mine.Integrity) {
		r.wrong("npm installed %s from bytes that the lock does not hold (%s)", dir, filepath.Join(root, modules, ".package-lock.json"))
		return true
	}
	if n := len(list.Packages) - 1; n > 0 {
		r.unenforceable("the lock holds none of the %d packages that it depends on (%s)", n, root)
	}
	tarball := o.tarball()
	if tarball == nil {
		r.unenforceable("npm's cache does not hold the tarball that %s was installed from: its files are compared with nothing", dir)
		return true
	}
	a := archive.Read(tarball, func(string) bool { return false }, o.Limits)
	if len(a.Faults) > 0 {
		r.unenforceable("the tarball of %s can not be read in one way only: %s", o.Package.Identifier, a.Faults[0].Error())
		return true
	}
	o.compare(r, dir, tarball, a, mine.HasInstallScript)
	o.links(r, root, dir, m)
	return true
}

// known says whether integrity metadata names bytes of the lock.
func (o Options) known(integrity string) bool {
	all, err := pkg.ParseSRI(integrity)
	if err != nil {
		return true // it says nothing
	}
	checked := false
	for _, h := range all {
		for _, f := range o.Package.Files {
			for _, want := range f.Sums() {
				if want.Algorithm == h.Algorithm {
					if want.String() == h.String() {
						return true
					}
					checked = true
				}
			}
		}
	}
	return !checked
}

// tarball is the package as npm's cache keeps it, under its digest (cacache, content-v2); nil where it does not, or where what lies
// there has another digest.
func (o Options) tarball() []byte {
	for _, f := range o.Package.Files {
		for _, h := range f.Sums() {
			hash := h.New()
			digits := hex.EncodeToString(h.Sum)
			if hash == nil || len(digits) < 5 {
				continue
			}
			raw, err := o.read(filepath.Join(o.cache(), "_cacache", "content-v2", h.Algorithm, digits[:2], digits[2:4], digits[4:]))
			if err != nil {
				continue
			}
			hash.Write(raw)
			if hex.EncodeToString(hash.Sum(nil)) == digits {
				return raw
			}
		}
	}
	return nil
}

// compare holds the files of a folder against those of the tarball.
func (o Options) compare(r *Result, dir string, tarball []byte, a *archive.Archive, scripts bool) {
	want := map[string]string{}
	for _, e := range a.Entries {
		if _, rest, ok := strings.Cut(e.Path, "/"); ok && !e.Folder { // npm takes the first folder off, whatever it is called
			want[rest] = e.Digest
		}
	}
	for name, digest := range want { // npm gives a file to be ignored by its own name (pacote, fetcher.js)
		if path.Base(name) == ".gitignore" {
			if other := path.Join(path.Dir(name), ".npmignore"); want[other] == "" {
				delete(want, name)
				want[other] = digest
			}
		}
	}
	extra, seen, over := 0, map[string]bool{}, false
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, file)
		rel = filepath.ToSlash(rel)
		digest, there := want[rel]
		switch {
		case e.IsDir() && e.Name() == modules && !inside(want, rel):
			return fs.SkipDir // what it depends on
		case e.IsDir():
			return nil
		case !there && strings.Contains("/"+rel, "/"+modules+"/"):
			return nil // a dependency beside those that it brings
		case !there:
			if extra++; !scripts {
				o.say(r, &over, "%s is in no package of that version", filepath.Join(dir, rel))
			}
			return nil
		case !e.Type().IsRegular():
			o.say(r, &over, "%s is no file", file)
			return nil
		}
		seen[rel] = true
		raw, err := o.read(file)
		if err != nil {
			return err
		}
		if got := canon.Digest(raw); got != digest && !o.unixed(raw, tarball, rel) {
			o.say(r, &over, "%s is another file than in the package", file)
			return nil
		}
		r.Compared++
		return nil
	})
	if err != nil {
		r.wrong("%s can not be read: %v", dir, err)
	}
	for name := range want {
		if !seen[name] {
			o.say(r, &over, "%s is missing", filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	if extra > 0 && scripts {
		r.unenforceable("%d files of %s were made by the package's install script", extra, dir)
	}
	r.Where = append(r.Where, dir)
	slices.Sort(r.Wrong)
}

// inside says whether files below a folder are the package's own.
func inside(want map[string]string, dir string) bool {
	for name := range want {
		if strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

// say adds what is wrong, up to as many as a person reads.
func (o Options) say(r *Result, over *bool, format string, args ...any) {
	switch {
	case len(r.Wrong) < o.Limits.InstalledWrong:
		r.wrong(format, args...)
	case !*over:
		*over = true
		r.wrong("and more")
	}
}

// unixed says whether a file is the package's but for the end of its first line: npm takes a carriage return off "#!" lines
// (bin-links).
func (o Options) unixed(is, tarball []byte, name string) bool {
	if !strings.HasPrefix(string(is[:min(len(is), 2)]), "#!") {
		return false
	}
	a := archive.Read(tarball, func(p string) bool { _, rest, _ := strings.Cut(p, "/"); return rest == name }, o.Limits)
	for _, e := range a.Entries {
		if _, rest, _ := strings.Cut(e.Path, "/"); rest == name && e.Bytes != nil {
			first, others, _ := strings.Cut(string(e.Bytes), "\n")
			return strings.TrimSuffix(first, "\r")+"\n"+others == string(is)
		}
	}
	return false
}

// links looks whether the programs of a package are its own: npx starts them by their names.
func (o Options) links(r *Result, root, dir string, m manifest) {
	if o.Platform == "windows" {
		r.unenforceable("the programs of %s are started through scripts that npm wrote", dir)
		return
	}
	bins := map[string]string{}
	var one string
	if json.Unmarshal(m.Bin, &one) == nil {
		bins[path.Base(m.Name)] = one
	} else if len(m.Bin) > 0 && json.Unmarshal(m.Bin, &bins) != nil {
		return
	}
	for name, file := range bins {
		link := filepath.Join(root, modules, ".bin", filepath.Base(name))
		to, err := filepath.EvalSymlinks(link)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is started by its path, or not at all
		}
		if want := followed(filepath.Join(dir, filepath.FromSlash(file))); err != nil || to != want {
			r.wrong("%s starts another file than the package's", link)
		}
	}
}
