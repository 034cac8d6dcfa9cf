package report

import (
	"net/url"
	"path"
	"strings"
)

// placer turns the paths of a report into places of a repository.
//
// GitHub code scanning ignores uriBaseId, takes every relative URI from the root of the repository, and
// makes an absolute file: URI relative where it lies under the checkout (github/codeql-action#2215). So a
// file inside the repository is relative to its root, and any other file, the user's own configs first of
// all, is an absolute file: URI: a relative one would put the finding on a file of the repository.
type placer struct {
	root string // absolute, with "/", no slash at the end; "" when unknown
	abs  func(string) string
	// anonymous leaves the paths of this machine out.
	anonymous bool
}

func newPlacer(rep *Report, env Env) *placer {
	p := &placer{abs: env.Abs, anonymous: env.Deterministic}
	if p.abs == nil {
		p.abs = func(string) string { return "" }
	}
	for _, one := range rep.paths() {
		if env.GitRoot == nil {
			break
		}
		if abs := p.abs(one); abs != "" {
			if root, ok := env.GitRoot(abs); ok {
				p.root = slashed(root)
				return p
			}
		}
	}
	p.root = slashed(p.abs("."))
	return p
}

// paths are the distinct paths of the report that may be files, in its order.
func (rep *Report) paths() (all []string) {
	seen := map[string]bool{"": true}
	add := func(path string) {
		if !seen[path] {
			seen[path] = true
			all = append(all, path)
		}
	}
	for i := range rep.Findings {
		add(rep.Findings[i].Location.Path)
	}
	for i := range rep.Subjects {
		add(rep.Subjects[i].Path)
	}
	for _, x := range rep.notChecked() {
		add(x.path)
	}
	return all
}

// relative gives the path from the root of the repository, and whether the file lies in it.
func (p *placer) relative(name string) (rel string, inside bool) {
	if name == "" {
		return "", false
	}
	if abs := slashed(p.abs(name)); abs != "" && p.root != "" {
		if rel, ok := strings.CutPrefix(abs, strings.TrimSuffix(p.root, "/")+"/"); ok {
			return rel, true
		}
		return abs, false
	}
	name = slashed(name)
	outside := absolute(name) || name == "~" || strings.HasPrefix(name, "~/") || name == ".." || strings.HasPrefix(name, "../")
	return strings.TrimPrefix(name, "./"), !outside
}

// uri gives the URI of a file, and whether it is relative to the root of the repository.
func (p *placer) uri(name string) (uri string, inside bool) {
	rel, inside := p.relative(name)
	if inside {
		return escapePath(rel), true
	}
	if p.anonymous {
		rel = slashed(name)
	}
	return fileURI(rel), false
}

// rootURI is the folder that relative URIs start from, "" when it is unknown or not to be said.
func (p *placer) rootURI() string {
	if p.root == "" || p.anonymous {
		return ""
	}
	return strings.TrimSuffix(fileURI(p.root), "/") + "/"
}

// fileURI is file:///… of an absolute path; a home path that could not be resolved stays file:///~/….
func fileURI(abs string) string { return "file://" + escapePath(path.Clean("/"+abs)) }

func absolute(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':' && name[2] == '/'
}

// slashed writes a native path with "/": a backslash separates only where a drive or a share starts the path.
func slashed(name string) string {
	if len(name) > 2 && name[1] == ':' && name[2] == '\\' || strings.HasPrefix(name, `\\`) {
		return strings.ReplaceAll(name, `\`, "/")
	}
	return name
}

// escapePath percent-encodes every byte of a path that is not plain, and ":" too, which would make a scheme
// of the first segment.
func escapePath(name string) string {
	segments := strings.Split(name, "/")
	for i, s := range segments {
		s = strings.ReplaceAll(url.PathEscape(s), ":", "%3A")
		if i == 1 && segments[0] == "" && len(s) == len("C%3A") && strings.HasSuffix(s, "%3A") {
			s = s[:1] + ":" // a drive: file:///C:/…
		}
		segments[i] = s
	}
	return strings.Join(segments, "/")
}
