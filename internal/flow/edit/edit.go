// Package edit puts servers into the config files of clients, changes them in there, and takes them out, and touches no
// other byte. What comes of it is read again before anyone may write it: the file must parse, its client must read the
// server just as it was meant, and every other value and comment must be what it was.
package edit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/source"
)

// File is one config file and what it holds.
type File struct {
	*client.File
	// Raw is what was read, nil for a file that does not exist.
	Raw []byte
	// OS is the system that its client runs on.
	OS string
	// Limits bound what is read again.
	Limits limits.Set
}

// Open reads the bytes of a file, which may be nil or hold nothing.
func Open(f *client.File, raw []byte, os string, lim limits.Set) *File {
	out := &File{File: f.Renew(), Raw: raw, OS: os, Limits: lim}
	out.Load(out.text(), lim)
	return out
}

// text is what the file holds; in JSON nothing is an object without members.
func (f *File) text() []byte {
	mark := []byte("\xEF\xBB\xBF")
	if f.blank() && f.Dialect(f.OS).Format == client.FormatJSON {
		if bytes.HasPrefix(f.Raw, mark) {
			return append(mark, "{}\n"...)
		}
		return []byte("{}\n")
	}
	return f.Raw
}

// blank says that there is nothing in the file.
func (f *File) blank() bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(f.Raw, []byte("\xEF\xBB\xBF")))) == 0
}

// Result is what comes of a change that holds.
type Result struct {
	// After is the file with its new bytes, read again.
	After *File
	// Changed is false where the file means already what was asked for.
	Changed bool
	// Map is the pointer of the place that holds the server; Undo how it was before a server that was put in.
	Map  string
	Undo source.Undo
	// Left are parts of the spec that the client has no field for.
	Left []string
}

// Refusal says why a file stays as it is.
type Refusal struct{ Why string }

func (r *Refusal) Error() string { return r.Why }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// ready says whether the file may be changed at all.
func (f *File) ready() error {
	switch {
	case f.Err != nil:
		return refuse("it can not be read: %s", f.Err)
	case f.Client == nil || f.Client == client.Generic:
		return refuse("no client is known to read it")
	case f.Dead():
		return refuse("%s does not read servers from it", f.Client.Name)
	case len(f.Doc.Conflicts) > 0:
		line, column := f.Doc.Position(f.Doc.Conflicts[0].Start)
		return refuse("it defines a name twice, and is refused for that, at line %d, column %d", line, column)
	}
	return nil
}

// Server is the entry of that name that the client reads, for every project; nil for none.
func (f *File) Server(name string) (found *client.Server) {
	if f.Doc == nil {
		return nil
	}
	for _, s := range f.Servers {
		if s.Name != name || s.Project != "" || s.Hidden {
			continue
		}
		if m := s.Node.Parent(); slices.ContainsFunc(f.Maps, func(k client.Map) bool { return k.Wanted && k.Node == m }) {
			found = s
		}
	}
	return found
}

// place is the path of the map for servers: the one that is there, else the first that the client reads.
func (f *File) place() (path []string, list bool, err error) {
	d := f.Dialect(f.OS)
	for _, m := range f.Maps {
		if m.Wanted && m.Project == "" {
			want := source.Array
			if d.Shape() == client.ShapeMap {
				want = source.Object
			}
			if k := m.Node.Kind(); k != want && k != source.Null {
				return nil, false, refuse("%s is %s, and %s reads %s there", m.Key, k, f.Client.Name, want)
			}
			return source.PointerParts(m.Node.Pointer()), want == source.Array, nil
		}
	}
	path, ok := d.Root()
	if !ok {
		return nil, false, refuse("%s reads servers from a place in it that is not known", f.Client.Name)
	}
	return path, d.Shape() != client.ShapeMap, nil
}

// Put gives the file with the server in it: as a new entry, or, where there is one of its name, with the fields changed
// that differ. Fields that the spec says nothing of stay.
func (f *File) Put(spec client.Spec) (*Result, error) {
	if err := f.ready(); err != nil {
		return nil, err
	}
	v, left, err := f.Dialect(f.OS).Entry(spec)
	if err != nil {
		return nil, err
	}
	res := &Result{After: f, Left: left}
	if s := f.Server(spec.Name); s != nil {
		res.Map = s.Node.Parent().Pointer()
		return res, f.change(s, v, spec, res)
	}
	path, list, err := f.place()
	if err != nil {
		return nil, err
	}
	name := spec.Name
	if list {
		name = ""
	}
	edits, undo, err := f.Doc.Put(path, list, name, v)
	if err != nil {
		return nil, refuse("%s", err)
	}
	raw, err := source.Apply(f.Doc.Raw, edits)
	if err != nil {
		return nil, err
	}
	res.Undo = undo
	for _, p := range path {
		res.Map += "/" + escape(p)
	}
	if f.blank() {
		res.Undo = source.Undo{}
	}
	res.After, res.Changed = Open(f.File, raw, f.OS, f.Limits), true
	return res, f.holds(res.After, spec, left)
}

// change makes the fields of an entry what the spec says.
func (f *File) change(s *client.Server, v source.Value, spec client.Spec, res *Result) error {
	if s.Node.Shared() {
		return refuse("the entry is written once and used in several places")
	}
	next := f
	for range f.Limits.EditSteps {
		now := next.Server(spec.Name)
		if now == nil {
			return errors.New("the entry is lost while it is changed: this is a fault of mcpassay")
		}
		if sameSpec(now.Spec(), spec, res.Left) {
			res.After, res.Changed = next, next != f
			if !res.Changed {
				return nil
			}
			return f.holds(next, spec, res.Left)
		}
		edits, err := now.Node.Next(now.Adapt(v), now.Drops(spec))
		if err != nil {
			return refuse("%s", err)
		}
		if len(edits) == 0 {
			return refuse("what the entry says beside the fields that mcpassay knows changes what it means")
		}
		raw, err := source.Apply(next.Doc.Raw, edits)
		if err != nil {
			return err
		}
		if next = Open(f.File, raw, f.OS, f.Limits); next.Err != nil {
			return refuse("the result could not be read: %s", next.Err)
		}
	}
	return refuse("it would take more than %d edits", f.Limits.EditSteps)
}

// Take gives the file without the server. The Undo of the Put that brought it makes an empty place what it was.
func (f *File) Take(name string, undo source.Undo) (*Result, error) {
	if err := f.ready(); err != nil {
		return nil, err
	}
	s := f.Server(name)
	if s == nil {
		return &Result{After: f}, nil
	}
	if s.Node.Shared() {
		return nil, refuse("the entry is written once and used in several places")
	}
	res := &Result{Changed: true, Map: s.Node.Parent().Pointer()}
	raw, err := source.Apply(f.Doc.Raw, s.Node.Take(undo))
	if err != nil {
		return nil, err
	}
	res.After = Open(f.File, raw, f.OS, f.Limits)
	switch {
	case res.After.Err != nil:
		return nil, refuse("the result could not be read: %s", res.After.Err)
	case res.After.Server(name) != nil:
		return nil, refuse("there is another entry of this name in it")
	}
	return res, unchanged(f.File, res.After.File, name)
}

func sameSpec(a, b client.Spec, left []string) bool {
	if slices.Contains(left, "timeout") || b.Timeout == 0 {
		a.Timeout, b.Timeout = 0, 0
	}
	return a.Equal(b)
}

// holds says whether the result is the file with the server, and with nothing else.
func (f *File) holds(after *File, spec client.Spec, left []string) error {
	if after.Err != nil {
		return refuse("the result could not be read: %s", after.Err)
	}
	s := after.Server(spec.Name)
	if s == nil || !sameSpec(s.Spec(), spec, left) {
		return refuse("%s would not read the entry as it is meant", f.Client.Name)
	}
	return unchanged(f.File, after.File, spec.Name)
}
