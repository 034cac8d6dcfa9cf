package registry

import (
	"slices"
	"strings"
)

// nearMost is the number of letters that a name must have, without the words that all have, for one letter to be a slip. Of
// shorter names too many are one letter apart.
const nearMost = 8

// Listed says whether the registry lists a package.
func (x *Index) Listed(c Coordinate) bool {
	x.sort()
	return len(x.byIdent[c.Type+" "+c.Identifier]) > 0
}

// Near finds a package that the registry lists and that another one, which it does not list, can be taken for: the same
// letters, or such as look the same, in another form, or one letter apart. One owner's packages are not held against each
// other, as nobody else can publish under a scope or a path; a scope of the same letters as a name that anybody could take is
// the surer of the two; and a number that differs is a version.
func (x *Index) Near(c Coordinate) (n Near, ok bool) {
	if x.Listed(c) {
		return n, false
	}
	mine := shapeOf(c, 0)
	if mine.core == "" {
		return n, false
	}
	shapes := x.outlines()
	for i := range shapes {
		s := &shapes[i]
		if s.Type != c.Type || mine.owner != "" && mine.owner == s.owner {
			continue
		}
		form := mine.letters == s.letters
		switch {
		case form && mine.owner != "" && s.owner == "", !form && mine.whole != s.whole && !oneSlip(mine.core, s.core):
			continue
		case !ok || n.Form && !form || n.Form == form && s.Identifier < n.Like.Identifier:
			n, ok = Near{Like: s.Coordinate, Of: x.entries[s.entry].Name, Form: form}, true
		}
	}
	return n, ok
}

// outlines are the shapes of all packages, made once.
func (x *Index) outlines() []shape {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.shapes == nil {
		for i, e := range x.entries {
			for _, p := range e.Packages {
				x.shapes = append(x.shapes, shapeOf(p, i))
			}
		}
	}
	return x.shapes
}

// Near is a package that the registry lists, and whose. Form says that it has the same letters, with other separators.
type Near struct {
	Like Coordinate
	Of   string
	Form bool
}

// shape is a package's name in the forms in which it is compared.
type shape struct {
	Coordinate
	owner, letters, whole, core string
	entry                       int
}

func shapeOf(c Coordinate, entry int) shape {
	return shape{c, ownerOf(c), apart.Replace(strings.ToLower(c.Identifier)), skeleton(c.Identifier), coreOf(c.Identifier), entry}
}

func abs(n int) int { return max(n, -n) }

// ownerOf is who alone can publish under the beginning of a name: an npm scope, the path of an image. "" is anybody.
func ownerOf(c Coordinate) string {
	if i := strings.LastIndexByte(c.Identifier, '/'); i > 0 && (c.Type == "oci" || strings.HasPrefix(c.Identifier, "@")) {
		return c.Identifier[:i]
	}
	return ""
}

// apart takes separators out.
var apart = strings.NewReplacer("-", "", "_", "", ".", "", "@", "", "/", "")

// lookAlike are letters and figures that look the same.
var lookAlike = strings.NewReplacer("rn", "m", "vv", "w", "cl", "d", "0", "o", "1", "l", "i", "l", "5", "s")

// skeleton is a name as it looks at a glance: no separators, and one letter for all that look like it.
func skeleton(id string) string { return lookAlike.Replace(apart.Replace(strings.ToLower(id))) }

// coreOf is a name without separators and without the words that half of all names have.
func coreOf(id string) string {
	words := strings.FieldsFunc(strings.ToLower(id), func(r rune) bool { return strings.ContainsRune("-_.@/:", r) })
	words = slices.DeleteFunc(words, func(w string) bool { return w == "mcp" || w == "server" || w == "servers" })
	return strings.Join(words, "")
}

// oneSlip says whether one letter more, less, another or two exchanged make a of b.
func oneSlip(a, b string) bool {
	if min(len(a), len(b)) < nearMost || abs(len(a)-len(b)) > 1 || a == b {
		return false
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if strings.ContainsAny(a+b, "0123456789") {
		return false
	}
	return len(a)+len(b) == 1 || len(a) == 1 && len(b) == 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}
