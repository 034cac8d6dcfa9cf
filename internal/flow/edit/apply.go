package edit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Disk is what a change needs of the file system. A path is absolute; base is the folder that must not be left through a
// link, "" for a file that a person named.
type Disk interface {
	// Read gives the bytes, nil and no error where there is no file.
	Read(path, base string) ([]byte, error)
	// Write replaces a file that still holds what was read, or makes one where was is nil and there is none. It answers
	// ErrChanged where that is no longer so.
	Write(path, base string, was, now []byte) error
	// Keep keeps what a file held before it is changed.
	Keep(path string, was []byte) (kept string, err error)
	// Exclusive keeps other writers of the file out, and makes its folder where create says so.
	Exclusive(ctx context.Context, path string, create bool) (release func(), err error)
	// Note keeps a small document about a file, and Noted gives it, nil for none.
	Note(path string, doc []byte) error
	Noted(path string) ([]byte, error)
}

// ErrChanged says that a file changed between reading and writing.
var ErrChanged = errors.New("the file changed while it was edited")

// Target is a file that is to be changed.
type Target struct {
	// File says whose it is: it need not be read yet.
	File *client.File
	// Path is where its bytes are, links followed; Base as the Disk wants it.
	Path, Base string
	OS         string
	Limits     limits.Set
}

// Step is one server that is put into a file, or, with Remove, taken out of it. With Guard or Unguard it is one that is there, and
// our guard is put in front of its command, or taken away.
type Step struct {
	Spec   client.Spec
	Remove bool
	// Guard is the path of the program that guards.
	Guard   string
	Unguard bool
}

// Done is what became of a step. Err is a *Refusal or a *client.CannotError where the step was left out.
type Done struct {
	Step
	Changed bool
	Left    []string
	Err     error
}

// Outcome is what became of a file.
type Outcome struct {
	Done []Done
	// Before and After are its bytes; they are equal where nothing was written.
	Before, After []byte
	// Kept is the backup, "" where none was needed.
	Kept string
}

// Apply makes steps on one file and writes the result once, whole: the file is the old one or the new one. A step that can
// not be made is left out and said; the others are made. A file that changes meanwhile is read again, once. With dry nothing
// is written.
func Apply(ctx context.Context, disk Disk, t Target, steps []Step, dry bool) (*Outcome, error) {
	if dry {
		raw, err := disk.Read(t.Path, t.Base)
		if err != nil {
			return nil, err
		}
		out, _, err := t.plan(disk, raw, steps)
		return out, err
	}
	release, err := disk.Exclusive(ctx, t.Path, true)
	if err != nil {
		return nil, err
	}
	defer release()
	for again := false; ; again = true {
		raw, err := disk.Read(t.Path, t.Base)
		if err != nil {
			return nil, err
		}
		out, undos, err := t.plan(disk, raw, steps)
		if err != nil || bytes.Equal(out.Before, out.After) {
			return out, err
		}
		if raw != nil {
			if out.Kept, err = disk.Keep(t.Path, raw); err != nil {
				return nil, err
			}
		}
		err = disk.Write(t.Path, t.Base, raw, out.After)
		if errors.Is(err, ErrChanged) && !again {
			continue
		}
		if err != nil {
			return nil, err
		}
		// Last, and for the bytes of an empty place alone: without it a removal leaves {}.
		return out, undos.save(disk, t.Path)
	}
}

// undos are the Undo of each place of a file whose first server came from us, by pointer.
type undos struct {
	all, was map[string]source.Undo
}

func (u *undos) save(disk Disk, path string) error {
	if maps.Equal(u.all, u.was) {
		return nil
	}
	if len(u.all) == 0 {
		return disk.Note(path, nil)
	}
	doc, err := json.Marshal(u.all)
	if err != nil {
		return err
	}
	return disk.Note(path, doc)
}

// plan makes the steps in memory. What is noted of a file and can not be read is as if nothing were: a removal then leaves
// an empty place, which is right too.
func (t Target) plan(disk Disk, raw []byte, steps []Step) (*Outcome, *undos, error) {
	u := &undos{all: map[string]source.Undo{}, was: map[string]source.Undo{}}
	if doc, err := disk.Noted(t.Path); err == nil && doc != nil && json.Unmarshal(doc, &u.was) == nil {
		u.all = maps.Clone(u.was)
	}
	f := Open(t.File, raw, t.OS, t.Limits)
	out := &Outcome{Before: raw, After: raw}
	for _, s := range steps {
		d := Done{Step: s}
		var res *Result
		switch {
		case s.Guard != "" || s.Unguard:
			res, d.Err = f.Guard(s.Spec.Name, s.Guard)
		case s.Remove:
			res, d.Err = f.Take(s.Spec.Name, u.of(f, s.Spec.Name))
		default:
			res, d.Err = f.Put(s.Spec)
		}
		if d.Err == nil && res.Changed {
			d.Changed = true
			switch {
			case s.Guard != "" || s.Unguard:
			case !s.Remove && f.Server(s.Spec.Name) == nil:
				u.put(res.Map, res.Undo)
			case s.Remove && res.After.Doc.Lookup(res.Map).Empty():
				delete(u.all, res.Map) // the place is the user's again
			}
			f = res.After
			out.After = f.Raw
		}
		if d.Err == nil {
			d.Left = res.Left
		}
		out.Done = append(out.Done, d)
	}
	return out, u, nil
}

// of is the Undo of the place that holds a server.
func (u *undos) of(f *File, name string) source.Undo {
	if s := f.Server(name); s != nil {
		return u.all[s.Node.Parent().Pointer()]
	}
	return source.Undo{}
}

// put notes how a place was that had no server. One that had others keeps what is noted of it.
func (u *undos) put(place string, undo source.Undo) {
	if undo != (source.Undo{}) {
		u.all[place] = undo
	}
}
