package load

import (
	"path"
	"path/filepath"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// takeManifest takes a server.json, and reads what lies beside it. A file that could not be parsed and was meant as one is
// incomplete; its Doc stays nil.
func (s *Set) takeManifest(f *client.File, a Ask, raw []byte) bool {
	if f.Doc == nil {
		if f.Err == nil || !manifest.MayBe(f.Path, raw, s.limits) {
			return false
		}
		s.Incomplete = append(s.Incomplete, finding.Incomplete{Path: f.Path, Cause: f.Err.Cause, Detail: text.Safe(f.Err.Error(), s.limits.ShownRunes)})
		return true
	}
	m := manifest.Open(f.Path, f.Abs, f.Doc)
	if m == nil {
		return false
	}
	if a.Where.Path != "-" && s.disk != nil { // a text that somebody gave lies nowhere
		s.beside(m, a)
	}
	s.Manifests = append(s.Manifests, m)
	return true
}

// beside reads the files that say something of a manifest's packages, in its own folder and in the one that it names.
func (s *Set) beside(m *manifest.File, a Ask) {
	folders := []string{""}
	if sub := m.Subfolder(); sub != "" {
		folders = append(folders, sub)
	}
	for _, folder := range folders {
		var f manifest.Folder
		f.Package = s.document(m, a, folder, "package.json", source.JSON)
		f.Project = s.document(m, a, folder, "pyproject.toml", source.TOML)
		readmes := []string{"README.md", "README.rst", "README.txt", "README", "readme.md", "Readme.md"}
		if named := manifest.ReadmeOf(f.Project); named != "" {
			readmes = []string{named}
		}
		f.Readme = s.words(m, a, folder, readmes...)
		f.Image = s.words(m, a, folder, "Dockerfile", "Containerfile")
		m.Beside = append(m.Beside, f)
	}
}

// document reads and parses one file beside a manifest, nil where there is none. One that can not be read is listed.
func (s *Set) document(m *manifest.File, a Ask, folder, name string, format source.Format) *source.Doc {
	t := s.words(m, a, folder, name)
	if t == nil {
		return nil
	}
	doc, err := source.Parse(t.Path, t.Raw, format, s.limits)
	if err != nil {
		s.Incomplete = append(s.Incomplete, finding.Incomplete{Path: t.Path, Cause: "syntax", Detail: text.Safe(err.Error(), s.limits.ShownRunes)})
		return nil
	}
	return doc
}

// words reads the first file that is there.
func (s *Set) words(m *manifest.File, a Ask, folder string, names ...string) *manifest.Text {
	dir := filepath.Dir(m.Abs)
	for _, name := range names {
		rel := path.Join(folder, name)
		shown := path.Join(path.Dir(m.Path), rel)
		base := a.Base
		if base == "" {
			base = dir // a link of a stranger's repository is not followed out of it
		}
		content, err := s.disk.Read(filepath.Join(dir, filepath.FromSlash(rel)), s.limits.FoundBytes, base)
		if err == nil {
			return &manifest.Text{Path: shown, Raw: content.Bytes}
		}
		r := refusalOf(err)
		if r.Reason == "missing" || r.Reason == "not-regular" {
			continue
		}
		s.LeaveOut(shown, Ask{Hint: a.Hint}, r)
		return nil
	}
	return nil
}
