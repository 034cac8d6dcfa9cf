package artifact

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/model/archive"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Declarations is what the packages say that they are and run. Complete says that each is of a form that is known, and that what
// they name is there.
type Declarations struct {
	Complete bool `json:"complete"`
	// File is where they stand, below the package's folder; "" for a profile that looks at bytes alone.
	File   string   `json:"file"`
	Before Declared `json:"before"`
	After  Declared `json:"after"`
	// Changed are those that are not what they were.
	Changed []Difference `json:"changed"`
	// Uncovered is what keeps this from being complete.
	Uncovered []string `json:"uncovered"`
}

// Declared is what one package says. Runs are the commands that run when it is installed.
type Declared struct {
	Name    string   `json:"name"`
	Version string   `json:"version"`
	Runs    []string `json:"runsOnInstall"`
	Items   []Item   `json:"items"`
}

// Item is one declaration: an entry point, a script, a dependency. Present says whether what it names is in the archive; it is
// true for what names no file.
type Item struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Value   string `json:"value"`
	Present bool   `json:"present"`

	sum string // of the whole value, which may be cut above
}

// Difference is a declaration that came, went or changed. Before or After is "" where it is not there.
type Difference struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
	// RunsOnInstall says that it is a command that runs when the package is installed.
	RunsOnInstall bool `json:"runsOnInstall"`
}

// profile is one kind of package: which files say what it is, and what they say.
type profile struct {
	file string
	// needs are the names, below the package's folder, of the files that are read.
	needs []string
	read  func(*reading)
}

func (p profile) wants(name string) bool {
	_, below, ok := strings.Cut(name, "/")
	return ok && slices.Contains(p.needs, below)
}

func profileOf(name string) profile {
	switch name {
	case "npm":
		return profile{file: "package.json", needs: []string{"package.json"}, read: npm}
	case "sdist":
		return profile{file: "PKG-INFO", needs: []string{"PKG-INFO", "pyproject.toml"}, read: sdist}
	}
	return profile{}
}

// reading is one package while its declarations are read.
type reading struct {
	*review
	tree
	Declared
	where     string // before or after, for what is uncovered
	uncovered []string
}

func (r *reading) lack(format string, args ...any) {
	if len(r.uncovered) < r.lim.ShownFaults {
		r.uncovered = append(r.uncovered, r.where+": "+r.words(fmt.Sprintf(format, args...)))
	}
}

func (r *reading) add(kind, name, value string, present bool) {
	if len(r.Items) == r.lim.ArchiveListed {
		r.lack("more declarations than are listed")
	}
	if len(r.Items) >= r.lim.ArchiveListed {
		return
	}
	r.Items = append(r.Items, Item{Kind: kind, Name: r.words(name), Value: r.words(value), Present: present, sum: canon.Digest([]byte(name + "\x00" + value))})
	if !present {
		r.lack("%s %s names %s, which is not in the archive", kind, name, value)
	}
}

func (v *review) declarations(p profile, before, after *archive.Archive) Declarations {
	d := Declarations{Complete: true, File: p.file, Changed: []Difference{}, Uncovered: []string{}}
	side := func(where string, a *archive.Archive) *reading {
		r := &reading{review: v, tree: plant(a.Entries), where: where, Declared: Declared{Runs: []string{}, Items: []Item{}}}
		switch {
		case p.read == nil:
		case r.root == "":
			r.lack("there is not one folder that holds the package")
		default:
			p.read(r)
		}
		d.Uncovered = append(d.Uncovered, r.uncovered...)
		return r
	}
	a, b := side("before", before), side("after", after)
	d.Before, d.After = a.Declared, b.Declared
	d.Complete = len(d.Uncovered) == 0
	d.Changed = differences(a, b)
	return d
}

func differences(a, b *reading) []Difference {
	out := []Difference{}
	type key struct{ kind, name string }
	was := map[key]Item{}
	for _, i := range a.Items {
		was[key{i.Kind, i.Name}] = i
	}
	install := func(kind, name string) bool { return kind == "script" && slices.Contains(installs, name) }
	for _, i := range b.Items {
		k := key{i.Kind, i.Name}
		old, ok := was[k]
		delete(was, k)
		if !ok || old.sum != i.sum {
			out = append(out, Difference{i.Kind, i.Name, old.Value, i.Value, install(i.Kind, i.Name)})
		}
	}
	for _, i := range a.Items {
		if _, gone := was[key{i.Kind, i.Name}]; gone {
			out = append(out, Difference{i.Kind, i.Name, i.Value, "", install(i.Kind, i.Name)})
		}
	}
	return out
}

// installs are the scripts that npm runs when a package is installed.
var installs = []string{"preinstall", "install", "postinstall", "node-gyp rebuild"}

// document parses a file of the package.
func (r *reading) document(name string, format source.Format) source.Node {
	e, ok := r.at(name)
	switch {
	case !ok:
		r.lack("there is no %s", name)
		return source.Node{}
	case e.Bytes == nil:
		r.lack("%s has %d bytes, more than are read", name, e.Size)
		return source.Node{}
	}
	doc, err := source.Parse(name, e.Bytes, format, r.lim)
	switch {
	case err != nil:
		r.lack("%s can not be read: %s", name, err)
		return source.Node{}
	case doc.Root().Kind() != source.Object:
		r.lack("%s is %s, not an object", name, doc.Root().Kind())
		return source.Node{}
	case format == source.JSON && (!doc.Strict || doc.BadText.Len() > 0):
		r.lack("%s is no strict JSON, and is read differently", name)
	}
	for n := range doc.Nodes() {
		if n.Overridden() {
			r.lack("%s has %s twice", name, n.Pointer())
			break
		}
	}
	return doc.Root()
}

// npm reads package.json.
func npm(r *reading) {
	root := r.document("package.json", source.JSON)
	if !root.Valid() {
		return
	}
	r.Name, r.Version = r.words(root.Get("name").Text()), r.words(root.Get("version").Text())
	text := func(n source.Node, what string) (string, bool) {
		s, ok := n.Str()
		if n.Valid() && !ok {
			r.lack("%s is %s, not a string", what, n.Kind())
		}
		return s, ok
	}
	for _, m := range []string{"name", "version", "type", "mcpName"} {
		if s, ok := text(root.Get(m), m); ok {
			r.add("identity", m, s, true)
		}
	}
	for _, m := range []string{"main", "module", "types", "typings", "browser"} {
		n := root.Get(m)
		if m == "browser" && n.Kind() == source.Object {
			r.add("entry", m, string(n.Raw()), true) // a map of replacements for browsers: nothing of it runs here
			continue
		}
		if s, ok := text(n, m); ok {
			r.add("entry", m, s, r.resolves(s))
		}
	}
	if root.Get("main").Text() == "" && !root.Get("exports").Valid() {
		if _, ok := r.at("index.js"); ok {
			r.add("entry", "main", "index.js", true)
		}
	}
	switch bin := root.Get("bin"); bin.Kind() {
	case source.String:
		r.add("bin", r.Name, bin.Text(), r.resolves(bin.Text()))
	case source.Object:
		for m := range bin.Children() {
			if s, ok := text(m, "bin "+m.Key()); ok {
				r.add("bin", m.Key(), s, r.resolves(s))
			}
		}
	case source.Invalid:
	default:
		r.lack("bin is %s", bin.Kind())
	}
	r.exports("exports", ".", root.Get("exports"), 0)
	r.exports("imports", "", root.Get("imports"), 0)
	r.scripts(root)
	for _, m := range []string{"dependencies", "optionalDependencies", "peerDependencies", "devDependencies"} {
		if n := root.Get(m); n.Valid() && n.Kind() != source.Object {
			r.lack("%s is %s", m, n.Kind())
		}
		for dep := range root.Get(m).Children() {
			if s, ok := text(dep, m+" "+dep.Key()); ok {
				r.add(m, dep.Key(), s, true)
			}
		}
	}
	for _, m := range []string{"bundleDependencies", "bundledDependencies", "engines", "os", "cpu", "workspaces", "overrides", "man"} {
		if n := root.Get(m); n.Valid() {
			r.add("other", m, string(n.Raw()), true)
		}
	}
	if n := root.Get("directories").Get("bin"); n.Valid() {
		r.lack("directories.bin makes a command of every file in a folder, which is not followed")
	}
}

// scripts are the commands of a package; those that run when it is installed stand apart. A binding.gyp without a script of its
// own is built then.
func (r *reading) scripts(root source.Node) {
	scripts := root.Get("scripts")
	if scripts.Valid() && scripts.Kind() != source.Object {
		r.lack("scripts is %s", scripts.Kind())
		return
	}
	for s := range scripts.Children() {
		command, ok := s.Str()
		if !ok {
			r.lack("the script %s is %s", s.Key(), s.Kind())
			continue
		}
		r.add("script", s.Key(), command, true)
		if slices.Contains(installs, s.Key()) {
			r.Runs = append(r.Runs, r.words(s.Key()+": "+command))
		}
	}
	gyp, said := root.Get("gypfile").Bool()
	_, there := r.at("binding.gyp")
	if there && !scripts.Get("install").Valid() && !scripts.Get("preinstall").Valid() && (gyp || !said) {
		r.add("script", "node-gyp rebuild", "binding.gyp", true)
		r.Runs = append(r.Runs, "node-gyp rebuild")
	}
}

// exports walks the conditions of exports and imports: each string is a file of the package, or a pattern of files.
func (r *reading) exports(kind, name string, n source.Node, depth int) {
	switch n.Kind() {
	case source.Invalid, source.Null:
	case source.String:
		target := n.Text()
		switch {
		case !strings.HasPrefix(target, "./"):
			r.add(kind, name, target, kind == "imports") // another package
		case strings.Contains(target, "*"):
			r.add(kind, name, target, r.matches(target))
		default:
			_, ok := r.at(path.Clean(target))
			r.add(kind, name, target, ok || strings.HasSuffix(target, "/"))
		}
	case source.Object:
		if depth > r.lim.ArchiveDepth {
			r.lack("%s nests too deep", kind)
			return
		}
		for m := range n.Children() {
			r.exports(kind, strings.TrimSpace(name+" "+m.Key()), m, depth+1)
		}
	case source.Array:
		if depth > r.lim.ArchiveDepth {
			r.lack("%s nests too deep", kind)
			return
		}
		i := 0
		for m := range n.Children() {
			r.exports(kind, strings.TrimSpace(fmt.Sprintf("%s %d", name, i)), m, depth+1)
			i++
		}
	default:
		r.lack("%s %s is %s", kind, name, n.Kind())
	}
}

// matches says whether some file of the package is of a pattern with one star.
func (r *reading) matches(pattern string) bool {
	before, after, _ := strings.Cut(r.root+"/"+strings.TrimPrefix(pattern, "./"), "*")
	for p := range r.files {
		if len(p) > len(before)+len(after) && strings.HasPrefix(p, before) && strings.HasSuffix(p, after) {
			return true
		}
	}
	return false
}

// resolves says whether Node finds a file of the package at a path: itself, with an ending, or as the index of a folder.
func (r *reading) resolves(target string) bool {
	p := path.Clean(strings.TrimPrefix(target, "/"))
	if strings.HasPrefix(p, "../") || p == ".." {
		return false
	}
	for _, end := range []string{"", ".js", ".json", ".node", ".cjs", ".mjs", "/index.js", "/index.json", "/index.node", ".ts", ".d.ts", "/index.d.ts"} {
		if _, ok := r.at(path.Join(p + end)); ok {
			return true
		}
	}
	return false
}

// sdist reads PKG-INFO and pyproject.toml. A setup.py decides by code what is installed, and that is not known without running it.
func sdist(r *reading) {
	info, ok := r.at("PKG-INFO")
	switch {
	case !ok:
		r.lack("there is no PKG-INFO")
	case info.Bytes == nil:
		r.lack("PKG-INFO has %d bytes, more than are read", info.Size)
	default:
		r.fields(string(info.Bytes))
	}
	if _, ok := r.at("setup.py"); ok {
		r.add("build", "setup.py", "setup.py", true)
		r.Runs = append(r.Runs, "setup.py")
		r.lack("setup.py decides by code what is built and installed")
	}
	if _, ok := r.at("setup.cfg"); ok {
		r.add("build", "setup.cfg", "setup.cfg", true)
	}
	if _, ok := r.at("pyproject.toml"); !ok {
		return
	}
	root := r.document("pyproject.toml", source.TOML)
	build := root.Get("build-system")
	if s := build.Get("build-backend").Text(); s != "" {
		r.add("build", "build-backend", s, true)
		r.Runs = append(r.Runs, r.words("build-backend: "+s))
	}
	if n := build.Get("backend-path"); n.Valid() {
		r.add("build", "backend-path", string(n.Raw()), true)
		r.lack("the build backend is part of the package, and decides by code what is built")
	}
	for c := range build.Get("requires").Children() {
		r.add("build-requires", c.Text(), c.Text(), true)
	}
	project := root.Get("project")
	for _, table := range []string{"scripts", "gui-scripts"} {
		for s := range project.Get(table).Children() {
			r.add("bin", s.Key(), s.Text(), r.module(s.Text()))
		}
	}
	for group := range project.Get("entry-points").Children() {
		for s := range group.Children() {
			r.add("entry-point", group.Key()+" "+s.Key(), s.Text(), r.module(s.Text()))
		}
	}
	for _, d := range slices.Sorted(maps.Keys(children(project.Get("dynamic")))) {
		if d == "scripts" || d == "gui-scripts" || d == "entry-points" || d == "dependencies" {
			r.lack("%s is made while building, and not known", d)
		}
	}
}

func children(n source.Node) map[string]bool {
	all := map[string]bool{}
	for c := range n.Children() {
		all[c.Text()] = true
	}
	return all
}

// fields are the headers of PKG-INFO (core metadata): those up to the first empty line.
func (r *reading) fields(info string) {
	for line := range strings.Lines(info) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		key, value, ok := strings.Cut(line, ": ")
		if !ok || line[0] == ' ' || line[0] == '\t' {
			continue
		}
		switch key {
		case "Name":
			r.Name = r.words(value)
			r.add("identity", "name", value, true)
		case "Version":
			r.Version = r.words(value)
			r.add("identity", "version", value, true)
		case "Requires-Dist":
			r.add("dependencies", value, value, true)
		case "Requires-Python":
			r.add("other", key, value, true)
		}
	}
	if r.Name == "" || r.Version == "" {
		r.lack("PKG-INFO names no package and no version")
	}
}

// module says whether the module of an entry point is a file of the package, at its root or below src.
func (r *reading) module(entry string) bool {
	name, _, _ := strings.Cut(entry, ":")
	at := strings.ReplaceAll(strings.TrimSpace(name), ".", "/")
	for _, base := range []string{"", "src/", "lib/"} {
		for _, end := range []string{".py", "/__init__.py", ".pyx", ".c"} {
			if _, ok := r.at(base + at + end); ok {
				return true
			}
		}
	}
	return false
}
