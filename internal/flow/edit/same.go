package edit

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/source"
)

func escape(p string) string { return strings.ReplaceAll(strings.ReplaceAll(p, "~", "~0"), "/", "~1") }

// unchanged says whether two readings of a file differ in nothing but one server, in values, in their order, or in
// comments.
func unchanged(before, after *client.File, name string) error {
	a, b := flat(before, name), flat(after, name)
	if len(a) != len(b) {
		return refuse("the edit would change more than the entry of %s", name)
	}
	for i := range a {
		if a[i] != b[i] {
			return refuse("the edit would change more than the entry of %s, at %s", name, a[i].pointer)
		}
	}
	x, y := comments(before, name), comments(after, name)
	if !slices.Equal(x, y) {
		return refuse("the edit would change a comment")
	}
	return nil
}

// leaf is a value of a document: its place and what is there.
type leaf struct{ pointer, text string }

// flat lists the values of a document without those of one server, and without objects that hold nothing else.
func flat(f *client.File, name string) (all []leaf) {
	skip := map[source.Node]bool{}
	for _, s := range f.Servers {
		if s.Name == name && s.Project == "" {
			skip[s.Node] = true
		}
	}
	var walk func(source.Node)
	walk = func(n source.Node) {
		if skip[n] {
			return
		}
		switch n.Kind() {
		case source.Object, source.Array:
			for c := range n.Children() {
				walk(c)
			}
		case source.Invalid, source.Null:
		default:
			all = append(all, leaf{n.Shape(), n.Kind().String() + " " + source.ValueOf(n).Text})
		}
	}
	walk(f.Doc.Root())
	return all
}

// comments are the texts of the comments outside of a server's own text.
func comments(f *client.File, name string) (all []string) {
	for _, c := range f.Doc.Comments {
		own := slices.ContainsFunc(f.Servers, func(s *client.Server) bool {
			in := s.Node.Span()
			return s.Name == name && s.Project == "" && c.Start >= in.Start && c.End <= in.End
		})
		if !own {
			all = append(all, string(f.Doc.Raw[c.Start:c.End]))
		}
	}
	return all
}
