package launch

import "strings"

// specOf reads a package as its runner would. It gives false for what is fetched from nowhere: a local
// path, a file, or a name that is decided outside the line (${PACKAGE}).
func specOf(eco string, w word) (Package, bool) {
	p := Package{Ecosystem: eco, Spec: w.text, Arg: w.arg}
	p.Start, p.End = w.span()
	var ok bool
	switch t := w.text; {
	case t == "" || reference(t):
	case eco == "oci":
		ok = p.image()
	case local(t):
	case eco == "npm":
		ok = p.npm(t, true)
	case eco == "pypi":
		ok = p.pypi(t)
	case eco == "nuget":
		ok = p.split("@") && plainName(p.Name, ".-_")
	case eco == "go":
		ok = p.split("@") && strings.Contains(w.text, "@") && plainName(p.Name, ".-_~/")
	case eco == "deno":
		ok = p.deno()
	case eco == "nix":
		ok = p.flake()
	}
	return p, ok
}

// reference says whether s starts with something that is filled in elsewhere: ${X}, $X, %X%, {{x}}, <x>.
func reference(s string) bool {
	return strings.IndexByte("$<{", s[0]) >= 0 || s[0] == '%' && strings.IndexByte(s[1:], '%') > 0
}

// filled says whether a version is filled in elsewhere.
func filled(s string) bool {
	return strings.ContainsAny(s, "${") || strings.Count(s, "%") > 1
}

// local says whether s is a path, by the rules that npm and pip share.
func local(s string) bool {
	switch s[0] {
	case '.', '/', '\\', '~':
		return true
	case '@':
		return false
	}
	if DrivePath(s) || strings.HasPrefix(s, "file:") || strings.HasPrefix(s, "link:") {
		return true
	}
	if isURL(s) || strings.HasPrefix(s, "git") && strings.Contains(s, ":") {
		return false
	}
	for _, suffix := range [...]string{".tgz", ".tar.gz", ".tar", ".whl", ".zip", ".py"} {
		if strings.HasSuffix(s, suffix) {
			return true
		}
	}
	return strings.IndexByte(s, '\\') >= 0
}

// DrivePath says whether s starts like C:\ or C:/.
func DrivePath(s string) bool {
	return len(s) > 2 && letter(s[0]) && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
}

// isURL says whether s starts with http:// or https://, in any case.
func isURL(s string) bool {
	i := strings.Index(s, "://")
	return i > 0 && i <= len("https") && (strings.EqualFold(s[:i], "http") || strings.EqualFold(s[:i], "https"))
}

// plainName says whether s is a name of letters, digits and the further characters.
func plainName(s, further string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !letter(c) && !digit(c) && strings.IndexByte(further, c) < 0 {
			return false
		}
	}
	return s != ""
}

// split cuts Spec at the last separator into Name and Version.
func (p *Package) split(sep string) bool {
	p.Name = p.Spec
	if i := strings.LastIndex(p.Spec, sep); i > 0 {
		p.Name, p.Version = p.Spec[:i], p.Spec[i+len(sep):]
	}
	p.Pin = pinOf(p.Ecosystem, p.Version)
	return true
}

// npm reads an npm package argument (npm-package-arg): registry, alias, git, URL. What is in alias may
// not be an alias again.
func (p *Package) npm(t string, alias bool) bool {
	if t == "" {
		return false
	}
	if isGit(t) || strings.HasPrefix(t, "gist:") {
		return p.git(t)
	}
	if isURL(t) {
		return p.url(t)
	}
	p.Name, p.Version = t, ""
	if i := strings.IndexByte(t[1:], '@') + 1; i > 0 {
		p.Name, p.Version = t[:i], t[i+1:]
	}
	name := p.Name
	if name[0] == '@' {
		scope, rest, _ := strings.Cut(name[1:], "/")
		if !plainName(scope, "-_.~") || !plainName(rest, "-_.~") {
			return false
		}
	} else if i := strings.IndexByte(name, '/'); i >= 0 {
		owner, repo := name[:i], name[i+1:]
		if repo, _, _ = strings.Cut(repo, "#"); plainName(owner, "-_.") && plainName(repo, "-_.") {
			return p.git("github:" + t)
		}
		return false
	} else if !plainName(name, "-_.~") {
		return false
	}
	v := p.Version
	if exactVersion(v) {
		p.Pin = Exact
		return true
	}
	if target, ok := strings.CutPrefix(v, "npm:"); ok && alias && target != "" {
		return p.npm(target, false)
	}
	if v != "" && (isGit(v) || isURL(v)) {
		return p.npm(v, false)
	}
	if v != "" && local(v) && v[0] != '~' {
		return false
	}
	p.Pin = pinOf("npm", v)
	return true
}

// isGit says whether s names a git repository for npm or pip.
func isGit(s string) bool {
	if s == "" || s[0] != 'g' && s[0] != 'b' {
		return false
	}
	for _, prefix := range [...]string{"git+", "git:", "git@", "github:", "gitlab:", "bitbucket:"} {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}

// git reads a repository with npm's "#ref" or pip's "@ref" after the path.
func (p *Package) git(t string) bool {
	p.Ecosystem, p.Version = "git", ""
	rest, fragment, _ := strings.Cut(t, "#")
	if i := strings.Index(rest, "://"); i >= 0 {
		rest = rest[i+len("://"):]
	} else if host, path, ok := strings.Cut(rest, ":"); ok && !strings.Contains(host, "@") {
		rest = path // github:owner/repo
		switch host {
		case "github":
			rest = "github.com/" + path
		case "gitlab":
			rest = "gitlab.com/" + path
		case "bitbucket":
			rest = "bitbucket.org/" + path
		}
	}
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		host, path := rest[:i], rest[i:]
		if k := strings.LastIndexByte(path, '@'); k >= 0 {
			path, p.Version = path[:k], path[k+1:]
		}
		rest = host[strings.LastIndexByte(host, '@')+1:] + path
	}
	if fragment != "" && !strings.Contains(fragment, "=") { // pip's fragments are subdirectory= and egg=
		p.Version = fragment
	}
	p.Name = strings.TrimSuffix(rest, ".git")
	p.Pin = Branch
	if commit(p.Version) {
		p.Pin = Commit
	}
	return p.Name != ""
}

// commit says whether s is a full git commit id. A short one can be a branch's name.
func commit(s string) bool { return (len(s) == sha1Hex || len(s) == sha256Hex) && hexadecimal(s) }

// The lengths of SHA-1 and SHA-256 in hex.
const (
	sha1Hex   = 2 * 20
	sha256Hex = 2 * 32
)

func hexadecimal(s string) bool {
	for i := 0; i < len(s); i++ {
		if !digit(s[i]) && (s[i]|0x20 < 'a' || s[i]|0x20 > 'f') {
			return false
		}
	}
	return s != ""
}

// url reads an archive or script at a URL. Its content is pinned by a hash or a full commit, and by name
// when a version stands in its path.
func (p *Package) url(t string) bool {
	p.Ecosystem, p.Name = "url", t
	plain, fragment, _ := strings.Cut(t, "#")
	if i := strings.IndexByte(plain, '?'); i >= 0 {
		plain = plain[:i]
	}
	for _, part := range strings.FieldsFunc(plain, func(r rune) bool { return r == '/' || r == '@' }) {
		switch {
		case commit(part):
			p.Version, p.Pin = part, Commit
		case p.Pin == None && exactVersion(part):
			p.Version, p.Pin = part, Exact
		}
	}
	if sum, ok := strings.CutPrefix(fragment, "sha256="); ok && len(sum) == sha256Hex && hexadecimal(sum) {
		p.Version, p.Pin = sum, Digest
	}
	return true
}

// pypi reads a requirement (PEP 508), and uv's name@version.
func (p *Package) pypi(t string) bool {
	if strings.HasPrefix(t, "git+") {
		return p.git(t)
	}
	if isURL(t) {
		return p.url(t)
	}
	n := 0
	for n < len(t) && (letter(t[n]) || digit(t[n]) || strings.IndexByte("-_.", t[n]) >= 0) {
		n++
	}
	p.Name = t[:n]
	rest := strings.TrimSpace(t[n:])
	if strings.HasPrefix(rest, "[") {
		_, after, ok := strings.Cut(rest, "]")
		if !ok {
			return false
		}
		rest = strings.TrimSpace(after)
	}
	rest, _, _ = strings.Cut(rest, ";")
	rest = strings.TrimSpace(rest)
	if n == 0 || isPython(p.Name) {
		return false
	}
	if v, ok := strings.CutPrefix(rest, "@"); ok {
		v = strings.TrimSpace(v)
		if strings.HasPrefix(v, "git+") {
			return p.git(v)
		}
		if isURL(v) {
			return p.url(v)
		}
		if v != "" && local(v) {
			return false
		}
		p.Version, p.Pin = v, pinOf("pypi", v)
		return true
	}
	if rest == "" {
		return true
	}
	if strings.IndexByte("=<>~!(", rest[0]) < 0 {
		return false
	}
	p.Pin = Range
	for _, part := range strings.Split(strings.Trim(rest, "()"), ",") {
		v, ok := strings.CutPrefix(strings.TrimSpace(part), "==")
		if !ok {
			continue
		}
		v = strings.TrimSpace(strings.TrimPrefix(v, "="))
		if pin := pinOf("pypi", v); pin == Exact || p.Version == "" {
			p.Version, p.Pin = v, pin
		}
	}
	if p.Version == "" {
		p.Version = rest
	}
	return true
}

// isPython says whether uvx would start the interpreter instead of a package.
func isPython(s string) bool { return strings.TrimRight(s, ".0123456789") == "python" }

// deno reads what deno run takes: npm:, jsr:, a URL; all else is a local file.
func (p *Package) deno() bool {
	t := p.Spec
	if rest, ok := strings.CutPrefix(t, "npm:"); ok {
		p.Ecosystem = "npm"
		return p.npm(denoPackage(strings.TrimPrefix(rest, "/")), false)
	}
	if rest, ok := strings.CutPrefix(t, "jsr:"); ok {
		p.Ecosystem = "jsr"
		return p.npm(denoPackage(strings.TrimPrefix(rest, "/")), false)
	}
	if isURL(t) {
		return p.url(t)
	}
	return false
}

// denoPackage takes the export path off "@scope/name@1.2.3/path".
func denoPackage(s string) string {
	n := 1
	if strings.HasPrefix(s, "@") {
		n = 2
	}
	for i := 0; i < len(s); i++ {
		if s[i] == '/' {
			if n--; n == 0 {
				return s[:i]
			}
		}
	}
	return s
}

// flake reads the flake references that are git repositories; others name a registry of the machine.
func (p *Package) flake() bool {
	t, _, _ := strings.Cut(p.Spec, "#")
	if !isGit(t) {
		return false
	}
	t, query, _ := strings.Cut(t, "?")
	if strings.HasPrefix(t, "git+") {
		p.git(t)
	} else {
		parts := strings.SplitN(t, "/", 3)
		p.git(strings.Join(parts[:min(len(parts), 2)], "/"))
		if len(parts) > 2 {
			p.Version = parts[2]
		}
	}
	for _, kv := range strings.Split(query, "&") {
		if v, ok := strings.CutPrefix(kv, "rev="); ok {
			p.Version = v
		}
	}
	p.Pin = Branch
	if commit(p.Version) {
		p.Pin = Commit
	}
	return p.Name != ""
}

// image reads an image reference: [registry[:port]/]path[:tag][@digest].
func (p *Package) image() bool {
	t := p.Spec
	name, digest, pinned := strings.Cut(t, "@")
	tag := ""
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name, tag = name[:i], name[i+1:]
	}
	p.Name = name
	if !plainName(name, "-_./:") || name[0] == '.' || name[0] == '/' {
		return false
	}
	p.Version, p.Pin = tag, pinOf("oci", tag)
	if pinned {
		p.Version = digest
		if algorithm, sum, ok := strings.Cut(digest, ":"); ok && plainName(algorithm, "+._-") && len(sum) >= sha256Hex && hexadecimal(sum) {
			p.Pin = Digest
		}
	}
	return true
}

// pinOf says how firmly a version pins a package.
func pinOf(eco, v string) Pin {
	switch {
	case v == "":
		return None
	case filled(v):
		return Range
	case eco == "pypi":
		if strings.Contains(v, "*") {
			return Range
		}
		if numbered(v) {
			return Exact // PEP 440: ==1 is 1, 1.0, 1.0.0 and nothing else
		}
		return Tag
	case eco == "nuget":
		if strings.Contains(v, "*") || strings.ContainsAny(v, "[(,") && (v[0] != '[' || strings.Contains(v, ",")) {
			return Range
		}
		if v[0] != '[' && !numbered(v) {
			return Tag
		}
		return Exact
	case eco == "go":
		switch {
		case commit(v):
			return Commit
		case v[0] == 'v' && exactVersion(v):
			return Exact
		case v[0] == 'v' && numbered(v), strings.IndexByte("<>", v[0]) >= 0:
			return Range
		case v == "latest" || v == "upgrade" || v == "patch":
			return Tag
		}
		return Branch
	case eco == "oci":
		return tagPin(v)
	}
	if exactVersion(strings.TrimPrefix(v, "=")) {
		return Exact
	}
	if strings.ContainsAny(v, "^~<>=*| ") || v == "x" || v == "X" || numbered(v) {
		return Range
	}
	return Tag
}

// numbered says whether v starts with a number, after a "v" or not.
func numbered(v string) bool {
	v = strings.TrimPrefix(v, "v")
	return v != "" && digit(v[0])
}

// releaseParts is how many numbers a full version has.
const releaseParts = 3

// tagPin reads an image's tag: three numbers are a release, fewer move with each release, words always.
func tagPin(t string) Pin {
	if sum, ok := strings.CutPrefix(t, "sha-"); ok && hexadecimal(sum) {
		return Exact
	}
	number := strings.TrimPrefix(t, "v")
	if number == "" || !digit(number[0]) {
		return Tag
	}
	for i := 0; i < len(number); i++ { // 1.2.3-alpine, 2026-01-31
		if number[i] == '-' && i > 0 && i+1 < len(number) && !digit(number[i+1]) {
			number = number[:i]
			break
		}
	}
	if len(strings.FieldsFunc(number, func(r rune) bool { return r == '.' || r == '-' })) >= releaseParts {
		return Exact
	}
	return Range
}

// exactVersion says whether v is a full version: [v]1.2.3[-pre][+build] (semver 2.0).
func exactVersion(v string) bool {
	v = strings.TrimPrefix(strings.TrimSpace(v), "v")
	dots, i := 0, 0
	for start := 0; i < len(v); i++ {
		if v[i] == '.' && i > start {
			dots, start = dots+1, i+1
		} else if !digit(v[i]) {
			break
		}
	}
	if dots+1 != releaseParts || !digit(v[i-1]) {
		return false
	}
	v, build, hasBuild := strings.Cut(v[i:], "+")
	pre, hasPre := strings.CutPrefix(v, "-")
	return hasPre == (v != "") && (!hasPre || plainName(pre, "-.")) && (!hasBuild || plainName(build, "-."))
}
