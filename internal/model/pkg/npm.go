package pkg

import (
	"encoding/json"
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

// object reads an answer that must be a JSON object.
func object(raw []byte, lim limits.Set) (source.Node, error) {
	lim.Depth = lim.DocumentDepth
	doc, err := source.Parse("answer", raw, source.JSON, lim)
	switch {
	case err != nil && wire.LooksLikeHTML(raw):
		return source.Node{}, errors.New("it is a web page, not JSON")
	case err != nil:
		return source.Node{}, fmt.Errorf("it is no JSON: %w", err)
	case !doc.Strict || doc.BadText.Len() > 0:
		return source.Node{}, errors.New("it is no strict JSON")
	case doc.Root().Kind() != source.Object:
		return source.Node{}, errors.New("it is no JSON object")
	}
	return doc.Root(), nil
}

// GoodNPM says that a name may be that of an npm package (validate-npm-package-name, with the old names that have capitals).
func GoodNPM(name string) bool {
	const longest = 214
	scope, base, scoped := strings.Cut(name, "/")
	if !scoped {
		base, scope = name, "@x"
	}
	plain := func(s string) bool {
		return s != "" && s[0] != '.' && s[0] != '_' && !strings.ContainsFunc(s, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._~", r))
		})
	}
	return len(name) <= longest && strings.HasPrefix(scope, "@") && plain(scope[1:]) && plain(base)
}

// NPMPackument is a package with all its versions.
type NPMPackument struct {
	Name     string
	Tags     map[string]string
	Versions []string
	root     source.Node
}

// ReadPackument reads a packument, whole or abbreviated (application/vnd.npm.install-v1+json).
func ReadPackument(raw []byte, name string, lim limits.Set) (*NPMPackument, error) {
	root, err := object(raw, lim)
	if err != nil {
		return nil, err
	}
	p := &NPMPackument{Name: root.Get("name").Text(), Tags: map[string]string{}, root: root}
	if p.Name != name {
		return nil, fmt.Errorf("it is about %q", wire.Excerpt([]byte(p.Name), lim))
	}
	for t := range root.Get("dist-tags").Children() {
		if v, ok := t.Str(); ok {
			p.Tags[t.Key()] = v
		}
	}
	for v := range root.Get("versions").Children() {
		if v.Kind() == source.Object {
			p.Versions = append(p.Versions, v.Key())
		}
	}
	return p, nil
}

// Pick is the version that want means: a tag, a version or a range. As npm does it, the version of the tag latest goes
// before higher ones that a range takes in too.
func (p *NPMPackument) Pick(want string) (string, error) {
	if want == "" {
		want = "latest"
	}
	if v, ok := p.Tags[want]; ok {
		if !slices.Contains(p.Versions, v) {
			return "", fmt.Errorf("the tag %s is %q, which is no version of it", want, v)
		}
		return v, nil
	}
	if latest := p.Tags["latest"]; slices.Contains(p.Versions, latest) {
		if v, err := Best(NPM, []string{latest}, want); err == nil {
			return v, nil
		}
	}
	return Best(NPM, p.Versions, want)
}

// Pin is what it says of one version.
func (p *NPMPackument) Pin(version string) (*Pin, error) {
	pin, err := npmPin(p.root.Get("versions").Get(version), p.Name, version)
	if err != nil {
		return nil, err
	}
	pin.Published, _ = time.Parse(time.RFC3339, p.root.Get("time").Get(version).Text())
	return pin, nil
}

// ReadNPMVersion reads the document of one version.
func ReadNPMVersion(raw []byte, name, version string, lim limits.Set) (*Pin, error) {
	root, err := object(raw, lim)
	if err != nil {
		return nil, err
	}
	return npmPin(root, name, version)
}

// IsNPMVersion says whether a package.json is that of one version. What can not be read may be.
func IsNPMVersion(raw []byte, name, version string, lim limits.Set) bool {
	root, err := object(raw, lim)
	return err != nil || root.Get("name").Text() == name && root.Get("version").Text() == version
}

// installScripts are those that npm runs when it installs a package from a registry.
var installScripts = [...]string{"preinstall", "install", "postinstall"}

func npmPin(n source.Node, name, version string) (*Pin, error) {
	if n.Get("name").Text() != name || n.Get("version").Text() != version {
		return nil, errors.New("it is about another package or version")
	}
	dist := n.Get("dist")
	p := &Pin{Type: NPM, Name: name, Version: version, Deprecated: n.Get("deprecated").Text(), Engines: map[string]string{}}
	if yes, ok := n.Get("deprecated").Bool(); ok && yes {
		p.Deprecated = "deprecated"
	}
	f := File{Name: name, URL: dist.Get("tarball").Text()}
	if s := dist.Get("integrity").Text(); s != "" {
		hashes, err := ParseSRI(s)
		if err != nil {
			return nil, fmt.Errorf("its integrity can not be read: %w", err)
		}
		f.Hashes = hashes
	}
	if h, err := Hex("sha1", dist.Get("shasum").Text()); err == nil {
		f.Hashes = append(f.Hashes, h)
	}
	if _, ok := Strongest(f.Hashes); !ok {
		return nil, &Unenforceable{"the registry knows its bytes by no digest that proves anything"}
	}
	for _, s := range installScripts {
		if n.Get("scripts").Get(s).Text() != "" {
			p.InstallScripts = append(p.InstallScripts, s)
		}
	}
	has := func(key string) bool { yes, ok := n.Get(key).Bool(); return yes && ok }
	if len(p.InstallScripts) == 0 && (has("hasInstallScript") || has("gypfile")) { // abbreviated, or node-gyp by itself
		p.InstallScripts = []string{"install"}
	}
	for e := range n.Get("engines").Children() {
		if s, ok := e.Str(); ok {
			p.Engines[e.Key()] = s
		}
	}
	p.Attestations = dist.Get("attestations").Get("url").Text()
	p.Predicate = dist.Get("attestations").Get("provenance").Get("predicateType").Text()
	f.Attestations = p.Attestations
	p.Files = []File{f}
	return p, nil
}

// NPMRC is what npm's settings say about where packages come from.
type NPMRC struct {
	// Registry is for all, Scopes for those of a scope ("@example"). Tokens are bearer tokens by "//host/path/".
	Registry string
	Scopes   map[string]string
	Tokens   map[string]string
	// Decides are the other settings by which npm may run other code than that of the package it was asked for, by name.
	Decides []string
}

// decides are settings of npm by which "npx NAME@VERSION" runs something else than what its registry has under that name:
// other files of settings, a cache or a folder with packages that are there already, packages and commands beside the one
// that is asked for, programs and options of node, and whom it trusts on the way to the registry.
var decides = []string{"ca", "cache", "cafile", "call", "git", "globalconfig", "http-proxy", "https-proxy", "node-gyp", "node-options", "nodedir", "offline",
	"package", "prefer-offline", "prefix", "proxy", "replace-registry-host", "script-shell", "shell", "strict-ssl", "userconfig"}

// ParseNPMRC reads an .npmrc as npm does (the format of the package ini): lines of key = value, in quotes or not, ";" and "#"
// beginning a comment, "[name]" a section that npm asks for nothing, "${NAME}" and "${NAME?}" standing for a variable. A
// token is taken only where env is given: a file that comes with a project must not send a user's variables anywhere, and
// where it has one in the name of a setting, nobody knows what it sets.
func ParseNPMRC(raw []byte, env func(string) string) NPMRC {
	rc := NPMRC{Scopes: map[string]string{}, Tokens: map[string]string{}}
	lines := strings.FieldsFunc(strings.TrimPrefix(string(raw), "\uFEFF"), func(r rune) bool { return r == '\n' || r == '\r' })
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == ';' || line[0] == '#' {
			continue
		}
		if line[0] == '[' && strings.IndexByte(line, ']') == len(line)-1 {
			break // all that follows is in one section or the other
		}
		key, value, ok := strings.Cut(line, "=")
		if key, value = unquote(key), unquote(value); env == nil && strings.Contains(key, "${") {
			rc.Decides = append(rc.Decides, key)
			continue
		}
		key, list := strings.CutSuffix(expand(key, env), "[]")
		scope, isScope := strings.CutSuffix(key, ":registry")
		isScope = isScope && strings.HasPrefix(scope, "@")
		switch value = expand(value, env); {
		case slices.Contains(decides, key), list && (key == "registry" || isScope): // of a list of registries npm takes one or the other
			rc.Decides = append(rc.Decides, key)
		case !ok:
		case key == "registry":
			rc.Registry = value
		case isScope:
			rc.Scopes[scope] = value
		case env != nil && strings.HasPrefix(key, "//") && strings.HasSuffix(key, ":_authToken"):
			rc.Tokens[strings.TrimSuffix(key, ":_authToken")] = value
		}
	}
	return rc
}

// unquote reads a word of an .npmrc: in quotes (those of JSON, or single ones), or up to a comment, with "\" before what
// is meant as it stands.
func unquote(word string) string {
	word = strings.TrimSpace(word)
	if n := len(word); n >= 2 && (word[0] == '"' || word[0] == '\'') && word[n-1] == word[0] {
		var said string
		switch inner := word[1 : n-1]; {
		case word[0] == '\'':
			word = inner
			fallthrough // a single quote may hold a word in double ones
		default:
			if json.Unmarshal([]byte(word), &said) == nil {
				return said
			}
		}
		return word
	}
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c == '\\' && i+1 < len(word) && strings.IndexByte(`\;#`, word[i+1]) >= 0:
			i++
			b.WriteByte(word[i])
		case c == ';' || c == '#':
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSpace(b.String())
}

// expand puts variables in their places, as npm does: one that is not set stays as it is written, or with a "?" behind its
// name is nothing.
func expand(value string, env func(string) string) string {
	if env == nil {
		return value
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(value, "${")
		name, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			b.WriteString(value)
			return b.String()
		}
		b.WriteString(before)
		name, may := strings.CutSuffix(name, "?")
		if v := env(name); v != "" || may {
			b.WriteString(v)
		} else {
			b.WriteString("${" + name + "}")
		}
		value = after
	}
}

// For is the registry of a package, "" where nothing says.
func (rc NPMRC) For(name string) string {
	if scope, _, ok := strings.Cut(name, "/"); ok && rc.Scopes[scope] != "" {
		return rc.Scopes[scope]
	}
	return rc.Registry
}

// Token is the token for a URL, "" for none: that of the longest path that the URL is below.
func (rc NPMRC) Token(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	at := "//" + u.Host + strings.TrimRight(u.EscapedPath(), "/") + "/"
	best := ""
	for path := range rc.Tokens {
		if strings.HasPrefix(at, strings.TrimRight(path, "/")+"/") && len(path) > len(best) {
			best = path
		}
	}
	return rc.Tokens[best]
}
