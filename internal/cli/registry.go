package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/effect/net"
	"github.com/mcpassay/mcpassay/internal/effect/proc"
	registrydoor "github.com/mcpassay/mcpassay/internal/effect/registry"
	"github.com/mcpassay/mcpassay/internal/flow/find"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// market is how registries are asked, as the flags of the package verbs say it.
type market struct {
	app       *app
	registry  string
	offline   bool
	json      bool
	format    string
	ca, proxy string
	// private and plain are what the door allows beyond the public internet and TLS.
	private, plain bool
}

func (a *app) market(cmd *cobra.Command) *market { return a.marketOf(cmd, "f") }

// marketOf is market for a verb whose -f may be something else than its format.
func (a *app) marketOf(cmd *cobra.Command, short string) *market {
	m := &market{app: a}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&m.format, "format", short, "text", "what to print: text, json")
	f.BoolVar(&m.json, "json", false, "the same as --format json")
	f.StringVar(&m.registry, "registry", "", "ask the MCP registry at `URL`: a mirror (default $MCPASSAY_REGISTRY, else the official one)")
	f.BoolVar(&m.offline, "offline", false, "ask nobody: use what was kept, and say how old it is")
	f.StringVar(&m.ca, "ca-file", "", "trust the certificates in `FILE` too")
	f.StringVar(&m.proxy, "proxy", "", "go through the proxy at `URL` (none is taken from the environment)")
	f.BoolVar(&m.private, "allow-private-network", false, "private and loopback addresses may be reached")
	f.BoolVar(&m.plain, "allow-insecure-http", false, "http:// may be used, not only to a loopback address that you name")
	return m
}

func (m *market) check() error {
	if m.json {
		m.format = "json"
	}
	if m.format != "text" && m.format != "json" {
		return usage("use text or json", "unknown format %q", m.format)
	}
	return nil
}

// finder opens the doors. end closes them.
func (m *market) finder() (f *find.Finder, end func(), err error) {
	client, packages, end, err := m.doors()
	if err != nil {
		return nil, nil, err
	}
	return &find.Finder{Registry: records{client}, Packages: packages, Base: client.Base, Facts: demoFacts{}, Now: m.app.io.Now, Limits: m.app.limits}, end, nil
}

// doors opens those to the MCP registry and to the registries of packages. end closes them.
func (m *market) doors() (client *registrydoor.Client, packages *registrydoor.Packages, end func(), err error) {
	io := m.app.io
	raw, from := m.registry, "--registry"
	if raw == "" {
		raw, from = io.Getenv("MCPASSAY_REGISTRY"), "MCPASSAY_REGISTRY"
	}
	if raw == "" {
		raw = registrydoor.Official
	}
	base, err := registrydoor.Base(raw)
	if err != nil {
		return nil, nil, nil, usage("--registry https://registry.example.com", "%s names no registry: %s", from, err)
	}
	opt := net.Options{AllowPrivate: m.private, AllowInsecureHTTP: m.plain, Proxy: m.proxy, UserAgent: userAgent(), Limits: m.app.limits}
	if m.ca != "" {
		opt.CAFile = absolute(io.Cwd, m.ca)
	}
	named := opt
	named.Named = base
	door, err := net.New(named)
	if err != nil {
		return nil, nil, nil, usage("", "%s", err)
	}
	cache := registrydoor.OpenCache(files.StateDir(io.Platform, io.Getenv, io.Home))
	packages = &registrydoor.Packages{Net: opt, Cache: cache, Offline: m.offline, Now: io.Now, Getenv: io.Getenv, Environ: io.Environ, Home: io.Home, Project: m.app.npmFolder(), Limits: m.app.limits,
		ReadFile: func(path string) ([]byte, error) {
			raw, _, err := files.Read(path, files.ReadOptions{})
			return raw, err
		}}
	if !m.offline {
		packages.NPM = m.app.npmRegistry
	}
	client = &registrydoor.Client{Base: base, Door: door, Cache: cache, Offline: m.offline, Now: io.Now, Limits: m.app.limits}
	return client, packages, func() { door.Close(); packages.Close() }, nil
}

// npmFolder is the folder whose .npmrc counts here: as npm has it, the nearest one with a package.json or node_modules, else
// the working folder.
func (a *app) npmFolder() string {
	for dir, n := a.io.Cwd, 0; n < a.limits.WalkUp; n++ {
		for _, name := range []string{"package.json", "node_modules"} {
			if _, err := files.Look(filepath.Join(dir, name), true); err == nil {
				return dir
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return a.io.Cwd
}

// npmRegistry asks the user's npm where packages come from, in an empty folder, so that no project answers.
func (a *app) npmRegistry(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, a.limits.NPMTime)
	defer cancel()
	env, err := proc.Environ(a.io.Environ(), nil, true, a.limits)
	if err != nil {
		return "", err
	}
	child, err := proc.Start(ctx, proc.Command{Argv: []string{"npm", "config", "get", "registry"}, Env: env}, a.limits)
	if err != nil {
		return "", err
	}
	defer child.Close()
	for {
		line, err := child.ReadLine(ctx)
		if said := strings.TrimSpace(string(line)); strings.HasPrefix(said, "http") {
			return said, nil
		}
		if err != nil {
			return "", errors.New("npm config get registry names none")
		}
	}
}

// records is a client as a flow asks for it.
type records struct{ *registrydoor.Client }

func origin(o registrydoor.Origin) find.Asked { return find.Asked{At: o.Asked, Kept: o.Kept} }

func (a records) Search(ctx context.Context, term string, most int, deleted bool) ([]*registry.Record, []registry.Fault, bool, find.Asked, error) {
	all, bad, more, from, err := a.Client.Search(ctx, term, most, deleted)
	return all, bad, more, origin(from), err
}

func (a records) Version(ctx context.Context, name, version string) (*registry.Record, find.Asked, error) {
	rec, from, err := a.Client.Version(ctx, name, version)
	return rec, origin(from), err
}

func (a records) Versions(ctx context.Context, name string) ([]*registry.Record, []registry.Fault, find.Asked, error) {
	all, bad, from, err := a.Client.Versions(ctx, name)
	return all, bad, origin(from), err
}

// packageExits are the exit codes of the package verbs: every reason not to go on is 1.
const packageExits = "0 found, 1 not found, deleted, or the registry can not be used, 2 usage"

// notHad is an error of a registry as a person is told it.
func notHad(err error) error {
	var e *registry.Error
	if !errors.As(err, &e) {
		return &problem{what: err.Error(), code: exitFindings}
	}
	p := &problem{what: e.Error(), at: secret.MaskURL(e.Registry), hint: e.Hint(), code: exitFindings}
	if e.Kind == registry.TooShort {
		p.code, p.at, p.hint = exitIncomplete, "", "mcpassay search WORDS"
	}
	return p
}

// kept says on standard error how old an answer is that nobody was asked for.
func (m *market) kept(s find.Source) {
	if s.Kept {
		fmt.Fprintf(m.app.io.Err, "offline: what was kept %s ago (%s)\n", ago(time.Duration(s.AgeSeconds)*time.Second), s.Asked)
	}
}

// ago is an age in its largest unit.
func ago(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= 2*day:
		return text.Count(int(d/day), "day")
	case d >= 2*time.Hour:
		return text.Count(int(d/time.Hour), "hour")
	case d >= 2*time.Minute:
		return text.Count(int(d/time.Minute), "minute")
	}
	return text.Count(int(d/time.Second), "second")
}

// unread lists what the registry answered and nobody could read: it fails a run.
func (m *market) unread(all []string) {
	if len(all) == 0 {
		return
	}
	m.app.code = exitFindings
	for _, u := range all {
		fmt.Fprintf(m.app.io.Err, "not read: %s\n", u)
	}
}

// wanted splits NAME[@VERSION].
func wanted(arg string) (name, version string) {
	name, version, _ = strings.Cut(arg, "@")
	return name, version
}
