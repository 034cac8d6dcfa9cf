package files

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// WalkOptions says what a Walk is looking for, and its bounds.
type WalkOptions struct {
	// Candidate says whether an entry of this name, at this slash-separated path below the root, is of
	// interest. It is asked of every entry, folders included (a folder under a config's name is no config,
	// and is visited so that this can be said), so it must be cheap.
	Candidate func(name, rel string) bool
	// CandidateLink is asked instead where the entry is a symbolic link, so that a linked folder which
	// would have held candidates can be told as well. Nil means Candidate.
	CandidateLink func(name, rel string) bool
	// MaxDepth is how many folders below the root are entered, MaxEntries how many entries are looked at;
	// 0 means the default limits.
	MaxDepth, MaxEntries int
}

// Entry is one thing that a Walk came by: a candidate, or (Err set) a folder that was not looked into.
type Entry struct {
	Path string // the root as given, and Rel
	Rel  string // below the root, with slashes; "" is the root
	Kind Kind
	Err  *Error
	// NoGit says that the folder which holds it was read whole and has nothing named .git.
	NoGit bool
}

// WalkStats counts what a Walk did.
type WalkStats struct {
	Entries int // looked at
	// Truncated is set where MaxEntries was reached; StoppedAt is the folder, below the root, in which.
	Truncated bool
	StoppedAt string
}

// Walk goes depth first through the folder root, in the order of the names, and visits the candidates.
// It follows no link below the root, enters nested repositories and folders that git ignores, but nothing
// that holds other people's installed code. What could not be entered is visited, with Err. The error is
// non-nil only where root itself can not be read, and is an *Error.
func Walk(root string, opt WalkOptions, visit func(Entry)) (WalkStats, error) {
	if opt.MaxDepth <= 0 {
		opt.MaxDepth = limits.Default.WalkDepth
	}
	if opt.MaxEntries <= 0 {
		opt.MaxEntries = limits.Default.WalkEntries
	}
	if opt.CandidateLink == nil {
		opt.CandidateLink = opt.Candidate
	}
	w := walker{opt: opt, visit: visit, prefix: root + string(os.PathSeparator)}
	switch {
	case root == ".":
		w.prefix = ""
	case root == "" || os.IsPathSeparator(root[len(root)-1]):
		w.prefix = root
	}
	info, err := stat(root, "")
	if err != nil {
		return w.stats, err
	}
	if k := kindOf(info.mode); k != Directory {
		return w.stats, &Error{Path: root, Reason: NotRegular, Kind: k}
	}
	entries, err := w.list(root, true)
	if err != nil {
		return w.stats, refusal(root, err)
	}
	w.enter("", 0, entries, w.all(entries))
	return w.stats, nil
}

type walker struct {
	opt    WalkOptions
	visit  func(Entry)
	prefix string
	stats  WalkStats
}

func (w *walker) path(rel string) string {
	if os.PathSeparator != '/' {
		rel = filepath.FromSlash(rel)
	}
	return w.prefix + rel
}

// list reads a folder, never more than the walk may still look at and one.
func (w *walker) list(path string, follow bool) ([]fs.DirEntry, error) {
	f, err := openFolder(path, follow)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(w.opt.MaxEntries - w.stats.Entries + 1)
	if err == io.EOF {
		err = nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// all says that the entries of a folder are not cut off at the walk's bound.
func (w *walker) all(entries []fs.DirEntry) bool {
	return w.stats.Entries+len(entries) <= w.opt.MaxEntries
}

func isGit(e fs.DirEntry) bool { return strings.EqualFold(e.Name(), ".git") }

func (w *walker) enter(rel string, depth int, entries []fs.DirEntry, whole bool) {
	if rel != "" {
		rel += "/"
	}
	for _, e := range entries {
		if w.stats.Entries == w.opt.MaxEntries && !w.stats.Truncated {
			w.stats.Truncated, w.stats.StoppedAt = true, strings.TrimSuffix(rel, "/")
		}
		if w.stats.Truncated {
			return
		}
		w.stats.Entries++
		name := e.Name()
		entry := Entry{Rel: rel + name, Kind: kindOf(e.Type())}
		if entry.Kind == Directory && neverEntered(name) {
			continue
		}
		candidate := w.opt.Candidate
		if entry.Kind == Link {
			candidate = w.opt.CandidateLink
		}
		if candidate(name, entry.Rel) {
			entry.Path = w.path(entry.Rel)
			w.visit(Entry{Path: entry.Path, Rel: entry.Rel, Kind: entry.Kind, NoGit: whole && !slices.ContainsFunc(entries, isGit)})
		}
		if entry.Kind == Directory {
			w.descend(entry, depth+1)
		}
	}
}

func (w *walker) descend(folder Entry, depth int) {
	folder.Path = w.path(folder.Rel)
	if depth > w.opt.MaxDepth {
		folder.Err = &Error{Path: folder.Path, Reason: TooDeep}
		w.visit(folder)
		return
	}
	entries, err := w.list(folder.Path, false)
	if err != nil {
		// What was read before the error is judged all the same.
		folder.Err = refusal(folder.Path, err)
		w.visit(folder)
	}
	if virtualEnvironment(entries) {
		return
	}
	w.enter(folder.Rel, depth, entries, err == nil && w.all(entries))
}

// neverEntered names the folders of installed code and of git's own files.
func neverEntered(name string) bool {
	switch name {
	case ".git", "node_modules", "vendor", ".venv", "venv", "__pycache__", ".ruff_cache", ".tox":
		return true
	}
	return false
}

// virtualEnvironment knows a Python environment under any name by its marker (PEP 405).
func virtualEnvironment(entries []fs.DirEntry) bool {
	_, found := slices.BinarySearchFunc(entries, "pyvenv.cfg", func(e fs.DirEntry, name string) int {
		return strings.Compare(e.Name(), name)
	})
	return found
}
