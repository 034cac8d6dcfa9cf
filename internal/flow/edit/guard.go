package edit

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Guard gives the file with the guard, a program of that path, in front of the command of a server, or with program "" without it.
// Nothing else of it changes, and what comes of it is what the guard would start.
func (f *File) Guard(name, program string) (*Result, error) {
	if err := f.ready(); err != nil {
		return nil, err
	}
	s := f.Server(name)
	if s == nil {
		return nil, refuse("there is no such server in it")
	}
	var edits []finding.Edit
	var err error
	if program == "" {
		edits, err = s.Unwrap()
	} else {
		edits, err = s.Wrap(program)
	}
	if err != nil {
		return nil, refuse("%s", err)
	}
	raw, err := source.Apply(f.Doc.Raw, edits)
	if err != nil {
		return nil, refuse("%s", err)
	}
	res := &Result{After: Open(f.File, raw, f.OS, f.Limits), Changed: true}
	if err := f.holds(res.After, s.Spec(), nil); err != nil {
		return nil, err
	}
	now := res.After.Server(name)
	if (now.Rare.Guard != nil) != (program != "") {
		return nil, refuse("%s would not read the entry as it is meant", f.Client.Name)
	}
	if program == "" {
		return res, nil
	}
	// It is put in front only where it can be taken away again to the last byte.
	back, err := res.After.Guard(name, "")
	if err != nil {
		return nil, err
	}
	if string(back.After.Raw) != string(f.Raw) {
		return nil, refuse("the entry could not be given back as it is written")
	}
	return res, nil
}
