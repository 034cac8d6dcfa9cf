// Package stash moves literal secrets out of the config files of clients: a reference in the client's own dialect takes the
// place of each, and what it stood for goes to whoever keeps secrets. It touches no other byte, and gives no value to anybody
// but that keeper.
package stash

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Moved is one secret that leaves its file.
type Moved struct {
	// Server and Place say where it stood, for people; Variable is what is referred to now.
	Server, Place, Variable string
	// Value is the secret itself: for the keeper alone.
	Value string
}

// Left is one that stays, and why.
type Left struct{ Server, Place, Why string }

// Change is the outcome for one file.
type Change struct {
	File *client.File
	// After is the file with its new bytes, read again; File itself where nothing is moved.
	After *client.File
	Moved []Moved
	Left  []Left
}

// Plan says which secrets of a file can be moved. have gives the value that is kept under a name already, which no other may
// take the place of.
func Plan(f *client.File, have func(name string) (value string, ok bool), lim limits.Set) *Change {
	c := &Change{File: f, After: f}
	if f.Doc == nil {
		return c
	}
	var edits []finding.Edit
	taken := map[string]string{}
	for _, s := range f.Servers {
		for _, x := range s.Secrets() {
			one := Moved{Server: s.Display(), Place: x.Place(), Value: x.Value.Value[x.Start:x.End]}
			leave := func(why string) { c.Left = append(c.Left, Left{one.Server, one.Place, why}) }
			if s.Hidden || f.Dead() {
				leave("its client does not read it")
				continue
			}
			m, ok := f.Move(x)
			if !ok {
				leave(f.Client.Name + " reads no reference to a variable there")
				continue
			}
			kept, known := have(m.Variable)
			if was, mine := taken[m.Variable]; mine {
				kept, known = was, true
			}
			if known && kept != one.Value {
				leave("another value is kept as " + m.Variable)
				continue
			}
			if touches(edits, m.Edits) {
				leave("it overlaps another secret")
				continue
			}
			one.Variable = m.Variable
			taken[m.Variable] = one.Value
			edits = append(edits, m.Edits...)
			c.Moved = append(c.Moved, one)
		}
	}
	if len(edits) == 0 {
		return c
	}
	c.settle(edits, lim)
	return c
}

// touches says whether an edit lies in or beside one that is made already.
func touches(made, next []finding.Edit) bool {
	return slices.ContainsFunc(next, func(n finding.Edit) bool {
		return slices.ContainsFunc(made, func(m finding.Edit) bool { return n.Offset < m.Offset+m.Length && m.Offset < n.Offset+n.Length })
	})
}

// settle makes the edits, and takes them back where the result is not the file with references in it.
func (c *Change) settle(edits []finding.Edit, lim limits.Set) {
	why := "the file could not be read with references in it"
	raw, err := source.Apply(c.File.Doc.Raw, edits)
	if err == nil {
		after := c.File.Renew()
		after.Load(raw, lim)
		if after.Err == nil && c.holds(after) {
			c.After = after
			return
		}
		why = "its client would read another file than it did"
	}
	for _, m := range c.Moved {
		c.Left = append(c.Left, Left{m.Server, m.Place, why})
	}
	c.Moved = nil
}

// holds says whether two readings of a file differ in no value but those that held a secret, and whether those hold none of it
// any more.
func (c *Change) holds(after *client.File) bool {
	secret := map[source.Node]bool{}
	for _, s := range c.File.Servers {
		for _, x := range s.Secrets() {
			secret[x.Value.Node] = true
		}
	}
	var was, now []source.Node
	for n := range c.File.Doc.Nodes() {
		was = append(was, n)
	}
	for n := range after.Doc.Nodes() {
		now = append(now, n)
	}
	if len(was) != len(now) || len(after.Servers) != len(c.File.Servers) {
		return false
	}
	for i := range was {
		a, b := was[i], now[i]
		if a.Kind() != b.Kind() || a.IsMember() != b.IsMember() || a.IsMember() && a.Key() != b.Key() {
			return false
		}
		if a.Kind() != source.Object && a.Kind() != source.Array && !secret[a] && source.ValueOf(a).Text != source.ValueOf(b).Text {
			return false
		}
	}
	left := 0
	for _, s := range after.Servers {
		left += len(s.Secrets())
	}
	return left <= len(c.Left)
}
