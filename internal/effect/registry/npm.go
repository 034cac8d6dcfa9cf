package registry

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// npmSettings are the .npmrc files that count.
type npmSettings struct {
	project, user pkg.NPMRC
	// unread is why one of them could not be read: npm may read more of it than we do.
	unread error
}

// settings reads the user's .npmrc and, without its tokens, the project's.
func (p *Packages) settings() *npmSettings {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rc != nil {
		return p.rc
	}
	p.rc = &npmSettings{}
	read := func(path string, env func(string) string) pkg.NPMRC {
		raw, err := p.ReadFile(path)
		if r := files.ReasonOf(err); err != nil && r != files.Missing && r != files.DanglingLink && !errors.Is(err, fs.ErrNotExist) {
			p.rc.unread = err
		}
		return pkg.ParseNPMRC(raw, env)
	}
	user := p.variable("npm_config_userconfig")
	if user == "" && p.Home != "" {
		user = filepath.Join(p.Home, ".npmrc")
	}
	if user != "" {
		p.rc.user = read(user, p.Getenv)
	}
	if project := filepath.Join(p.Project, ".npmrc"); p.Project != "" && project != user {
		p.rc.project = read(project, nil)
	}
	return p.rc
}

// variable looks up a setting of npm, which takes its names in any case.
func (p *Packages) variable(name string) string {
	if v := p.Getenv(name); v != "" || p.Environ == nil {
		return cmp.Or(v, p.Getenv(strings.ToUpper(name)))
	}
	for _, kv := range p.Environ() {
		if key, v, _ := strings.Cut(kv, "="); v != "" && strings.EqualFold(key, name) {
			return v
		}
	}
	return ""
}

// npmPlace is the registry of a package: the environment, the project's settings, the user's, the record, and at last what
// the user's npm says.
func (p *Packages) npmPlace(ctx context.Context, base, name string) (place, error) {
	rc := p.settings()
	if rc.unread != nil {
		return place{}, &registry.Error{Kind: registry.Refused, Detail: "where npm's packages come from is not known: " + rc.unread.Error()}
	}
	if len(rc.project.Decides) > 0 {
		return place{}, &registry.Error{Kind: registry.Refused, Detail: "the project's .npmrc may have npm run something else than this package, by " +
			strings.Join(rc.project.Decides, ", ") + ": take that out, or put it into your own"}
	}
	scope, _, scoped := strings.Cut(name, "/")
	mine := func(u string) place { return place{base: u, mine: true, token: rc.user.Token(join(u, name))} }
	switch {
	case scoped && p.variable("npm_config_"+scope+":registry") != "":
		return mine(p.variable("npm_config_" + scope + ":registry")), nil
	case scoped && rc.project.Scopes[scope] != "":
		return place{base: rc.project.Scopes[scope]}, nil
	case scoped && rc.user.Scopes[scope] != "":
		return mine(rc.user.Scopes[scope]), nil
	case p.variable("npm_config_registry") != "":
		return mine(p.variable("npm_config_registry")), nil
	case rc.project.Registry != "":
		return place{base: rc.project.Registry}, nil
	case rc.user.Registry != "":
		return mine(rc.user.Registry), nil
	case base != "":
		return place{base: base}, nil
	}
	said, err := p.askNPM(ctx)
	if err != nil {
		return place{}, err
	}
	return mine(said), nil
}

// askNPM asks the user's npm once.
func (p *Packages) askNPM(ctx context.Context) (string, error) {
	const hint = "no registry of npm is known: set npm_config_registry, or install npm"
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked == nil {
		if p.NPM == nil {
			return "", &registry.Error{Kind: registry.Refused, Detail: hint}
		}
		said, err := p.NPM(ctx)
		if err != nil {
			return "", &registry.Error{Kind: registry.Refused, Detail: hint + " (" + err.Error() + ")"}
		}
		said = strings.TrimSpace(said)
		p.asked = &said
	}
	if _, err := Base(*p.asked); err != nil {
		return "", &registry.Error{Kind: registry.Refused, Detail: hint}
	}
	return *p.asked, nil
}

// The types of a packument: all that an installation needs.
const abbreviated = "application/vnd.npm.install-v1+json"

func (p *Packages) npm(ctx context.Context, base, name, want string, about registry.Error) (*pkg.Pin, error) {
	if !pkg.GoodNPM(name) {
		about.Kind, about.Detail = registry.NotFound, "no name of an npm package"
		return nil, &about
	}
	at, err := p.npmPlace(ctx, base, name)
	if err != nil {
		return nil, err
	}
	address := join(at.base, strings.Replace(name, "/", "%2f", 1))
	version := want
	if !pkg.IsVersion(pkg.NPM, want) {
		raw, err := p.get(ctx, at, address, abbreviated, about)
		if err != nil {
			return nil, err
		}
		doc, err := pkg.ReadPackument(raw, name, p.Limits)
		if err == nil {
			version, err = doc.Pick(want)
		}
		if err != nil {
			return nil, bad(about, at, err)
		}
	}
	// The document of the version says more than the abbreviated packument: scripts by name, deprecation, attestations.
	raw, err := p.get(ctx, at, address+"/"+url.PathEscape(version), "", about)
	if err != nil {
		return nil, err
	}
	pin, err := pkg.ReadNPMVersion(raw, name, version, p.Limits)
	if err != nil {
		return nil, bad(about, at, err)
	}
	pin.Base = at.base
	if p.Project != "" {
		own := filepath.Join(p.Project, "node_modules", filepath.FromSlash(name), "package.json")
		if raw, err := p.ReadFile(own); err == nil && pkg.IsNPMVersion(raw, name, version, p.Limits) {
			pin.Shadow = "node_modules/" + name
		}
	}
	return pin, nil
}
