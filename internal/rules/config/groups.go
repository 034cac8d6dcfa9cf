package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/source"
)

// byPath orders files by what reports show, so that a comparison does not depend on who found them first.
func byPath(files []*client.File) []*client.File {
	return slices.SortedFunc(slices.Values(files), func(a, b *client.File) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Abs, b.Abs))
	})
}

// userFiles are those of a user's that apply to every project.
func userFiles(files []*client.File) []*client.File {
	return slices.DeleteFunc(byPath(files), func(f *client.File) bool { return f.Project != "" || f.Scope != client.ScopeUser })
}

// inForce are the entries that a client takes from a file: those of the maps that it reads, or of the others while
// it has none of these (then the root key is the fault, not the entries). What a later duplicate replaces, what
// another scope wins over, what is for one project of many, and what is switched off is not in force.
func inForce(f *client.File) []*client.Server {
	if f.Dead() {
		return nil
	}
	wanted := map[source.Node]bool{}
	for _, m := range f.Maps {
		if m.Wanted {
			wanted[m.Node] = true
		}
	}
	out := make([]*client.Server, 0, len(f.Servers))
	var held source.Node // the map of the last entry: neighbours share it
	read := false
	for _, s := range f.Servers {
		if m := s.Node.Parent(); m != held || m == (source.Node{}) {
			held, read = m, len(wanted) == 0 || wanted[m]
		}
		if s.Hidden || s.Shadowed != nil || s.Disabled || s.Project != "" || !read {
			continue
		}
		out = append(out, s)
	}
	return out
}
