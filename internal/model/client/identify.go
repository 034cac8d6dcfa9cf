package client

import (
	"path/filepath"
	"strings"
)

// Where says what is known of a file before it is read.
type Where struct {
	// Path is what reports show: relative to Root with slashes, ~/… for a file of the user, or absolute.
	Path string
	// Abs is the file's absolute path; it is made from Root or the home folder when it is "".
	Abs string
	// Root is the absolute folder that Path is relative to.
	Root string
	Env  Env
	// Client is the client that a person named, nil for the path's own.
	Client *Client
}

// Identify says whose file it is: by its path among the user's files, then by its path below a project. A file that
// no client reads there has a nil Client, which Load fills in by the file's shape.
func Identify(w Where) *File {
	f := &File{Path: w.Path, Abs: w.Abs, Client: w.Client, Scope: ScopeProject}
	if f.Abs == "" {
		switch rest, home := strings.CutPrefix(w.Path, "~/"); {
		case home:
			f.Abs = filepath.Join(w.Env.Home, filepath.FromSlash(rest))
		case filepath.IsAbs(w.Path):
			f.Abs = w.Path
		default:
			f.Abs = filepath.Join(w.Root, filepath.FromSlash(w.Path))
		}
	}
	if c, ok := UserFile(w.Env, f.Abs); ok && (w.Client == nil || w.Client == c.Client) {
		f.Client, f.Loc, f.Scope, f.Readers = c.Client, c.Loc, c.Loc.Scope, []*Client{c.Client}
		return f
	}
	f.Project = filepath.ToSlash(filepath.Dir(f.Abs))
	for _, m := range ProjectFile(filepath.ToSlash(f.Abs)) {
		if m.Client.Kind == Manifest {
			continue
		}
		f.Readers = append(f.Readers, m.Client)
		if f.Loc == nil && (w.Client == nil || w.Client == m.Client) {
			f.Client, f.Loc, f.Project, f.CaseDiffers = m.Client, m.Loc, m.Project, m.CaseDiffers
			if m.Loc.Project() {
				f.Scope = m.Loc.Scope
			}
		}
	}
	return f
}

// Renew is the same file before it is read.
func (f *File) Renew() *File {
	return &File{Number: f.Number, Path: f.Path, Abs: f.Abs, Client: f.Client, Readers: f.Readers, Loc: f.Loc, Scope: f.Scope,
		Project: f.Project, CaseDiffers: f.CaseDiffers, Named: f.Named}
}
