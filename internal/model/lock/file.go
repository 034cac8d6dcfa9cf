package lock

import (
	"bytes"
	"errors"
	"path"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// File is a lock as it is judged: what was read, or the reason why it can not be relied on.
type File struct {
	// Path is what reports show, Abs where the bytes came from. Subject and Subjects, one for each server, are the ids of
	// report subjects.
	Path, Abs string
	Subject   string
	Subjects  []string
	// Raw is what was read.
	Raw []byte
	// Lock is nil where Err says why.
	*Lock
	Err *Error
}

// Looks says whether a file is a lock, by its name or by how it begins.
func Looks(name string, raw []byte) bool {
	const begins = `{ "lockVersion"`
	head := bytes.Join(bytes.Fields(raw[:min(len(raw), 2*len(begins))]), []byte(" "))
	return path.Base(name) == FileName || bytes.HasPrefix(head, []byte(begins))
}

// Open reads a lock for judging.
func Open(shown, abs string, raw []byte, lim limits.Set) *File {
	f := &File{Path: shown, Abs: abs, Raw: raw}
	var err error
	if f.Lock, err = Read(shown, raw, lim); err != nil {
		f.Err = &Error{Msg: err.Error()}
		_ = errors.As(err, &f.Err)
		f.Lock = nil
	}
	return f
}

// Fault is where the lock is not what it should be.
func (f *File) Fault() finding.Location {
	if n := f.Err.Node; n.Valid() {
		return n.Doc().Locate(n.Span(), n.Pointer())
	}
	line := max(1, f.Err.Line)
	return finding.Location{Path: f.Path, Line: line, Column: 1, EndLine: line, EndColumn: 1}
}

// Number gives the lock and its servers the ids of report subjects.
func (f *File) Number(next func() string) {
	f.Subject, f.Subjects = next(), nil
	if f.Lock == nil {
		return
	}
	for range f.Servers {
		f.Subjects = append(f.Subjects, next())
	}
}

// SubjectOf is the report subject of a server, the file's where it is not in it.
func (f *File) SubjectOf(name string) string {
	if f.Lock == nil {
		return f.Subject
	}
	if i, ok := indexOf(f.Servers, name); ok && i < len(f.Subjects) {
		return f.Subjects[i]
	}
	return f.Subject
}

// Describe lists the lock and its servers for a report.
func (f *File) Describe() []finding.Subject {
	all := []finding.Subject{{ID: f.Subject, Kind: "lock", Path: f.Path, Digest: canon.Digest(f.Raw)}}
	if f.Lock == nil {
		return all
	}
	for i, s := range f.Servers {
		all = append(all, finding.Subject{ID: f.Subjects[i], Kind: "server", Parent: f.Subject, Name: s.Name, Transport: s.Launch.Transport, Digest: s.SurfaceDigest()})
	}
	return all
}
