// Package manifest is server.json, with which a publisher describes a server to the MCP registry, and what lies beside it in
// a repository: the packages that it names, and their proof of who owns them. What the registry asks of it is data here, by
// the date of its schema (shape.go) and by the type of its packages (facts.go).
//
// The facts are those of the registry's schemas 2025-07-09 to 2025-12-11 and of its own checks (version 1.8.9).
package manifest

import (
	"bytes"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// FileName is the name of the file.
const FileName = "server.json"

// The members of _meta: what the publisher may say, and what the registry alone says.
const (
	PublisherMeta = "io.modelcontextprotocol.registry/publisher-provided"
	OfficialMeta  = "io.modelcontextprotocol.registry/official"
)

// File is one manifest.
type File struct {
	// Path is the name that reports show, Abs the absolute one.
	Path, Abs string
	// Subject is the id by which findings name it.
	Subject string
	Doc     *source.Doc
	// Schema is the member $schema; Revision is what it says, Unsaid or Unknown where that is none that is known.
	Schema   source.Node
	Revision Revision
	// Beside are the folders in which its packages may be made: its own, and the one that it names.
	Beside []Folder
}

// Folder is what was found in one folder. Nil is what is not there.
type Folder struct {
	// Package is package.json, Project pyproject.toml.
	Package, Project *source.Doc
	// Readme is what package registries show, Image the Dockerfile.
	Readme, Image *Text
}

// Text is a file that is read as words.
type Text struct {
	Path string
	Raw  []byte
}

// Root is the manifest itself.
func (f *File) Root() source.Node { return f.Doc.Root() }

// Judged is the revision that it is held against: its own, or the current one where it names none that is known.
func (f *File) Judged() Revision {
	if f.Revision < first {
		return Current
	}
	return f.Revision
}

// Get is a member by the name that the manifest's revision has for it. Names are those of the current one.
func (f *File) Get(n source.Node, name string) source.Node {
	if v := n.Get(name); v.Valid() || f.Judged() >= camel {
		return v
	}
	return n.Get(snake(name))
}

// Items are the objects of a list.
func (f *File) Items(n source.Node, name string) (all []source.Node) {
	for c := range f.Get(n, name).Children() {
		if c.Kind() == source.Object {
			all = append(all, c)
		}
	}
	return all
}

// Packages are the entries of packages, Remotes those of remotes.
func (f *File) Packages() []source.Node { return f.Items(f.Root(), "packages") }

// Remotes are the servers that run elsewhere.
func (f *File) Remotes() []source.Node { return f.Items(f.Root(), "remotes") }

// Type is the type of a package, in the registry's spelling.
func (f *File) Type(p source.Node) string { return f.Get(p, "registryType").Text() }

// Open makes a manifest of a document; nil where it is none.
func Open(shown, abs string, doc *source.Doc) *File {
	if doc == nil || !looks(path.Base(strings.ReplaceAll(shown, `\`, "/")), doc) {
		return nil
	}
	f := &File{Path: shown, Abs: abs, Doc: doc, Schema: doc.Root().Get("$schema")}
	f.Revision = revisionOf(f.Schema)
	return f
}

// looks says whether a document is a manifest: by its $schema, or by its name and what it holds.
func looks(name string, doc *source.Doc) bool {
	root := doc.Root()
	if doc.Format != source.JSON || root.Kind() != source.Object {
		return false
	}
	if s := root.Get("$schema").Text(); strings.Contains(s, "modelcontextprotocol") && strings.HasSuffix(s, "/"+schemaFile) {
		return true
	}
	if name != FileName {
		return false
	}
	said := 0
	for _, key := range []string{"name", "description", "version", "packages", "remotes", "repository"} {
		if root.Get(key).Valid() {
			said++
		}
	}
	return said > 2 && !root.Get("mcpServers").Valid() && !root.Get("servers").Valid()
}

// MayBe says whether bytes that can not be read may have been meant as a manifest.
func MayBe(name string, raw []byte, lim limits.Set) bool {
	return path.Base(strings.ReplaceAll(name, `\`, "/")) == FileName && bytes.Contains(raw[:min(len(raw), lim.ManifestHead)], []byte("modelcontextprotocol"))
}

var goodSubfolder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_./-]+$`) })

// Subfolder is the folder below the manifest's own in which it says its package is made, "" for none that can be one.
func (f *File) Subfolder() string {
	s := f.Root().Get("repository").Get("subfolder").Text()
	if !GoodSubfolder(s) {
		return ""
	}
	return s
}

// GoodSubfolder says whether a path is relative, clean and leads down.
func GoodSubfolder(s string) bool {
	return s != "" && s[0] != '/' && path.Clean(s) == s && s != "." && s != ".." && !strings.HasPrefix(s, "../") && goodSubfolder().MatchString(s)
}

// Proves says whether a text holds the mark of a server, "mcp-name: NAME", as a word of its own.
func Proves(raw []byte, name string) bool {
	mark := []byte("mcp-name: " + name)
	for rest := raw; ; {
		i := bytes.Index(rest, mark)
		if i < 0 {
			return false
		}
		if rest = rest[i+len(mark):]; ends(rest) {
			return true
		}
	}
}

// ends says whether a name ends where rest begins: another character of a name would make it another's.
func ends(rest []byte) bool {
	if len(rest) == 0 || bytes.HasPrefix(rest, []byte("-->")) {
		return true
	}
	c := rest[0]
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '<'
}

// Claimed is the name that a text claims by a mark, "" for none.
func Claimed(raw []byte) string {
	_, rest, ok := bytes.Cut(raw, []byte("mcp-name:"))
	if !ok {
		return ""
	}
	rest = bytes.TrimLeft(rest[:min(len(rest), longestClaim)], " \t")
	if i := bytes.IndexAny(rest, " \t\r\n<\""); i >= 0 {
		rest = rest[:i]
	}
	return strings.TrimSuffix(string(rest), "-->")
}

// longestClaim is longer than any name that a server may have.
const longestClaim = 256

// Label is the label by which an image says whose it is.
const Label = "io.modelcontextprotocol.server.name"

var labelled = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:^[ \t]*LABEL[ \t]+|^[ \t]+|[ \t"])"?` + regexp.QuoteMeta(Label) + `"?[ \t]*[= \t][ \t]*"?([^"\s\\]+)`)
})

// Labelled is the name of the server that a Dockerfile's label gives; ok says that there is such a label.
func Labelled(raw []byte) (name string, ok bool) {
	for line := range bytes.Lines(raw) {
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
			continue
		}
		if m := labelled().FindSubmatch(line); m != nil {
			return string(m[1]), true
		}
	}
	return "", false
}

// Inputs are the paths of the manifest and of what was read beside it.
func (f *File) Inputs() []string {
	all := []string{f.Abs}
	for _, b := range f.Beside {
		for _, d := range []*source.Doc{b.Package, b.Project} {
			if d != nil {
				all = append(all, f.near(d.Path))
			}
		}
		for _, t := range []*Text{b.Readme, b.Image} {
			if t != nil {
				all = append(all, f.near(t.Path))
			}
		}
	}
	return all
}

// near is the absolute path of a file beside, which is shown as the manifest is.
func (f *File) near(shown string) string {
	rel := strings.TrimPrefix(strings.TrimPrefix(shown, path.Dir(f.Path)), "/")
	return filepath.Join(filepath.Dir(f.Abs), filepath.FromSlash(rel))
}

// ReadmeOf is the file that pyproject.toml names as its README, "" for none below its folder.
func ReadmeOf(project *source.Doc) string {
	if project == nil {
		return ""
	}
	n := project.Root().Get("project").Get("readme")
	name := n.Text()
	if n.Kind() == source.Object {
		name = n.Get("file").Text()
	}
	if !GoodSubfolder(name) {
		return ""
	}
	return name
}

// Made is a package that a folder makes: what it calls itself, and its version. Version is invalid where it is made elsewhere.
type Made struct {
	Name, Version source.Node
	Folder        *Folder
}

// Made finds the folder that makes a package of the manifest; nil for none that is known here.
func (f *File) Made(p source.Node) *Made {
	id := f.Get(p, "identifier").Text()
	for i := range f.Beside {
		b := &f.Beside[i]
		switch f.Type(p) {
		case "npm":
			if b.Package == nil {
				continue
			}
			if n := b.Package.Root().Get("name"); n.Text() == id && id != "" {
				return &Made{Name: n, Version: b.Package.Root().Get("version"), Folder: b}
			}
		case "pypi":
			if b.Project == nil {
				continue
			}
			for _, table := range []source.Node{b.Project.Root().Get("project"), b.Project.Root().Get("tool").Get("poetry")} {
				if n := table.Get("name"); id != "" && pythonName(n.Text()) == pythonName(id) {
					return &Made{Name: n, Version: table.Get("version"), Folder: b}
				}
			}
		}
	}
	return nil
}

// pythonName is a name as PEP 503 compares it.
func pythonName(s string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '_' || r == '.' }), "-"))
}

// Modern is the manifest with the names of the current schema; itself where it has those.
func (f *File) Modern(lim limits.Set) (source.Node, error) {
	if f.Judged() >= camel {
		return f.Root(), nil
	}
	var edits []finding.Edit
	for n := range f.Doc.Nodes() {
		if name := renamed()[n.Key()]; n.IsMember() && name != "" {
			at := n.KeySpan()
			edits = append(edits, finding.Edit{Offset: at.Start, Length: at.Len(), Text: source.Quote(name)})
		}
	}
	raw, err := source.Apply(f.Doc.Raw, edits)
	if err != nil {
		return source.Node{}, err
	}
	doc, err := source.Parse(f.Path, raw, source.JSON, lim)
	if err != nil {
		return source.Node{}, err
	}
	return doc.Root(), nil
}

// Find is the value at a pointer that has the names of the current schema; the nearest value around it where there is none.
func (f *File) Find(pointer string) source.Node {
	n := f.Root()
	for _, part := range source.PointerParts(pointer) {
		next := f.Get(n, part)
		if n.Kind() == source.Array {
			next = f.Doc.Lookup(n.Pointer() + "/" + part)
		}
		if !next.Valid() {
			break
		}
		n = next
	}
	return n
}
