// Package artifact reviews what changed between two archives of a package: byte by byte, and in what the package declares that
// it runs. It unpacks nothing and runs nothing. Its receipt is advice: it approves no update and says of nothing that it is safe.
//
// Source: mcpm-contracts, `mcpm review-artifacts` (a version-1 receipt). Its profiles were not published.
package artifact

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/archive"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Receipt is the answer, schema version 1. Strangers' words in it are masked, made safe and cut.
type Receipt struct {
	SchemaVersion int `json:"schemaVersion"`
	// Advisory is always true: nothing is approved by this.
	Advisory bool   `json:"advisory"`
	Profile  string `json:"profile"`
	// Status is complete, incomplete, or unsupported where an archive is none that is read.
	Status       string       `json:"status"`
	Before       Side         `json:"before"`
	After        Side         `json:"after"`
	Inventory    Inventory    `json:"inventory"`
	Declarations Declarations `json:"declarations"`
	Faults       []Fault      `json:"faults"`
}

// Side is one archive. Digest is that of its bytes as they lie there, Bytes what its files hold together.
type Side struct {
	Path    string `json:"path"`
	Size    int    `json:"size"`
	Digest  string `json:"digest"`
	Gzip    bool   `json:"gzip"`
	Files   int    `json:"files"`
	Folders int    `json:"folders"`
	Bytes   int64  `json:"bytes"`
}

// Inventory is what differs. Complete says that both archives were read whole.
type Inventory struct {
	Complete  bool     `json:"complete"`
	Added     []File   `json:"added"`
	Removed   []File   `json:"removed"`
	Changed   []Change `json:"changed"`
	Unchanged int      `json:"unchanged"`
	// Unlisted is how many more differ than are listed.
	Unlisted int `json:"unlisted"`
}

// File is a file or a folder of an archive. Mode is octal.
type File struct {
	Path   string `json:"path"`
	Type   string `json:"type"` // file or folder
	Mode   string `json:"mode"`
	Size   int64  `json:"size"`
	Digest string `json:"digest"`
}

// Change is a path whose bytes, mode or type are not what they were. What says which: bytes, mode, type.
type Change struct {
	Path   string   `json:"path"`
	What   []string `json:"what"`
	Before File     `json:"before"`
	After  File     `json:"after"`
}

// Fault is why an archive, or an entry, could not be taken into account.
type Fault struct {
	Archive string `json:"archive"` // before or after
	Path    string `json:"path"`
	Reason  string `json:"reason"`
	Detail  string `json:"detail"`
}

// Input is an archive as it was read.
type Input struct {
	Shown string
	Raw   []byte
}

// Profiles are the kinds of packages whose declarations are known.
func Profiles() []string { return []string{"npm", "sdist", "files"} }

// Review compares two archives.
func Review(before, after Input, profile string, lim limits.Set) *Receipt {
	v := &review{lim: lim}
	r := &Receipt{SchemaVersion: 1, Advisory: true, Profile: profile, Status: "complete", Faults: []Fault{}}
	p := profileOf(profile)
	a, b := archive.Read(before.Raw, p.wants, lim), archive.Read(after.Raw, p.wants, lim)
	r.Before, r.After = v.side(before, a), v.side(after, b)
	for _, one := range []struct {
		name string
		*archive.Archive
	}{{"before", a}, {"after", b}} {
		for _, f := range one.Faults {
			r.Faults = append(r.Faults, Fault{one.name, v.words(f.Path), string(f.Reason), v.words(f.Detail)})
			if f.Reason == archive.Unsupported {
				r.Status = "unsupported"
			}
		}
	}
	r.Inventory = v.compare(a.Entries, b.Entries)
	r.Inventory.Complete = len(r.Faults) == 0 && r.Inventory.Unlisted == 0
	r.Declarations = v.declarations(p, a, b)
	if r.Status == "complete" && !(r.Inventory.Complete && r.Declarations.Complete) {
		r.Status = "incomplete"
	}
	return r
}

type review struct{ lim limits.Set }

func (v *review) words(s string) string { return text.Line(secret.Mask(s), v.lim.ShownRunes) }

// path is the name of an entry, whole: a receipt whose names are cut is none.
func (v *review) path(s string) string { return text.Line(secret.Mask(s), 0) }

func (v *review) side(in Input, a *archive.Archive) Side {
	s := Side{Path: v.words(in.Shown), Size: len(in.Raw), Digest: canon.Digest(in.Raw), Gzip: a.Gzip, Bytes: a.Bytes}
	for _, e := range a.Entries {
		if e.Folder {
			s.Folders++
		} else {
			s.Files++
		}
	}
	return s
}

func (v *review) file(e archive.Entry) File {
	f := File{Path: v.path(e.Path), Type: "file", Mode: fmt.Sprintf("%04o", e.Mode), Size: e.Size, Digest: e.Digest}
	if e.Folder {
		f.Type = "folder"
	}
	return f
}

// compare holds the entries of two archives against each other, by path. A folder counts where its mode changed, or where it
// stands for itself: those that only hold files come and go with them.
func (v *review) compare(before, after []archive.Entry) Inventory {
	inv := Inventory{Added: []File{}, Removed: []File{}, Changed: []Change{}}
	was := map[string]archive.Entry{}
	for _, e := range before {
		was[e.Path] = e
	}
	listed := func() bool {
		if len(inv.Added)+len(inv.Removed)+len(inv.Changed) < v.lim.ArchiveListed {
			return true
		}
		inv.Unlisted++
		return false
	}
	sorted := slices.Clone(after)
	slices.SortFunc(sorted, func(a, b archive.Entry) int { return cmp.Compare(a.Path, b.Path) })
	for _, e := range slices.CompactFunc(sorted, func(a, b archive.Entry) bool { return a.Path == b.Path }) {
		old, ok := was[e.Path]
		delete(was, e.Path)
		var what []string
		switch {
		case !ok:
			if listed() {
				inv.Added = append(inv.Added, v.file(e))
			}
			continue
		case old.Folder != e.Folder:
			what = append(what, "type")
		case old.Digest != e.Digest:
			what = append(what, "bytes")
		}
		if old.Mode != e.Mode {
			what = append(what, "mode")
		}
		if what == nil {
			inv.Unchanged++
		} else if listed() {
			inv.Changed = append(inv.Changed, Change{v.path(e.Path), what, v.file(old), v.file(e)})
		}
	}
	var gone []string
	for p := range was {
		gone = append(gone, p)
	}
	slices.Sort(gone)
	for _, p := range gone {
		if listed() {
			inv.Removed = append(inv.Removed, v.file(was[p]))
		}
	}
	return inv
}

// tree are the files of an archive, by path.
type tree struct {
	root  string // the one folder that holds everything, "" for none
	files map[string]archive.Entry
}

// plant makes a tree of entries. Its root is "" where there is not exactly one folder at the top.
func plant(entries []archive.Entry) tree {
	t := tree{files: map[string]archive.Entry{}}
	several := false
	for _, e := range entries {
		top, _, below := strings.Cut(e.Path, "/")
		switch {
		case !below && !e.Folder:
			several = true
		case t.root == "":
			t.root = top
		case t.root != top:
			several = true
		}
		if !e.Folder {
			t.files[e.Path] = e
		}
	}
	if several {
		t.root = ""
	}
	return t
}

// at is a file below the root.
func (t tree) at(rel string) (archive.Entry, bool) {
	e, ok := t.files[t.root+"/"+rel]
	return e, ok
}
