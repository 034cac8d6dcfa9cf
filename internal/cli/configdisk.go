package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/flow/edit"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

// configDisk is the door to the config files of clients, for reading and for writing. Both go by one rule where a file of
// the user is a link (files.Follow); in a project no link is followed.
type configDisk struct {
	*disk
	app *app
	// state is the folder for backups and notes.
	state string
}

func (a *app) configDisk(env client.Env) *configDisk {
	j := &judging{app: a, platform: env.OS, env: "none"}
	return &configDisk{disk: j.disk(), app: a, state: files.StateDir(a.io.Platform, a.io.Getenv, a.io.Home)}
}

// real is where the bytes of a file are.
func (d *configDisk) real(path, base string) (string, error) {
	if base == "" || base != d.app.io.Home {
		return path, nil
	}
	return files.Follow(path, base)
}

// Read is the disk's, through the links that a write would follow.
func (d *configDisk) Read(path string, max int, base string) (load.Content, error) {
	real, err := d.real(path, base)
	if err != nil {
		return load.Content{}, refusal(err)
	}
	return d.disk.Read(real, max, base)
}

// base is the folder that the file of a client must not be left through a link.
func (d *configDisk) base(f *client.File) string {
	home := d.app.io.Home
	switch {
	case f.Project != "":
		return filepath.FromSlash(f.Project)
	case home != "" && strings.HasPrefix(f.Abs, strings.TrimSuffix(home, string(filepath.Separator))+string(filepath.Separator)):
		return home
	}
	return filepath.Dir(f.Abs)
}

// target is a client's file as flow/edit wants it.
func (d *configDisk) target(f *client.File) (edit.Target, error) {
	base := d.base(f)
	path, err := d.real(f.Abs, base)
	return edit.Target{File: f, Path: path, Base: base, OS: d.app.io.Platform, Limits: d.app.limits}, err
}

// configs is the same door as flow/edit asks for it.
type configs struct{ *configDisk }

func (d configs) Read(path, base string) ([]byte, error) {
	raw, _, err := files.Read(path, files.ReadOptions{MaxBytes: d.app.limits.FoundBytes, Base: base})
	switch files.ReasonOf(err) {
	case "":
		return append([]byte{}, raw...), nil
	case files.Missing:
		return nil, nil
	}
	return nil, err
}

func (d configs) Write(path, base string, was, now []byte) error {
	opt := files.WriteOptions{Base: base, New: was == nil}
	if was != nil {
		opt.ExpectDigest = canon.Digest(was)
	}
	err := files.WriteAtomic(path, now, opt)
	if r := files.ReasonOf(err); r == files.Changed || r == files.Missing {
		return edit.ErrChanged
	}
	return err
}

func (d configs) Keep(path string, was []byte) (string, error) {
	return files.Keep(d.state, d.app.io.Now(), path, was, d.app.limits)
}

func (d configs) Exclusive(ctx context.Context, path string, create bool) (func(), error) {
	if create {
		if err := files.MakeFolder(path); err != nil {
			return nil, err
		}
	}
	return files.Exclusive(ctx, path, d.app.limits)
}

// places is the kind of note that says how a place of a file was before the first server came into it.
const places = "places"

func (d configs) Note(path string, doc []byte) error { return files.Note(d.state, places, path, doc) }

func (d configs) Noted(path string) ([]byte, error) {
	return files.Noted(d.state, places, path, d.app.limits.FoundBytes)
}
