package cli

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// pins keep what was seen of one server on first use: a lock with one entry, in the state folder. It is the store of a gate.
type pins struct {
	app  *app
	ctx  context.Context
	path string // of the file
	base string // the state folder
	was  []byte // what it held when it was read or written last
}

// guardFolder is the folder of such files in the state folder.
const guardFolder = "guard"

// pins opens what was seen of a server, by its name and how it is started. seen is nil for nothing.
func (a *app) pins(ctx context.Context, name string, l lock.Launch) (*pins, *lock.Server, error) {
	state := files.StateDir(a.io.Platform, a.io.Getenv, a.io.Home)
	if state == "" {
		return nil, nil, errors.New("this machine has no folder for what programs remember (HOME is not set)")
	}
	dir, err := files.PrivateFolder(state, guardFolder)
	if err != nil {
		return nil, nil, err
	}
	key := canon.Fingerprint(name, l.Key())[len("sha256:"):]
	p := &pins{app: a, ctx: ctx, path: filepath.Join(dir, key+".lock"), base: state}
	seen, err := p.read()
	return p, seen, err
}

// read reads the file; nil for none.
func (p *pins) read() (*lock.Server, error) {
	raw, _, err := files.Read(p.path, files.ReadOptions{MaxBytes: p.app.limits.NamedBytes, Base: p.base, Private: true})
	if files.ReasonOf(err) == files.Missing {
		p.was = nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l, err := lock.Read(p.path, raw, p.app.limits)
	if err != nil {
		return nil, err
	}
	if len(l.Servers) != 1 {
		return nil, errors.New("it holds not one server")
	}
	p.was = raw
	return l.Servers[0], nil
}

// Commit writes what was seen. What another session of the same server has kept in the meantime is joined with it; where the two
// saw different things, nothing is written.
func (p *pins) Commit(s *lock.Server) (now *lock.Server, err error) {
	release, err := files.Exclusive(p.ctx, p.path, p.app.limits)
	if err != nil {
		return nil, err
	}
	defer release()
	mine := p.was
	defer func() {
		if err != nil { // else what the others kept would not be theirs the next time
			p.was = mine
		}
	}()
	other, err := p.read()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(mine, p.was) && other != nil {
		joined := *s
		s = &joined
		switch {
		case other.Protocol.Era == "":
		case s.Protocol.Era == "": // this session was not told who the server is
			s.Protocol, s.Identity, s.Capabilities, s.Instructions = other.Protocol, other.Identity, other.Capabilities, other.Instructions
		case !bytes.Equal(s.Identity, other.Identity) || (s.Instructions == nil) != (other.Instructions == nil) || s.Instructions != nil && *s.Instructions != *other.Instructions:
			return nil, errors.New("another session was told something else of the server")
		}
		for _, k := range wire.Lists() {
			for _, theirs := range other.Items[k] {
				ours := itemNamed(s.Items[k], theirs.Name)
				if ours != nil && !bytes.Equal(ours.JSON, theirs.JSON) {
					return nil, errors.New("another session saw another " + k.String() + " of the same name")
				}
				if ours == nil {
					s.Items[k] = append(slices.Clip(s.Items[k]), lock.Item{Name: theirs.Name, JSON: theirs.JSON})
				}
			}
		}
	}
	text := (&lock.Lock{Servers: []*lock.Server{s}}).Encode()
	if bytes.Equal(text, p.was) {
		return s, nil
	}
	opt := files.WriteOptions{Base: p.base, Private: true, New: p.was == nil}
	if p.was != nil {
		opt.ExpectDigest = canon.Digest(p.was)
	}
	if err := files.WriteAtomic(p.path, text, opt); err != nil {
		return nil, err
	}
	p.was = text
	return s, nil
}

func itemNamed(all []lock.Item, name string) *lock.Item {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}

// refused is the suffix of the file that holds what a server showed in place of what was seen first.
const refusedSuffix = ".refused"

// Refused keeps what was stopped, for guard accept. What can not be kept is not: nothing hangs on it.
func (p *pins) Refused(s *lock.Server) {
	_ = files.WriteAtomic(p.path+refusedSuffix, (&lock.Lock{Servers: []*lock.Server{s}}).Encode(), files.WriteOptions{Base: p.base, Private: true})
}

// pinFile is one file of what was seen of a server.
type pinFile struct {
	path          string
	seen, refused *lock.Server
	err           error
}

// pinFiles are all of them, in the order of their names.
func (a *app) pinFiles() ([]pinFile, error) {
	state := files.StateDir(a.io.Platform, a.io.Getenv, a.io.Home)
	if state == "" {
		return nil, nil
	}
	dir := filepath.Join(state, guardFolder)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []pinFile
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".lock" {
			continue
		}
		p := &pins{app: a, path: filepath.Join(dir, e.Name()), base: state}
		f := pinFile{path: p.path}
		f.seen, f.err = p.read()
		if f.err == nil && f.seen == nil {
			continue // it is gone
		}
		if f.err == nil {
			p.path += refusedSuffix
			f.refused, f.err = p.read()
		}
		all = append(all, f)
	}
	return all, nil
}
