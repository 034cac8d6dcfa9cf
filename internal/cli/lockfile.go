package cli

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/flow/pin"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/policy"
)

// lockFile is the door to one mcpassay.lock. It is the store of flow/pin.
type lockFile struct {
	*judging
	// path is absolute, base the folder that must not be left through a link, "" where the file was named.
	path, base string
	// fails is the exit code where it can not be written: that of the package verbs is another.
	fails int
}

// lockFile finds the lock: the one that was named, else the nearest one of the project, else a new one in the working folder.
func (j *judging) lockFile(named string) *lockFile {
	f := &lockFile{judging: j, path: absolute(j.app.io.Cwd, named), fails: exitIncomplete}
	if named == "" {
		var ok bool
		f.path, ok = policy.Nearest(j.app.io.Cwd, lock.FileName, present, func(dir string) bool { return exists(filepath.Join(dir, ".git")) })
		if !ok {
			f.path = filepath.Join(j.app.io.Cwd, lock.FileName)
		}
		f.base = filepath.Dir(f.path)
	}
	j.inputs = append(j.inputs, f.path)
	return f
}

// shown is the path that reports print: relative even where it lies above the working folder, so that two machines print
// the same.
func (f *lockFile) shown() string {
	if rel, err := filepath.Rel(f.app.io.Cwd, f.path); err == nil {
		return filepath.ToSlash(rel)
	}
	return f.judging.shown(f.path)
}

// places are the folders that differ from machine to machine.
func (f *lockFile) places() lock.Places {
	return lock.Places{Project: filepath.Dir(f.path), Home: f.app.io.Home}
}

// Exclusive keeps other writers of the file out. The folder of the user's own lock is made where it is missing.
func (f *lockFile) Exclusive(ctx context.Context) (func(), error) {
	if home := f.clientEnv().ConfigHome(); home != "" && filepath.Dir(f.path) == filepath.Join(home, lock.Folder) && !exists(filepath.Dir(f.path)) {
		if _, err := files.PrivateFolder(home, lock.Folder); err != nil {
			return nil, err
		}
	}
	return files.Exclusive(ctx, f.path, f.app.limits)
}

// Read gives the bytes of the file, nil where there is none.
func (f *lockFile) Read() ([]byte, error) {
	raw, _, err := files.Read(f.path, files.ReadOptions{MaxBytes: f.app.limits.NamedBytes, Base: f.base})
	if files.ReasonOf(err) == files.Missing {
		return nil, nil
	}
	return raw, err
}

// Replace writes the file where it still holds what was read.
func (f *lockFile) Replace(was, now []byte) error {
	opt := files.WriteOptions{Base: f.base}
	if was != nil {
		opt.ExpectDigest = canon.Digest(was)
	}
	return files.WriteAtomic(f.path, now, opt)
}

// update changes the lock, and says in a problem why it can not be.
func (f *lockFile) update(ctx context.Context, change func(*lock.Lock) error) (written bool, err error) {
	written, err = pin.Update(ctx, f, f.shown(), f.app.limits, change)
	var broken *pin.BrokenError
	var door *files.Error
	var large *pin.TooLargeError
	switch {
	case errors.As(err, &large):
		return false, &problem{what: "the lock was not written: " + large.Error(), at: f.shown(), hint: "keep some servers in another lock with --lock", code: f.fails}
	case errors.As(err, &broken):
		return false, f.broken(broken.Why, f.fails)
	case errors.As(err, &door):
		return false, &problem{what: "the lock can not be written: " + refusal(err).Detail, at: f.shown(), hint: "name a file that can be written with --lock", code: f.fails}
	}
	return written, err
}

// broken is the problem of a lock that can not be relied on.
func (f *lockFile) broken(why *lock.Error, code int) error {
	at := f.shown()
	if why.Line > 0 {
		at += ":" + strconv.Itoa(why.Line)
	}
	return &problem{what: "the lock can not be relied on: " + why.Msg, at: at, hint: why.Hint, code: code}
}

// open reads the lock for judging; nil where there is none.
func (f *lockFile) open() (*lock.File, error) {
	raw, err := f.Read()
	if err != nil {
		return nil, &problem{what: "the lock can not be read: " + refusal(err).Detail, at: f.shown(), hint: "name another with --lock", code: exitIncomplete}
	}
	if raw == nil {
		return nil, nil
	}
	return lock.Open(f.shown(), f.path, raw, f.app.limits), nil
}
