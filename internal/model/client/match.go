package client

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A Match is a client that reads a path, or that people think does.
type Match struct {
	Client *Client
	Loc    *Location
	// Project is the folder that the file belongs to, relative or absolute as the path was; "" is where a
	// relative path starts. For a user's file that is kept in a repository (Loc.Project() is false) it is the
	// folder that stands for the home.
	Project string
	// CaseDiffers says that the letters match only without regard to case: on macOS and Windows it is the
	// client's file, elsewhere nobody reads it.
	CaseDiffers bool
}

// ProjectFile gives the clients to whom path, with slashes, means something: those with a project file of that
// name, at any depth, and those whose user file lies so below a home (a repository of dotfiles). The longest known
// path wins, and a project's over a user's; readers of one path come owner first. Dead locations are among them:
// see Location.Reads.
func ProjectFile(path string) []Match {
	var out []Match
	var best rank
	dir, base := cutLast(path)
	_, parent := cutLast(dir)
	parent = fold(parent)
	for list := range patterns().of(base) {
		for i := range list {
			p := &list[i]
			r := rank{len(p.folders), p.loc.Project()}
			if best.over(r) {
				continue
			}
			m, ok := p.match(dir, base, parent)
			if !ok {
				continue
			}
			if m.Project == "" && strings.HasPrefix(path, "/") {
				m.Project = "/"
			}
			if r.over(best) {
				out, best = out[:0], r
			}
			// One home path may come from two rows of a client: its place on Linux and on macOS.
			if n := len(out); n == 0 || out[n-1].Client != m.Client {
				out = append(out, m)
			}
		}
	}
	return out
}

// IsProjectFile says whether ProjectFile knows a path.
func IsProjectFile(path string) bool {
	dir, base := cutLast(path)
	_, parent := cutLast(dir)
	parent = fold(parent)
	for list := range patterns().of(base) {
		for i := range list {
			if _, ok := list[i].match(dir, base, parent); ok {
				return true
			}
		}
	}
	return false
}

// match holds a path against the pattern: its folder, its name, which is the pattern's but for letter case, and the
// folded name of the folder.
func (p *pattern) match(dir, base, parent string) (m Match, ok bool) {
	if p.parent != "" && p.parent != parent {
		return m, false
	}
	m = Match{Client: p.client, Loc: p.loc, CaseDiffers: p.base[0] != '*' && p.base != base}
	ok = m.place(p.folders, dir, false)
	return m, ok
}

// IsCandidateName says whether a file of this name may be one that ProjectFile knows. It is quick, for walks.
func IsCandidateName(base string) bool {
	for range patterns().of(base) {
		return true
	}
	return false
}

// UserFile finds an absolute path among the UserFiles of env: the owner's candidate, with the path that was asked
// for in place of one with wildcards.
func UserFile(env Env, path string) (Candidate, bool) {
	dir, base := cutLast(env.slashed(path))
	_, parent := cutLast(dir)
	parent = fold(parent)
	for list := range userPlaces().of(base) {
		for _, p := range list {
			if p.parent != "" && p.parent != parent || !p.loc.on(env) {
				continue
			}
			for _, c := range env.resolve(p.loc) {
				if c.Matches(env, path) {
					c.Client, c.Loc, c.Path, c.Pattern, c.Display = p.client, p.loc, path, "", env.Display(path)
					return c, true
				}
			}
		}
	}
	return Candidate{}, false
}

// Matches says whether an absolute path is this candidate's file, or one that its pattern allows.
func (c Candidate) Matches(e Env, path string) bool {
	rel, ok := e.below(c.Base, path)
	want := c.Pattern
	if want == "" && ok {
		want, ok = e.below(c.Base, c.Path)
	}
	if !ok || rel == "" {
		return false
	}
	dir, base := cutLast(rel)
	wantDir, wantBase := cutLast(want)
	var m Match
	if !m.place(split(wantDir), dir, true) {
		return false
	}
	switch ext, wild := strings.CutPrefix(wantBase, "*"); {
	case wild:
		return strings.HasSuffix(fold(base), fold(ext))
	case base != wantBase:
		m.CaseDiffers = true
	}
	return !m.CaseDiffers || e.os() != "linux" && fold(base) == fold(wantBase)
}

// rank orders the patterns that one path matches: more folders first, then a project's.
type rank struct {
	folders int
	project bool
}

func (r rank) over(o rank) bool {
	return r.folders > o.folders || r.folders == o.folders && r.project && !o.project
}

// place checks folders against the end of dir and sets Project to what is left of it. With all, nothing may be left.
func (m *Match) place(folders []string, dir string, all bool) bool {
	for i := len(folders) - 1; i >= 0; i-- {
		if folders[i] == "**" {
			for {
				try := *m
				if try.place(folders[:i], dir, all) {
					*m = try
					return true
				}
				if dir == "" {
					return false
				}
				dir, _ = cutLast(dir)
			}
		}
		if dir == "" {
			return false
		}
		var have string
		dir, have = cutLast(dir)
		switch want := folders[i]; {
		case want == have || want == "*" && have != "":
		case strings.EqualFold(want, have):
			m.CaseDiffers = true
		default:
			return false
		}
	}
	m.Project = dir
	return !all || dir == ""
}

func cutLast(path string) (dir, base string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

func split(dir string) []string {
	if dir == "" {
		return nil
	}
	return strings.Split(dir, "/")
}

// A pattern is one location as the end of a path.
type pattern struct {
	client  *Client
	loc     *Location
	folders []string // the last is nearest to the file
	base    string   // a name, or * and a suffix
	parent  string   // the last of folders, folded; "" where it may be any
}

var patterns = sync.OnceValue(func() byName {
	x := byName{map[string][]pattern{}, map[string][]pattern{}}
	for _, c := range Table() {
		for i := range c.Locations {
			for _, path := range shapes(&c.Locations[i]) {
				x.add(c, &c.Locations[i], path)
			}
		}
	}
	return x
})

// userPlaces has each location outside projects, as its template, once for each end that its path may have.
var userPlaces = sync.OnceValue(func() byName {
	x := byName{map[string][]pattern{}, map[string][]pattern{}}
	for _, c := range Table() {
		for i := range c.Locations {
			l := &c.Locations[i]
			if l.Project() {
				continue
			}
			var seen []string
			for _, path := range alternatives(l.Path) {
				dir, base := cutLast(path)
				_, parent := cutLast(dir)
				if end := parent + "/" + base; !slices.Contains(seen, end) {
					seen = append(seen, end)
					x.add(c, l, path)
				}
			}
		}
	}
	return x
})

// byName finds patterns by the folded name of a file, or by the folded extension for a name with a wildcard.
type byName struct{ names, suffixes map[string][]pattern }

func (x byName) add(c *Client, l *Location, path string) {
	dir, base := cutLast(path)
	p := pattern{client: c, loc: l, folders: split(dir), base: base}
	if n := len(p.folders); n > 0 && anchor(p.folders[n-1]) == "" && !strings.Contains(p.folders[n-1], "*") {
		p.parent = fold(p.folders[n-1])
	}
	list, key := x.names, fold(base)
	if ext, ok := strings.CutPrefix(key, "*"); ok {
		list, key = x.suffixes, ext
	}
	list[key] = append(list[key], p)
}

// of yields the lists that a file of this name may be in.
func (x byName) of(base string) func(func([]pattern) bool) {
	return func(yield func([]pattern) bool) {
		key := fold(base)
		if list, ok := x.names[key]; ok && !yield(list) {
			return
		}
		if i := strings.LastIndexByte(key, '.'); i >= 0 {
			if list, ok := x.suffixes[key[i:]]; ok {
				yield(list)
			}
		}
	}
}

// shapes gives a location as the end of a path: relative to a project, or to a home, on each system.
func shapes(l *Location) []string {
	t := l.Path
	if l.Fallback != "" {
		t = l.Fallback
	}
	a := anchor(t)
	rest := strings.TrimPrefix(t[len(a):], "/")
	var dirs []string
	switch a {
	case "", "~", "/", "C:/":
		dirs = []string{""}
	case "<app>":
		dirs = []string{"Library/Application Support/", ".config/", "AppData/Roaming/"}
	case "<xdg>":
		dirs = []string{".config/"}
	case "%APPDATA%":
		dirs = []string{"AppData/Roaming/"}
	case "%LOCALAPPDATA%":
		dirs = []string{"AppData/Local/"}
	}
	var out []string
	for _, dir := range dirs {
		out = append(out, alternatives(dir+rest)...)
	}
	return out
}

// fold makes names equal that a file system without regard to case takes for one. It does not allocate for the
// usual name.
func fold(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < utf8.RuneSelf && (s[i] < 'A' || s[i] > 'Z')
	}
	if plain {
		return s
	}
	return strings.Map(func(r rune) rune {
		// U+017F and U+212A are letters that fold to ASCII ones.
		for f := r; r >= utf8.RuneSelf; {
			if f = unicode.SimpleFold(f); f == r || f < utf8.RuneSelf {
				r = f
				break
			}
		}
		return unicode.ToLower(r)
	}, s)
}
