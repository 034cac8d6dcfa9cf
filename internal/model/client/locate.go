package client

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/launch"
)

// Env is the machine that paths are expanded for. It need not be the one that runs.
type Env struct {
	OS     string // linux, darwin or windows; anything else is treated as linux
	Home   string // absolute, or "" when there is none
	Getenv func(string) string

	memo map[*Location][]Candidate
}

// Remembering is the same machine, which keeps the places that it has resolved, for a run that looks at many files.
func (e Env) Remembering() Env {
	e.memo = map[*Location][]Candidate{}
	return e
}

// A Candidate is a place where a client's file may be. Nothing has looked yet whether there is one.
type Candidate struct {
	Client *Client
	Loc    *Location
	// Path is the file, absolute. It may hold wildcards: see Pattern.
	Path string
	// Base is the folder below which a symbolic link is refused: the home directory, the project, or for the
	// machine's own files the root that an administrator owns.
	Base string
	// Pattern is the part of Path below Base, with slashes, in which * stands for any part of one name and **
	// for any number of folders. It is "" when Path names one file.
	Pattern string
	// Display is Path for people: with slashes, and ~ for the home directory.
	Display string
}

// UserFiles gives the place of every file outside projects, of every client, in table order: user, system,
// managed, plugin and extension scopes. A place that hangs on a variable which is not set, or not absolute, is
// left out, never guessed, unless the table has the documented fallback.
func UserFiles(env Env) []Candidate {
	var out []Candidate
	for _, c := range Table() {
		first := len(out)
		for i := range c.Locations {
			l := &c.Locations[i]
			if l.Project() || !l.on(env) {
				continue
			}
			for _, p := range env.resolve(l) {
				p.Client, p.Loc = c, l
				if !slices.ContainsFunc(out[first:], func(o Candidate) bool { return o.Path == p.Path }) {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// on says whether the location exists on the system of env.
func (l *Location) on(env Env) bool { return len(l.OS) == 0 || slices.Contains(l.OS, env.os()) }

// InstalledPaths gives folders and files of which one existing suggests that the client is installed.
func (c *Client) InstalledPaths(env Env) []string {
	var out []string
	for _, t := range c.Installed {
		if p, ok := env.expand(t); ok && !slices.Contains(out, p.Path) {
			out = append(out, p.Path)
		}
	}
	return out
}

// ProjectCandidates gives the place of every project file of every client below dir, dead ones included, in
// table order. Display is the path with slashes: Env.Display shortens it.
func ProjectCandidates(dir string) []Candidate {
	var out []Candidate
	for _, c := range Table() {
		for i := range c.Locations {
			l := &c.Locations[i]
			if !l.Project() {
				continue
			}
			for _, rel := range alternatives(l.Path) {
				p := Candidate{Client: c, Loc: l, Base: dir, Path: filepath.Join(dir, filepath.FromSlash(rel))}
				p.Display = filepath.ToSlash(p.Path)
				if strings.Contains(rel, "*") {
					p.Pattern = rel
				}
				out = append(out, p)
			}
		}
	}
	return out
}

// Display is path for people: with slashes, and ~ for the home directory.
func (e Env) Display(path string) string {
	if rel, ok := e.below(e.Home, path); ok {
		path = "~"
		if rel != "" {
			path += "/" + rel
		}
	}
	return e.slashed(path)
}

// resolve expands a location's templates, or its fallback's.
func (e Env) resolve(l *Location) []Candidate {
	known, ok := e.memo[l]
	if !ok {
		known = e.places(l)
		if e.memo != nil {
			e.memo[l] = known
		}
	}
	return known
}

func (e Env) places(l *Location) []Candidate {
	for _, t := range [...]string{l.Path, l.Fallback} {
		var out []Candidate
		for _, alt := range alternatives(t) {
			if p, ok := e.expand(alt); ok {
				out = append(out, p)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// expand turns one template without alternatives into a path. It fails when what the template stands on is not
// known.
func (e Env) expand(template string) (Candidate, bool) {
	a := anchor(template)
	rest := strings.TrimPrefix(template[len(a):], "/")
	var dir string
	switch {
	case a == "~":
		dir = e.Home
	case a == "<app>":
		dir = e.appDir()
	case a == "<xdg>":
		dir = e.xdgDir()
	case strings.HasPrefix(a, "$"), strings.HasPrefix(a, "%"):
		dir = e.getenv(strings.Trim(a, "$%"))
	case a != "": // /etc, C:/Program Files: the first folders belong to the machine
		for _, root := range systemRoots {
			if r, ok := strings.CutPrefix(template, root+"/"); ok {
				dir, rest = root, r
			}
		}
	}
	if dir == "" {
		return Candidate{}, false
	}
	p := Candidate{Base: dir, Path: e.join(dir, rest)}
	if rel, ok := e.below(e.Home, dir); ok {
		p.Base = e.Home
		rest = strings.TrimPrefix(rel+"/"+rest, "/")
	}
	if strings.Contains(rest, "*") {
		p.Pattern = rest
	}
	p.Display = e.Display(p.Path)
	return p, true
}

// systemRoots are the folders below which the machine's own files stand. On macOS /etc is itself a link, so the
// root of the volume can not be the base.
var systemRoots = [...]string{"/etc", "/Library/Application Support", "C:/Program Files"}

// anchor is what an absolute template begins with, without the slash after it: see Location.Path. It is "" for a
// template that is relative to a project.
func anchor(template string) string {
	first, _, _ := strings.Cut(template, "/")
	switch {
	case template == "":
		return ""
	case first == "", len(first) == 2 && first[1] == ':':
		return first + "/"
	case strings.ContainsRune("~<$%", rune(first[0])):
		return first
	}
	return ""
}

// alternatives writes the {a,b} of a template out. It is nil for "".
func alternatives(template string) []string {
	before, rest, ok := strings.Cut(template, "{")
	if !ok {
		if template == "" {
			return nil
		}
		return []string{template}
	}
	choices, after, _ := strings.Cut(rest, "}")
	var out []string
	for choice := range strings.SplitSeq(choices, ",") {
		out = append(out, alternatives(before+choice+after)...)
	}
	return out
}

func (e Env) os() string {
	if e.OS == "darwin" || e.OS == "windows" {
		return e.OS
	}
	return "linux"
}

// getenv gives a variable that holds an absolute path. A relative one would mean another file in each folder.
func (e Env) getenv(name string) string {
	if e.Getenv == nil {
		return ""
	}
	v := e.Getenv(name)
	if !strings.HasPrefix(v, "/") && (e.os() != "windows" || !strings.HasPrefix(v, `\\`) && !launch.DrivePath(v)) {
		return ""
	}
	return v
}

// ConfigHome is the folder below which programs of the user keep their settings, "" where there is none.
func (e Env) ConfigHome() string { return e.appDir() }

func (e Env) appDir() string {
	switch {
	case e.os() == "windows":
		return e.getenv("APPDATA")
	case e.os() == "darwin" && e.Home != "":
		return e.join(e.Home, "Library/Application Support")
	case e.os() == "darwin":
		return ""
	}
	return e.xdgDir()
}

func (e Env) xdgDir() string {
	if dir := e.getenv("XDG_CONFIG_HOME"); dir != "" || e.Home == "" {
		return dir
	}
	return e.join(e.Home, ".config")
}

// join writes rest, which has slashes, below dir in the way dir is written.
func (e Env) join(dir, rest string) string {
	if e.os() == "windows" && strings.Contains(dir, `\`) {
		return strings.TrimRight(dir, `\/`) + `\` + strings.ReplaceAll(rest, "/", `\`)
	}
	return strings.TrimRight(dir, "/") + "/" + rest
}

// below gives the part of path below dir, with slashes, and whether path is dir or stands below it.
func (e Env) below(dir, path string) (string, bool) {
	if dir == "" {
		return "", false
	}
	d, p := strings.TrimRight(e.slashed(dir), "/"), e.slashed(path)
	if len(p) < len(d) || p[:len(d)] != d && (e.os() != "windows" || !strings.EqualFold(p[:len(d)], d)) {
		return "", false
	}
	rest := p[len(d):]
	if rest != "" && rest[0] != '/' {
		return "", false
	}
	return strings.Trim(rest, "/"), true
}

func (e Env) slashed(path string) string {
	if e.os() == "windows" {
		return strings.ReplaceAll(path, `\`, "/")
	}
	return path
}
