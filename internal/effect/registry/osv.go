package registry

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/osv"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Advisories asks a database of vulnerabilities by its API (OSV).
type Advisories struct {
	// Base is the database's URL.
	Base    string
	Door    Door
	Cache   *Cache
	Offline bool
	Now     func() time.Time
	Limits  limits.Set
}

// Known are the records about one version of a package. What was kept counts offline alone, and only while it is not too old:
// what is found out about a version is found out later.
func (a *Advisories) Known(ctx context.Context, t pkg.Type, name, version string) (all []*osv.Record, from Origin, err error) {
	about := registry.Error{Registry: a.Base, Name: string(t) + " package " + name, Version: version}
	if osv.Ecosystem(t) == "" {
		return nil, from, &pkg.Unenforceable{Reason: "the database of vulnerabilities knows no packages of the type " + string(t)}
	}
	k := asking{door: a.Door, cache: a.Cache, offline: a.Offline, now: a.Now, lim: a.Limits, about: about, accept: wire.MediaJSON}
	next := ""
	for range a.Limits.OSVPages {
		k.body = osv.Query(t, name, version, next)
		raw, origin, err := k.get(ctx, a.Base+"/v1/query", 0)
		if err != nil {
			return nil, from, err
		}
		if age := a.Now().Sub(origin.Asked).Abs(); origin.Kept && age > a.Limits.KnownStale {
			return nil, from, k.fail(registry.NotCached, 0, fmt.Sprintf("what was kept is %d days old", int(age/(24*time.Hour))))
		}
		from = from.older(origin)
		var page []*osv.Record
		if page, next, err = osv.ReadAnswer(raw, a.Limits); err != nil {
			return nil, from, k.fail(registry.Malformed, 0, err.Error())
		}
		for _, r := range page { // the API has compared versions; what was withdrawn since is no record any more
			if r.Withdrawn == "" {
				all = append(all, r)
			}
		}
		if next == "" {
			return all, from, nil
		}
	}
	return nil, from, k.fail(registry.Malformed, 0, fmt.Sprintf("it has more than %d pages", a.Limits.OSVPages))
}

// AdvisoryFiles is a database of vulnerabilities in files: an archive as OSV publishes one for each ecosystem (all.zip), one
// record, a list or lines of records, or a folder of such files. It is read once, for all packages that are asked about.
type AdvisoryFiles struct {
	Path   string
	Limits limits.Set

	once sync.Once
	// named are the records by the type and name of a package that is asked about.
	wanted map[string]bool
	// words are what a document holds, in small letters, that names a wanted package, however it spells its name.
	words [][]byte
	named map[string][]*osv.Record
	asOf  time.Time
	err   error
}

// Want says which packages will be asked about. It is called before Known, once.
func (a *AdvisoryFiles) Want(t pkg.Type, name string) {
	if a.wanted == nil {
		a.wanted = map[string]bool{}
	}
	if plain := osv.Plain(t, name); !a.wanted[plain] {
		a.wanted[plain] = true
		a.words = append(a.words, []byte(longest(plain)))
	}
}

// longest is the longest run of letters and digits of a name, in small letters: capitals, the characters between and how JSON
// writes them differ from one database to the other.
func longest(name string) (word string) {
	for w := range strings.FieldsFuncSeq(strings.ToLower(name), func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') }) {
		if len(w) > len(word) {
			word = w
		}
	}
	return word
}

// Known are the records about one version of a package that was wanted.
func (a *AdvisoryFiles) Known(_ context.Context, t pkg.Type, name, version string) (all []*osv.Record, from Origin, err error) {
	if osv.Ecosystem(t) == "" {
		return nil, from, &pkg.Unenforceable{Reason: "the database of vulnerabilities knows no packages of the type " + string(t)}
	}
	a.once.Do(a.load)
	about := registry.Error{Registry: a.Path, Name: string(t) + " package " + name, Version: version}
	switch {
	case a.err != nil:
		about.Kind, about.Detail = registry.Malformed, a.err.Error()
		return nil, from, &about
	case !a.wanted[osv.Plain(t, name)]:
		about.Kind, about.Detail = registry.NotCached, "it was not looked for"
		return nil, from, &about
	}
	for _, r := range a.named[osv.Ecosystem(t)] {
		if yes, _ := r.Affects(t, name, version); yes {
			all = append(all, r)
		}
	}
	return all, Origin{Asked: a.asOf, Kept: true}, nil
}

// load reads all files, and keeps the records that name a wanted package.
func (a *AdvisoryFiles) load() {
	a.named = map[string][]*osv.Record{}
	info, err := os.Stat(a.Path)
	if err != nil {
		a.err = errors.New("there is no such file")
		return
	}
	left := a.Limits.OSVBytes
	if !info.IsDir() {
		a.err = a.file(a.Path, &left)
		return
	}
	read := 0
	err = filepath.WalkDir(a.Path, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		switch filepath.Ext(path) {
		case ".zip", ".json", ".jsonl":
			read++
			return a.file(path, &left)
		}
		return nil
	})
	if err == nil && read == 0 {
		err = errors.New("the folder holds no .zip, .json or .jsonl file")
	}
	a.err = err
}

// newest is when a database says that it was last right: the latest change of a file of it.
func (a *AdvisoryFiles) newest(t time.Time) {
	if t.After(a.asOf) {
		a.asOf = t
	}
}

func (a *AdvisoryFiles) file(path string, left *int64) error {
	bad := func(err error) error { return fmt.Errorf("%s: %w", filepath.Base(path), err) }
	if filepath.Ext(path) == ".zip" {
		if mode, err := files.Look(path, true); err != nil || !mode.IsRegular() { // a pipe would be waited for
			return bad(errors.New("it is no file"))
		}
		z, err := zip.OpenReader(path)
		if err != nil {
			return bad(errors.New("it is no zip archive"))
		}
		defer z.Close()
		if info, err := os.Stat(path); err == nil {
			a.newest(info.ModTime())
		}
		for _, f := range z.File {
			if !strings.HasSuffix(f.Name, ".json") {
				continue
			}
			if f.UncompressedSize64 > uint64(min(*left, a.Limits.OSVEntry)) {
				return bad(errors.New("it unpacks to more than is read"))
			}
			*left -= int64(f.UncompressedSize64)
			r, err := f.Open()
			if err != nil {
				return bad(err)
			}
			raw, err := io.ReadAll(io.LimitReader(r, a.Limits.OSVEntry+1))
			r.Close()
			if err == nil {
				err = a.take(raw)
			}
			if err != nil {
				return bad(fmt.Errorf("%s: %w", f.Name, err))
			}
		}
		return nil
	}
	raw, _, err := files.Read(path, files.ReadOptions{MaxBytes: int(min(*left, a.Limits.OSVBytes))})
	if err != nil {
		return bad(err)
	}
	if info, err := os.Stat(path); err == nil {
		a.newest(info.ModTime())
	}
	*left -= int64(len(raw))
	if filepath.Ext(path) == ".jsonl" {
		lines := bufio.NewScanner(bytes.NewReader(raw))
		lines.Buffer(nil, int(a.Limits.OSVEntry))
		for lines.Scan() {
			if len(bytes.TrimSpace(lines.Bytes())) == 0 {
				continue
			}
			if err := a.take(lines.Bytes()); err != nil {
				return bad(err)
			}
		}
		return lines.Err()
	}
	if err := a.take(raw); err != nil {
		return bad(err)
	}
	return nil
}

// take keeps the records of a document that name a wanted package. Most name none, which their bytes tell.
func (a *AdvisoryFiles) take(raw []byte) error {
	small := bytes.ToLower(raw)
	named := bytes.Contains(small, []byte(`\u00`)) || slices.ContainsFunc(a.words, func(w []byte) bool { return bytes.Contains(small, w) })
	if !named {
		if !bytes.Contains(raw, []byte(`"id"`)) { // another kind of file is no empty database
			return errors.New("it holds no record")
		}
		return nil
	}
	all, err := osv.ReadAll(raw)
	if err != nil {
		return err
	}
	for _, r := range all {
		seen := map[string]bool{}
		for _, p := range r.Affected {
			if e := p.Package.Ecosystem; !seen[e] {
				seen[e] = true
				a.named[e] = append(a.named[e], r)
			}
		}
	}
	return nil
}
