// Package scope takes stock of what the files of one project give a client: a fixed list of places, each there or not, with
// the digest of what is. It reads, judges nothing, and keeps apart what it does not know: settings of the user, policies,
// profiles, what is running.
//
// Source: mcpm-contracts, `mcpm scope` (a version-1 model that the client discriminates). Its list of places was not published.
package scope

import (
	"errors"
	"path"
	"path/filepath"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Disk is what an inventory needs of the file system.
type Disk interface {
	load.Disk
	IsDir(path string) bool
	// List gives the files of a folder and below, with slashes and below it, in their order; follows no link. What could not be
	// looked at is given with its refusal. all is false where there are more.
	List(dir, base string, most int) (found []Entry, all bool)
}

// Entry is one file of a folder, or a place that could not be looked at.
type Entry struct {
	Rel     string
	Refusal *load.Refusal
}

// Report is the inventory, schema version 1. Names of strangers in it are masked, made safe and cut.
type Report struct {
	SchemaVersion int    `json:"schemaVersion"`
	Client        string `json:"client"`
	Root          string `json:"root"`
	// Complete says that every place of the list was looked at, and all that is there could be read.
	Complete   bool    `json:"complete"`
	Candidates []Place `json:"candidates"`
	Coverage   Cover   `json:"coverage"`
}

// Cover is how far an inventory goes: complete or incomplete for the places of the list, and what no file of a project says. That
// stays unknown, whatever the exit code.
type Cover struct {
	ProjectFiles string `json:"projectFiles"`
	Unknown      []Gap  `json:"unknown"`
}

// Gap is a part of what a client has that is not known, and why.
type Gap struct {
	Part string `json:"part"`
	Why  string `json:"why"`
}

// Place is one place of the list. State is present, absent, or unreadable; Parsed says whether a file that has a format is one of
// it: yes, no, or not-parsed for words.
type Place struct {
	Path   string `json:"path"`
	Kind   Kind   `json:"kind"`
	Type   string `json:"type"` // file or folder
	State  string `json:"state"`
	Detail string `json:"detail,omitempty"`
	Size   int    `json:"size"`
	Digest string `json:"digest"`
	Parsed string `json:"parsed"`
	// Servers are those that a file names, Members the names of what stands in a settings file at its top.
	Servers []Server `json:"servers"`
	Members []string `json:"members"`
	Files   []File   `json:"files"`
}

// Server is a server that a file names.
type Server struct {
	Name      string `json:"name"`
	Transport string `json:"transport"`
	Disabled  bool   `json:"disabled"`
}

// File is a file in a folder of the list.
type File struct {
	Path   string `json:"path"`
	Size   int    `json:"size"`
	Digest string `json:"digest"`
}

// Clients are those of whose projects there is a list, the default first.
func Clients() []string { return []string{"claude-code", "vscode"} }

// Take takes stock. id is one of Clients; root is an absolute folder, shown the way in which it is printed.
func Take(d Disk, id, root, shown string, lim limits.Set) (*Report, error) {
	list := map[string][]candidate{"claude-code": claudeCode, "vscode": vscode}[id]
	if list == nil {
		return nil, errors.New("there is no list of the places of " + id)
	}
	if !d.IsDir(root) {
		return nil, errors.New("it is no folder")
	}
	t := &taker{disk: d, root: root, lim: lim}
	r := &Report{SchemaVersion: 1, Client: id, Root: t.words(shown), Complete: true, Candidates: []Place{}, Coverage: Cover{ProjectFiles: "complete", Unknown: unknown[id]}}
	for _, c := range list {
		p := t.place(c)
		if p.State == "unreadable" || p.Parsed == "no" || p.Detail != "" {
			r.Complete, r.Coverage.ProjectFiles = false, "incomplete"
		}
		r.Candidates = append(r.Candidates, p)
	}
	return r, nil
}

type taker struct {
	disk  Disk
	root  string
	lim   limits.Set
	files int // of folders, so far
}

func (t *taker) words(s string) string { return text.Line(secret.Mask(s), t.lim.ShownRunes) }

func (t *taker) place(c candidate) Place {
	p := Place{Path: c.path, Kind: c.kind, Type: "file", State: "absent", Parsed: "not-parsed", Servers: []Server{}, Members: []string{}, Files: []File{}}
	if c.folder {
		p.Type = "folder"
		t.folder(&p)
		return p
	}
	content, err := t.disk.Read(t.abs(c.path), t.lim.FoundBytes, t.root)
	if err != nil {
		t.refuse(&p, err)
		return p
	}
	p.State, p.Size, p.Digest = "present", len(content.Bytes), canon.Digest(content.Bytes)
	if c.format != "" {
		t.parse(&p, c, content.Bytes)
	}
	return p
}

func (t *taker) abs(rel string) string { return filepath.Join(t.root, filepath.FromSlash(rel)) }

// refuse sorts what could not be read: what is not there is absent, all else is not known.
func (t *taker) refuse(p *Place, err error) {
	r := &load.Refusal{Reason: "unreadable", Detail: err.Error()}
	errors.As(err, &r)
	if r.Reason == "missing" {
		return
	}
	p.State, p.Detail = "unreadable", t.words(r.Reason+": "+r.Detail)
}

func (t *taker) parse(p *Place, c candidate, raw []byte) {
	p.Parsed = "yes"
	f := client.Identify(client.Where{Path: c.path, Abs: t.abs(c.path), Root: t.root})
	if c.kind == Servers {
		f.Load(raw, t.lim)
		if f.Err != nil {
			p.Parsed, p.Detail = "no", t.words(f.Err.Error())
			return
		}
		for _, s := range f.Servers {
			if len(p.Servers) == t.lim.ShownFaults {
				p.Detail = text.Count(len(f.Servers), "server") + ", and not all are listed"
				break
			}
			p.Servers = append(p.Servers, Server{Name: t.words(s.Display()), Transport: string(s.Transport), Disabled: s.Disabled})
		}
		if !f.Doc.Strict && c.format == "json" {
			p.Parsed, p.Detail = "no", "it holds comments or trailing commas, which this client does not read"
		}
		return
	}
	doc, err := source.Parse(c.path, raw, source.JSON, t.lim)
	switch {
	case err != nil:
		p.Parsed, p.Detail = "no", t.words(err.Error())
		return
	case doc.Root().Kind() != source.Object:
		p.Parsed, p.Detail = "no", "it is "+doc.Root().Kind().String()+", not an object"
		return
	case !doc.Strict && c.format == "json":
		p.Parsed, p.Detail = "no", "it holds comments or trailing commas, which this client does not read"
		return
	}
	for m := range doc.Root().Children() {
		if len(p.Members) == t.lim.ShownFaults {
			p.Detail = text.Count(doc.Root().Len(), "member") + ", and not all are listed"
			break
		}
		p.Members = append(p.Members, t.words(m.Key()))
	}
}

// folder takes the files of a folder. So many are looked at in all places together: what is beyond is said.
func (t *taker) folder(p *Place) {
	found, all := t.disk.List(t.abs(p.Path), t.root, t.lim.ScopeFiles-t.files)
	if !all {
		p.Detail = "there are more files than are looked at"
	}
	for _, e := range found {
		if e.Refusal != nil {
			if e.Rel == "" && e.Refusal.Reason == "missing" {
				return
			}
			p.Detail = t.words(path.Join(p.Path, e.Rel) + ": " + e.Refusal.Reason + ": " + e.Refusal.Detail)
			if e.Rel == "" {
				p.State = "unreadable"
				return
			}
			p.State = "present"
			continue
		}
		p.State = "present"
		t.files++
		content, err := t.disk.Read(t.abs(path.Join(p.Path, e.Rel)), t.lim.FoundBytes, t.root)
		if err != nil {
			p.Detail = t.words(path.Join(p.Path, e.Rel) + ": " + err.Error())
			continue
		}
		p.Size += len(content.Bytes)
		p.Files = append(p.Files, File{Path: t.words(path.Join(p.Path, e.Rel)), Size: len(content.Bytes), Digest: canon.Digest(content.Bytes)})
	}
	if found == nil && all {
		p.State = "present" // an empty folder
	}
}
