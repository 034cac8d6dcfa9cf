package client

import (
	"slices"
	"sync"
)

// Knows says whether the file's client, or another that reads the file, documents an entry field of that name. A client
// whose fields are not known knows every field.
func (f *File) Knows(field string) bool {
	return f.anyReader(func(c *Client) bool { return len(c.Known) == 0 || slices.Contains(c.Known, field) })
}

// Honours says whether the file's client, or another that reads the file, acts on a field by which an author holds a
// server back.
func (f *File) Honours(field string) bool {
	return f.anyReader(func(c *Client) bool { return c.Safety.Honours(field) })
}

func (f *File) anyReader(is func(*Client) bool) bool {
	return is(f.Client) || slices.ContainsFunc(f.Readers, is)
}

// LimitsTools says whether some client offers fewer tools because of a field of that name.
func LimitsTools(field string) bool { return limiting()[field] }

var limiting = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, c := range Table() {
		for _, field := range slices.Concat(c.Safety.Allow, c.Safety.Deny) {
			m[field] = true
		}
	}
	return m
})

// Home is where the servers of a file that its client does not read belong, for people: a path in the project, or in
// the user's home.
func (f *File) Home() string {
	place := func(project bool) string {
		for i := range f.Client.Locations {
			if l := &f.Client.Locations[i]; l.Reads == ReadsYes && l.Project() == project {
				return l.forPeople()
			}
		}
		return ""
	}
	if f.Loc != nil && f.Loc.Project() {
		if p := place(true); p != "" {
			return p
		}
	}
	return place(false)
}

// forPeople is the first path of a template.
func (l *Location) forPeople() string {
	t := l.Path
	if l.Fallback != "" {
		t = l.Fallback
	}
	path := alternatives(t)[0]
	switch a := anchor(path); a {
	case "<app>":
		return path[len(a)+1:] + " in your settings folder"
	case "<xdg>":
		return "~/.config" + path[len(a):]
	}
	return path
}
