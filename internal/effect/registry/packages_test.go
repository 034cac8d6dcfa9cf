package registry

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/effect/net"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	double "github.com/mcpassay/mcpassay/test/registry"
)

// packages asks doubles on loopback. vars is the environment.
func packages(t *testing.T, vars map[string]string) *Packages {
	t.Helper()
	p := &Packages{Net: net.Options{AllowPrivate: true}, Now: time.Now, Getenv: func(name string) string { return vars[name] }, ReadFile: os.ReadFile, Limits: quick()}
	t.Cleanup(p.Close)
	return p
}

// why is the kind of an error, or that the bytes can not be held to anything.
func why(err error) registry.Kind {
	var un *pkg.Unenforceable
	if errors.As(err, &un) {
		return "unenforceable"
	}
	return kindOf(err)
}

func TestEveryTypeOfPackageIsPinnedToABytesDigest(t *testing.T) {
	s := start(t)
	p := packages(t, nil)
	box := strings.TrimPrefix(s.URL, "http://") + "/example/box"
	for _, c := range []struct {
		t                  pkg.Type
		base, name, want   string
		version, algorithm string
		files              int
		kind               registry.Kind
	}{
		{pkg.NPM, "/npm", "@example/files", "1.2.0", "1.2.0", "sha512", 1, ""}, {pkg.NPM, "/npm", "@example/files", "^1.0.0", "1.10.0", "sha512", 1, ""},
		{pkg.NPM, "/npm", "plain", "", "1.10.0", "sha512", 1, ""}, {pkg.NPM, "/npm/", "plain", "next", "2.0.0-rc.1", "sha512", 1, ""},
		{pkg.NPM, "/npm", "plain", "^9", "", "", 0, registry.NotFound}, {pkg.NPM, "/npm", "plain", "9.9.9", "", "", 0, registry.NotFound}, {pkg.NPM, "/npm", "nobody", "", "", "", 0, registry.NotFound},
		{pkg.NPM, "/npm", "../x", "", "", "", 0, registry.NotFound}, {pkg.NPM, "/npm", "sha1-only", "1.0.0", "", "", 0, "unenforceable"}, {pkg.NPM, "/npm", "odd", "1.0.0", "", "", 0, registry.Malformed},
		{pkg.NPM, "/npm", "impostor", "1.0.0", "", "", 0, registry.Malformed},
		{pkg.PyPI, "/pypi", "Example_Notes", "0.3.0", "0.3.0", "sha256", 2, ""}, {pkg.PyPI, "/pypi/simple", "example-notes", "===0.3.0", "0.3.0", "sha256", 2, ""},
		{pkg.PyPI, "/pypi", "example-notes", "===0.3.0+local", "0.3.0+local", "sha256", 1, ""}, {pkg.PyPI, "/pypi", "example-notes", "", "0.3.0+local", "sha256", 1, ""},
		{pkg.PyPI, "/pypi", "example-notes", "<0.3", "0.2.0", "sha256", 1, ""}, {pkg.PyPI, "/pypi", "example-notes", "0.4.0", "0.4.0", "sha256", 1, ""}, {pkg.PyPI, "/pypi", "example-notes", ">=0.4,<1", "", "", 0, registry.NotFound},
		{pkg.PyPI, "/pypi", "md5-only", "", "", "", 0, "unenforceable"}, {pkg.PyPI, "/pypi", "bad-digest", "", "", "", 0, registry.Malformed}, {pkg.PyPI, "/pypi", "-x", "", "", "", 0, registry.NotFound},
		{pkg.PyPI, "/pypi", "nobody", "", "", "", 0, registry.NotFound},
		{pkg.OCI, "", box + ":1.0.0", "", "1.0.0", "sha256", 1, ""}, {pkg.OCI, "", box, "", "", "sha256", 1, ""}, {pkg.OCI, "", box + "@" + double.ManifestDigest(), "", "", "sha256", 1, ""},
		{pkg.OCI, "", box + ":2.0.0", "", "", "", 0, registry.NotFound}, {pkg.OCI, "", strings.Replace(box, "box", "liar", 1) + "@" + double.ManifestDigest(), "", "", "", 0, registry.Mismatch},
		{pkg.OCI, "", strings.Replace(box, "example", "basic", 1), "", "", "", 0, registry.Refused}, {pkg.OCI, "", "UPPER/case", "", "", "", 0, registry.NotFound}, {pkg.OCI, "", box + "@sha256:00", "", "", "", 0, registry.NotFound},
		{pkg.NuGet, "/nuget/index.json", "Example.Old", "1.0.0", "1.0.0", "sha512", 1, ""}, {pkg.NuGet, "/nuget/index.json", "Example.Old", "", "1.0.0", "sha512", 1, ""},
		{pkg.NuGet, "/nuget/index.json", "Nobody", "", "", "", 0, registry.NotFound}, {pkg.NuGet, "/nuget/index.json", "a/b", "", "", "", 0, registry.NotFound},
		{pkg.Cargo, "/cargo", "example-crate", "", "1.0.0", "sha256", 1, ""}, {pkg.Cargo, "/cargo", "example-crate", "1.1.0", "1.1.0", "sha256", 1, ""}, {pkg.Cargo, "/cargo", "example-crate", "^1.1", "", "", 0, registry.NotFound},
		{pkg.Cargo, "/cargo", "nobody", "", "", "", 0, registry.NotFound},
		{pkg.MCPB, "", s.URL + "/mcpb/bundle.mcpb", "", "", "sha256", 1, ""}, {pkg.MCPB, "", s.URL + "/mcpb/moved.mcpb", "", "", "sha256", 1, ""}, {pkg.MCPB, "", s.URL + "/mcpb/none", "", "", "", 0, registry.NotFound},
		{pkg.MCPB, "", s.URL + "/mcpb/round.mcpb", "", "", "", 0, registry.Refused}, {pkg.MCPB, "", s.URL + "/mcpb/metadata.mcpb", "", "", "", 0, registry.Refused},
		{"wheelbarrow", "", "x", "", "", "", 0, "unenforceable"},
	} {
		base := ""
		if c.base != "" {
			base = s.URL + c.base
		}
		pin, err := p.Resolve(context.Background(), c.t, base, c.name, c.want, "")
		what := string(c.t) + " " + c.name + " " + c.want
		if why(err) != c.kind {
			t.Errorf("%s: %v, want %q", what, err, c.kind)
			continue
		}
		if err != nil {
			continue
		}
		if pin.Version != c.version || len(pin.Files) != c.files || len(pin.Digests()) != c.files {
			t.Errorf("%s: %+v", what, pin)
		}
		for _, d := range pin.Digests() {
			if !strings.HasPrefix(d, c.algorithm+":") {
				t.Errorf("%s: %s", what, d)
			}
		}
	}
	pin, err := p.Resolve(context.Background(), pkg.MCPB, "", s.URL+"/mcpb/bundle.mcpb", "", "")
	if err != nil || pin.Digests()[0] != "sha256:"+double.BundleSHA256() {
		t.Errorf("%v, %v", pin, err)
	}
}

func TestARecordsOwnDigestCountsWithoutADownload(t *testing.T) {
	s := start(t)
	p := packages(t, nil)
	pin, err := p.Pin(context.Background(), registry.Package{Type: "mcpb", Identifier: s.URL + "/mcpb/bundle.mcpb", FileSHA256: strings.Repeat("ab", 32)})
	if err != nil || len(s.Asked()) != 0 {
		t.Fatalf("%v, %v", err, s.Asked())
	}
	var got bytes.Buffer
	if err := p.Fetch(context.Background(), pin, pin.Files[0], &got); kindOf(err) != registry.Mismatch {
		t.Error(err)
	}
	if _, err := p.Pin(context.Background(), registry.Package{Type: "mcpb", Identifier: s.URL + "/mcpb/bundle.mcpb", FileSHA256: "ab"}); kindOf(err) != registry.Malformed {
		t.Error(err)
	}
	if _, err := p.Pin(context.Background(), registry.Package{Type: "npm", Identifier: "x", Version: "latest"}); why(err) != "unenforceable" {
		t.Error(err)
	}
}

func TestDownloadedBytesAreHeldToTheirDigest(t *testing.T) {
	s := start(t)
	p := packages(t, nil)
	ctx := context.Background()
	for name, want := range map[string]registry.Kind{"plain": "", "drift": registry.Mismatch} {
		pin, err := p.Resolve(ctx, pkg.NPM, s.URL+"/npm", name, "1.0.0", "")
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := p.Fetch(ctx, pin, pin.Files[0], &got); kindOf(err) != want {
			t.Errorf("%s: %v", name, err)
		}
		if want == "" && got.String() != "plain-1.0.0.tgz" {
			t.Errorf("%q", got.String())
		}
	}
	pin := &pkg.Pin{Type: pkg.NPM, Base: s.URL + "/npm", Name: "plain", Version: "1.0.0"}
	if err := p.Fetch(ctx, pin, pkg.File{URL: s.URL + "/npm/-/x"}, &bytes.Buffer{}); kindOf(err) != registry.Refused {
		t.Errorf("bytes that nothing holds: %v", err)
	}
	slow := packages(t, nil)
	slow.Limits.ArtifactTime = 100 * time.Millisecond
	if _, err := slow.Resolve(ctx, pkg.MCPB, "", s.URL+"/mcpb/slow.mcpb", "", ""); kindOf(err) != registry.Unreachable {
		t.Errorf("over the time: %v", err)
	}
	big := packages(t, nil)
	big.Limits.ArtifactBytes = 5
	pin, err := big.Resolve(ctx, pkg.NPM, s.URL+"/npm", "plain", "1.0.0", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := big.Fetch(ctx, pin, pin.Files[0], &bytes.Buffer{}); kindOf(err) != registry.Malformed {
		t.Errorf("over the limit: %v", err)
	}
}

func TestWhatDecidesOnAPackageIsRead(t *testing.T) {
	s := start(t)
	p := packages(t, nil)
	pin := func(name string) *pkg.Pin {
		pin, err := p.Resolve(context.Background(), pkg.NPM, s.URL+"/npm", name, "1.0.0", "")
		if err != nil {
			t.Fatal(err)
		}
		return pin
	}
	if got := pin("scripts"); len(got.InstallScripts) != 1 || got.Engines["node"] != ">=20" {
		t.Errorf("%+v", got)
	}
	if got := pin("withdrawn"); got.Deprecated == "" {
		t.Errorf("%+v", got)
	}
	if got := pin("@example/files"); got.Attestations == "" || got.Predicate == "" {
		t.Errorf("%+v", got)
	}
	notes, err := p.Resolve(context.Background(), pkg.PyPI, s.URL+"/pypi", "example-notes", "0.3.0", "")
	if err != nil || notes.Attestations == "" || notes.Engines["python"] != ">=3.10" || notes.Published.IsZero() || notes.Files[0].URL != s.URL+"/pypi/files/example_notes-0.3.0-py3-none-any.whl" {
		t.Errorf("%+v, %v", notes, err)
	}
	if gone, err := p.Resolve(context.Background(), pkg.PyPI, s.URL+"/pypi", "example-notes", "0.4.0", ""); err != nil || !gone.Yanked || gone.Deprecated != "broken" {
		t.Errorf("%+v, %v", gone, err)
	}
}

func TestAttestationsAreHadForEveryFileOrNone(t *testing.T) {
	s := start(t)
	p := packages(t, nil)
	ctx := context.Background()
	for _, c := range []struct {
		t          pkg.Type
		base, name string
		want       string
		files      int
		kind       registry.Kind
	}{
		{pkg.NPM, "/npm", "@example/files", "1.2.0", 1, ""}, {pkg.NPM, "/npm", "plain", "1.2.0", 0, registry.NotFound}, {pkg.PyPI, "/pypi", "example-notes", "0.3.0", 2, ""},
		{pkg.PyPI, "/pypi", "example-notes", "0.2.0", 0, registry.NotFound}, {pkg.Cargo, "/cargo", "example-crate", "1.0.0", 0, "unenforceable"},
	} {
		pin, err := p.Resolve(ctx, c.t, s.URL+c.base, c.name, c.want, "")
		if err != nil {
			t.Fatal(err)
		}
		all, err := p.Attestations(ctx, pin)
		if why(err) != c.kind || len(all) != c.files {
			t.Errorf("%s %s: %d, %v", c.name, c.want, len(all), err)
		}
		for _, f := range pin.Files {
			if c.kind == "" && len(all[f.Name]) == 0 {
				t.Errorf("%s has none", f.Name)
			}
		}
	}
}

// The user's settings decide where npm's packages come from, as they do when npm installs them; a project's do without a
// token, and a record's word is the last.
func TestWhereAPackageOfNPMComesFrom(t *testing.T) {
	s := start(t)
	home, project := t.TempDir(), t.TempDir()
	write := func(dir, words string) {
		if err := os.WriteFile(filepath.Join(dir, ".npmrc"), []byte(words), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	type world struct {
		user, project, env, record, npm string
	}
	for _, c := range []struct {
		world
		name, want string
	}{
		{world{record: s.URL + "/npm/r"}, "plain", "/npm/r"}, {world{npm: s.URL + "/npm/asked"}, "plain", "/npm/asked"}, {world{npm: s.URL + "/npm/asked", record: s.URL + "/npm/r"}, "plain", "/npm/r"},
		{world{user: "registry=" + s.URL + "/npm/u", record: s.URL + "/npm/r"}, "plain", "/npm/u"}, {world{user: "registry=" + s.URL + "/npm/u", env: s.URL + "/npm/e"}, "plain", "/npm/e"},
		{world{user: "registry=" + s.URL + "/npm/u\n@a:registry=" + s.URL + "/npm/a", env: s.URL + "/npm/e"}, "@a/b", "/npm/a"},
		{world{user: "registry=" + s.URL + "/npm/u", project: "registry=" + s.URL + "/npm/p"}, "plain", "/npm/p"},
	} {
		write(home, c.user)
		write(project, c.project)
		p := packages(t, map[string]string{"NPM_CONFIG_REGISTRY": c.env})
		p.Home, p.Project = home, project
		p.NPM = func(context.Context) (string, error) { return c.npm + "\n", nil }
		at, err := p.npmPlace(context.Background(), c.record, c.name)
		if err != nil || strings.TrimPrefix(at.base, s.URL) != c.want {
			t.Errorf("%+v: %+v, %v", c.world, at, err)
		}
	}
	none := packages(t, nil)
	if _, err := none.Resolve(context.Background(), pkg.NPM, "", "plain", "1.0.0", ""); kindOf(err) != registry.Refused || !strings.Contains(err.Error(), "npm_config_registry") {
		t.Error(err)
	}
}

func TestAFileOfNPMsSettingsThatDecidesOtherwiseIsRefused(t *testing.T) {
	s := start(t)
	home, project := t.TempDir(), t.TempDir()
	resolve := func(vars map[string]string, environ ...string) (string, error) {
		p := packages(t, vars)
		p.Home, p.Project = home, project
		if environ != nil {
			p.Environ = func() []string { return environ }
		}
		at, err := p.npmPlace(context.Background(), s.URL+"/npm", "@a/b")
		return strings.TrimPrefix(at.base, s.URL), err
	}
	rc := filepath.Join(project, ".npmrc")
	for _, words := range []string{"cache=./cache", "globalconfig=./x"} {
		if err := os.WriteFile(rc, []byte(words), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := resolve(nil); kindOf(err) != registry.Refused || !strings.Contains(err.Error(), strings.Split(words, "=")[0]) {
			t.Errorf("%s: %v", words, err)
		}
		if err := os.Rename(rc, filepath.Join(home, ".npmrc")); err != nil {
			t.Fatal(err)
		}
		if at, err := resolve(nil); err != nil || at != "/npm" {
			t.Errorf("%s of the user's own: %s, %v", words, at, err)
		}
	}
	// What can not be read may say anything.
	if err := os.Mkdir(rc, 0o700); err != nil {
		t.Fatal(err)
	}
	p := packages(t, nil)
	p.Project = project
	p.ReadFile = func(path string) ([]byte, error) {
		raw, _, err := files.Read(path, files.ReadOptions{})
		return raw, err
	}
	if _, err := p.npmPlace(context.Background(), s.URL+"/npm", "plain"); kindOf(err) != registry.Refused || !strings.Contains(err.Error(), ".npmrc") {
		t.Error(err)
	}
	if err := os.Remove(rc); err != nil {
		t.Fatal(err)
	}
	// npm takes its variables in any case, those of scopes too.
	for want, kv := range map[string]string{"/npm/e": "npm_config_REGISTRY=" + s.URL + "/npm/e", "/npm/f": "Npm_Config_Registry=" + s.URL + "/npm/f", "/npm/g": "npm_config_@a:registry=" + s.URL + "/npm/g"} {
		if at, err := resolve(nil, kv, "npm_config_registry="); err != nil || at != want {
			t.Errorf("%s: %s, %v", kv, at, err)
		}
	}
}

// npx runs what lies in the project's node_modules where that is the version that it was asked for.
func TestACopyInTheProjectIsSaid(t *testing.T) {
	s := start(t)
	for text, want := range map[string]string{`{"name":"@example/files","version":"1.0.0"}`: "node_modules/@example/files", `{"name":"@example/files","version":"1.2.0"}`: "", `{`: "node_modules/@example/files", "": ""} {
		p := packages(t, map[string]string{"npm_config_registry": s.URL + "/npm"})
		p.Project = t.TempDir()
		if dir := filepath.Join(p.Project, "node_modules/@example/files"); text != "" {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if pin, err := p.Resolve(context.Background(), pkg.NPM, "", "@example/files", "1.0.0", ""); err != nil || pin.Shadow != want {
			t.Errorf("%s: %+v, %v", text, pin, err)
		}
	}
}

// uv takes a project from the first index that has it, and one that does not answer may have it.
func TestAProjectOfPyPIIsLookedForWhereUVLooks(t *testing.T) {
	s := start(t)
	for _, c := range []struct {
		vars map[string]string
		want string
		kind registry.Kind
	}{
		{map[string]string{"UV_INDEX": s.URL + "/pypi/simple"}, "/pypi/simple", ""},
		{map[string]string{"UV_INDEX": "mine=" + s.URL + "/nowhere " + s.URL + "/pypi/simple", "UV_DEFAULT_INDEX": s.URL + "/npm"}, "/pypi/simple", ""},
		{map[string]string{"UV_EXTRA_INDEX_URL": s.URL + "/nowhere", "UV_DEFAULT_INDEX": s.URL + "/pypi/simple"}, "/pypi/simple", ""},
		{map[string]string{"UV_INDEX": s.URL + "/osv-500", "UV_DEFAULT_INDEX": s.URL + "/pypi/simple"}, "", registry.Unreachable},
		{map[string]string{"UV_FIND_LINKS": "/tmp/wheels"}, "", registry.Refused},
	} {
		p := packages(t, c.vars)
		pin, err := p.Resolve(context.Background(), pkg.PyPI, s.URL+"/elsewhere", "example-notes", "0.3.0", "")
		if why(err) != c.kind || err == nil && strings.TrimPrefix(pin.Base, s.URL) != c.want {
			t.Errorf("%v: %+v, %v", c.vars, pin, err)
		}
	}
}

func TestATokenGoesToTheRegistryThatItIsForAlone(t *testing.T) {
	s := start(t)
	home, project := t.TempDir(), t.TempDir()
	place := strings.TrimPrefix(s.URL, "http:") + "/npm/:_authToken=${NPM_TOKEN}\n"
	vars := map[string]string{"NPM_TOKEN": double.Token}
	ask := func(user, other string, record string) error {
		os.WriteFile(filepath.Join(home, ".npmrc"), []byte(user), 0o600)
		os.WriteFile(filepath.Join(project, ".npmrc"), []byte(other), 0o600)
		p := packages(t, vars)
		p.Home, p.Project = home, project
		pin, err := p.Resolve(context.Background(), pkg.NPM, record, "@private/x", "1.0.0", "")
		if err == nil {
			err = p.Fetch(context.Background(), pin, pin.Files[0], &bytes.Buffer{})
		}
		return err
	}
	registryLine := "registry=" + s.URL + "/npm\n"
	if err := ask(registryLine+place, "", ""); err != nil {
		t.Errorf("the user's: %v", err)
	}
	if err := ask("", registryLine+place, ""); kindOf(err) != registry.NotFound {
		t.Errorf("a project's file sent the user's token: %v", err)
	}
	if err := ask(place, "", s.URL+"/npm"); kindOf(err) != registry.NotFound {
		t.Errorf("a record's registry got the user's token: %v", err)
	}
}

// A registry that a record names is a stranger's: it is no way into this machine.
func TestARecordDoesNotReachThisMachine(t *testing.T) {
	s := start(t)
	p := packages(t, nil)
	p.Net.AllowPrivate = false
	for kind, name := range map[pkg.Type]string{pkg.NPM: "plain", pkg.PyPI: "example-notes", pkg.NuGet: "Example.Old", pkg.Cargo: "example-crate"} {
		if _, err := p.Resolve(context.Background(), kind, s.URL+"/npm", name, "1.0.0", ""); kindOf(err) != registry.Refused {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if _, err := p.Resolve(context.Background(), pkg.OCI, "", strings.TrimPrefix(s.URL, "http://")+"/example/box", "", ""); kindOf(err) != registry.Refused {
		t.Error(err)
	}
	if _, err := p.Resolve(context.Background(), pkg.MCPB, "", s.URL+"/mcpb/bundle.mcpb", "", ""); kindOf(err) != registry.Refused {
		t.Error(err)
	}
	if len(s.Asked()) > 0 {
		t.Errorf("it was asked: %v", s.Asked())
	}
}

func TestPackagesAreKeptForOffline(t *testing.T) {
	s := start(t)
	p := packages(t, nil)
	p.Cache = OpenCache(t.TempDir())
	ctx := context.Background()
	box := strings.TrimPrefix(s.URL, "http://") + "/example/box:1.0.0"
	for range 2 {
		for kind, name := range map[pkg.Type]string{pkg.NPM: "plain", pkg.OCI: box} {
			if pin, err := p.Resolve(ctx, kind, s.URL+"/npm", name, "", ""); err != nil || len(pin.Digests()) != 1 {
				t.Errorf("%s, offline %v: %v", kind, p.Offline, err)
			}
		}
		p.Offline = true
	}
	if _, err := p.Resolve(ctx, pkg.NPM, s.URL+"/npm", "other", "", ""); kindOf(err) != registry.NotCached {
		t.Error(err)
	}
}
