package pkg

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// PyPIName is a project's name as indexes write it (PEP 503); ok is false for what is no name (PEP 508).
func PyPIName(name string) (normal string, ok bool) {
	mark := func(r rune) bool { return r == '-' || r == '_' || r == '.' }
	var b strings.Builder
	was := false
	for i, r := range strings.ToLower(name) {
		switch {
		case mark(r):
			if i == 0 {
				return "", false
			}
			if !was {
				b.WriteByte('-')
			}
			was = true
			continue
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		default:
			return "", false
		}
		was = false
	}
	return b.String(), b.Len() > 0 && !was && len(name) <= longestVersion
}

// PyPIProject is a project of an index (PEP 691: the simple API in JSON).
type PyPIProject struct {
	Name     string
	Versions []string
	files    []pypiFile
}

type pypiFile struct {
	File
	version  string
	requires string
	uploaded time.Time
	yanked   bool
	reason   string
	bad      error
}

// ReadPyPI reads what an index says of a project. at is the URL that it was asked at: files may be named relative to it.
func ReadPyPI(raw []byte, name, at string, lim limits.Set) (*PyPIProject, error) {
	root, err := object(raw, lim)
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(at)
	if err != nil {
		return nil, errors.New("its address can not be read")
	}
	if is, _ := PyPIName(root.Get("name").Text()); is != name {
		return nil, fmt.Errorf("it is about %q", wire.Excerpt([]byte(root.Get("name").Text()), lim))
	}
	if root.Get("files").Kind() != source.Array {
		return nil, errors.New("it lists no files")
	}
	p := &PyPIProject{Name: name}
	for n := range root.Get("files").Children() {
		f := pypiFile{File: File{Name: n.Get("filename").Text(), Attestations: n.Get("provenance").Text()}, requires: n.Get("requires-python").Text()}
		if f.version = pypiVersion(f.Name, name); f.version == "" {
			continue // an egg, an installer: nothing that is installed today
		}
		if u, err := base.Parse(n.Get("url").Text()); err == nil {
			u.Fragment = ""
			f.URL = u.String()
		}
		f.uploaded, _ = time.Parse(time.RFC3339, n.Get("upload-time").Text())
		switch y := n.Get("yanked"); y.Kind() {
		case source.String:
			f.yanked, f.reason = true, y.Text()
		case source.Bool:
			f.yanked, _ = y.Bool()
		}
		for h := range n.Get("hashes").Children() {
			digest, err := Hex(strings.ToLower(h.Key()), h.Text())
			if err == nil {
				f.Hashes = append(f.Hashes, digest)
			} else if strings.EqualFold(h.Key(), "sha256") {
				f.bad = fmt.Errorf("%s: %w", f.Name, err)
			}
		}
		p.files = append(p.files, f)
	}
	for v := range root.Get("versions").Children() { // PEP 700
		if s, ok := v.Str(); ok {
			p.Versions = append(p.Versions, s)
		}
	}
	if len(p.Versions) == 0 {
		seen := map[string]bool{}
		for _, f := range p.files {
			if !seen[f.version] {
				seen[f.version] = true
				p.Versions = append(p.Versions, f.version)
			}
		}
	}
	return p, nil
}

// pypiVersion is the version in the name of a wheel or of a source archive of a project, "" for another file.
func pypiVersion(file, project string) string {
	if stem, ok := strings.CutSuffix(file, ".whl"); ok { // name-version(-build)-python-abi-platform, names without "-"
		parts := strings.Split(stem, "-")
		if name, _ := PyPIName(parts[0]); len(parts) < 5 || name != project {
			return ""
		}
		return parts[1]
	}
	for _, suffix := range []string{".tar.gz", ".zip"} {
		stem, ok := strings.CutSuffix(file, suffix)
		if !ok {
			continue
		}
		for i := strings.IndexByte(stem, '-'); i > 0; { // old names of archives hold "-" too
			if name, _ := PyPIName(stem[:i]); name == project {
				return stem[i+1:]
			}
			next := strings.IndexByte(stem[i+1:], '-')
			if next < 0 {
				break
			}
			i += 1 + next
		}
	}
	return ""
}

// Pin is what the index says of one version: every file of it that may be installed, each with its SHA-256.
func (p *PyPIProject) Pin(version string) (*Pin, error) {
	pin := &Pin{Type: PyPI, Name: p.Name, Version: version, Yanked: true, Engines: map[string]string{}}
	attested := 0
	for _, f := range p.files {
		if f.version != version && Compare(PyPI, f.version, version) != 0 || strings.Contains(f.version, "+") != strings.Contains(version, "+") {
			continue
		}
		if f.bad != nil {
			return nil, f.bad
		}
		if _, ok := Strongest(f.Hashes); !ok {
			return nil, &Unenforceable{"the index knows " + f.Name + " by no digest that proves anything"}
		}
		pin.Files = append(pin.Files, f.File)
		pin.Yanked = pin.Yanked && f.yanked
		if f.yanked && f.reason != "" {
			pin.Deprecated = f.reason
		}
		if f.requires != "" {
			pin.Engines["python"] = f.requires
		}
		if pin.Published.IsZero() || !f.uploaded.IsZero() && f.uploaded.Before(pin.Published) {
			pin.Published = f.uploaded
		}
		if f.Attestations != "" {
			attested++
			pin.Attestations = f.Attestations
		}
	}
	if len(pin.Files) == 0 {
		return nil, ErrNone
	}
	if attested < len(pin.Files) { // an installer takes any of them
		pin.Attestations = ""
	}
	return pin, nil
}

// Pick is the version that want means. A version of which all files are yanked is chosen only by its name (PEP 592).
func (p *PyPIProject) Pick(want string) (string, error) {
	var live []string
	for _, v := range p.Versions {
		if pin, err := p.Pin(v); err == nil && pin.Yanked {
			continue
		}
		live = append(live, v)
	}
	if slices.Contains(p.Versions, want) {
		return want, nil
	}
	v, err := Best(PyPI, live, want)
	if exact := strings.TrimPrefix(want, "=="); errors.Is(err, ErrNone) && (exact != want || strings.HasPrefix(want, "===")) && IsVersion(PyPI, exact) {
		return Best(PyPI, p.Versions, want)
	}
	return v, err
}
