// Package installed holds what lies on this machine of a package against the bytes that a lock names, before a server of it is
// started. It reads files and changes none.
//
// A lock knows an npm package by the digest of its tarball, and npm keeps that tarball in its cache, under that digest: its files
// are compared with those that are installed, byte by byte. Of other kinds no such thing is kept, and what can not be held to the
// lock is said, never passed over.
package installed

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
)

// Options are what is to be looked at.
type Options struct {
	Package *lock.Package
	// Argv is the command, Dir where it is started, Env its variables as NAME=VALUE, Home the user's home folder.
	Argv      []string
	Dir, Home string
	Env       []string
	// Platform is linux, darwin, windows.
	Platform string
	Limits   limits.Set
}

// Result is what came of it. Texts are not made safe.
type Result struct {
	// Compared is how many files were the lock's, byte by byte, in the folders Where.
	Compared int
	Where    []string
	// By says by what else than files it is known: "its digest is in the command".
	By string
	// Wrong are the things that are others than the lock says; a server is not started with any.
	Wrong []string
	// Unenforceable is what nobody can hold to the lock here, and why.
	Unenforceable []string
}

func (r *Result) wrong(format string, args ...any) {
	r.Wrong = append(r.Wrong, fmt.Sprintf(format, args...))
}

func (r *Result) unenforceable(format string, args ...any) {
	r.Unenforceable = append(r.Unenforceable, fmt.Sprintf(format, args...))
}

// Look looks.
func Look(o Options) *Result {
	r := &Result{}
	var line launch.Line
	line.Parse(o.Argv)
	switch {
	case len(o.Package.Files) == 0:
		r.unenforceable("the lock knows its bytes by no digest")
	case o.Package.Type == pkg.NPM:
		o.npm(r, &line)
	case o.Package.Type == pkg.OCI:
		o.image(r, &line)
	case o.Package.Type == pkg.PyPI:
		r.unenforceable("neither uv nor pip keeps the archive that it installed from, and the list of files beside it (RECORD) is its own word")
	default:
		r.unenforceable("what is installed of a package of %s is compared by nobody", o.Package.Type)
	}
	return r
}

// image holds the image of a command to the lock's digest: an engine starts only what has the digest that it was given.
func (o Options) image(r *Result, line *launch.Line) {
	named := line.Package
	if named == nil || named.Ecosystem != string(pkg.OCI) {
		r.unenforceable("the command names no image")
		return
	}
	_, digest, ok := strings.Cut(named.Spec, "@")
	if !ok {
		r.unenforceable("the command names %s by a tag, which its registry may move: name it by its digest", named.Name)
		return
	}
	if !slices.ContainsFunc(o.Package.Files, func(f lock.PackageFile) bool { return slices.Contains(f.Hashes, digest) }) {
		r.wrong("the image of the command has the digest %s, and the lock holds another", digest)
		return
	}
	r.By = "the engine starts only what has the digest of the lock"
}

// variable is a variable of the command's environment; npm takes its own in small or in large letters.
func (o Options) variable(name string) string {
	value := ""
	for _, kv := range o.Env {
		if n, v, ok := strings.Cut(kv, "="); ok && strings.EqualFold(n, name) {
			value = cmp.Or(v, value)
		}
	}
	return value
}
